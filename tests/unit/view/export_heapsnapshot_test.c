/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap snapshots are JSON, whatever names hold, and say of each object what the graph does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "gctrace/wire.h"
#include "random_heap.h"
#include "unit/model/dump.h"
#include "view/export.h"
#include "view/heap_view.h"

enum { PAIR = 100, PAIRS, POINTER };
enum { NODE_COLUMNS = 7, EDGE_COLUMNS = 3 };

struct file {
	struct heap *heap;
	char *text;
	size_t bytes;
	struct json_object *json, *nodes, *edges, *strings;
};

static struct file write_and_read(struct heap *heap)
{
	const struct heap_heading heading = { .facts = heap__facts(heap) };
	const struct export_options options = { .id_place = HEAP_NONE };
	struct file file = { .heap = heap };
	FILE *out = open_memstream(&file.text, &file.bytes);

	assert_non_null(out);
	assert_int_equal(export__find("heapsnapshot")->write(heap, &heading, &options, out), 0);
	assert_int_equal(fclose(out), 0);
	file.json = json_tokener_parse(file.text);
	assert_non_null(file.json);
	file.nodes = json_object_object_get(file.json, "nodes");
	file.edges = json_object_object_get(file.json, "edges");
	file.strings = json_object_object_get(file.json, "strings");
	return file;
}

static void close_file(struct file *file)
{
	json_object_put(file->json);
	free(file->text);
	heap__free(file->heap);
}

static uint64_t node(const struct file *file, size_t row, size_t column)
{
	return (uint64_t)json_object_get_int64(
		json_object_array_get_idx(file->nodes, row * NODE_COLUMNS + column));
}

static uint64_t edge(const struct file *file, size_t row, size_t column)
{
	return (uint64_t)json_object_get_int64(
		json_object_array_get_idx(file->edges, row * EDGE_COLUMNS + column));
}

static const char *string(const struct file *file, uint64_t number)
{
	assert_true(number < json_object_array_length(file->strings));
	return json_object_get_string(json_object_array_get_idx(file->strings, number));
}

/* The first edge of a node, by row. */
static size_t first_edge(const struct file *file, size_t row)
{
	size_t first = 0;

	for (size_t i = 0; i < row; i++)
		first += node(file, i, 4);
	return first;
}

/* Columns fit together, and each object is there with its size and edges, in order. */
static void expect_sound(const struct file *file)
{
	const struct heap *heap = file->heap;
	const size_t nodes = json_object_array_length(file->nodes) / NODE_COLUMNS;
	const size_t edges = json_object_array_length(file->edges) / EDGE_COLUMNS;
	struct json_object *facts = json_object_object_get(file->json, "snapshot");
	size_t row = 1;

	assert_int_equal(json_object_get_int64(json_object_object_get(facts, "node_count")), nodes);
	assert_int_equal(json_object_get_int64(json_object_object_get(facts, "edge_count")), edges);
	assert_int_equal(first_edge(file, nodes), edges);
	for (size_t i = 0; i < edges; i++) {
		assert_int_equal(edge(file, i, 2) % NODE_COLUMNS, 0);
		assert_true(edge(file, i, 2) / NODE_COLUMNS < nodes);
		if (edge(file, i, 0) != 1)
			string(file, edge(file, i, 1));
	}
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p), row++) {
		string(file, node(file, row, 1));
		assert_int_equal(node(file, row, 2), 2 * row + 1);
		assert_int_equal(node(file, row, 0), heap__is_node(heap, p) ? 9 : 3);
		assert_int_equal(node(file, row, 3),
				 heap__is_node(heap, p) ? 0 : heap__object(heap, p).size);
	}
	assert_int_equal(row, nodes);
}

/* The row of an object. */
static size_t row_of(const struct file *file, uint64_t address)
{
	const uint32_t place = place_of(file->heap, address);
	size_t row = 1;

	for (uint32_t p = heap__first(file->heap); p != place; p = heap__next(file->heap, p))
		row++;
	return row;
}

static void expect_edge(const struct file *file, uint64_t from, size_t n, unsigned int type,
			const char *name, uint64_t to)
{
	const size_t at = first_edge(file, row_of(file, from)) + n;

	assert_int_equal(edge(file, at, 0), type);
	if (name)
		assert_string_equal(string(file, edge(file, at, 1)), name);
	assert_int_equal(edge(file, at, 2), NODE_COLUMNS * row_of(file, to));
}

static struct heap_builder *begin(void)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__class(builder, PAIR, "Pair", "left\0right", 11, 0);
	dump__class(builder, PAIRS, "Pair[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, POINTER, "Weak", "to", 3, GCTRACE_CLASS_WEAK);
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x1000, GCTRACE_ROOT_HANDLE, 7, 0);
	return builder;
}

static struct file finish(struct heap_builder *builder)
{
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return write_and_read(dump__heap(builder));
}

static void test_edges(void **state)
{
	struct heap_builder *builder = begin();
	struct file file;

	(void)state;
	dump__root(builder, GCTRACE_C_WEAK, 0, 0x2000, GCTRACE_ROOT_HANDLE_WEAK, 0, 0);
	dump__refer(builder, 0x1000, PAIR, 32, { 0, 0x2000, 0x3000 });
	dump__refer(builder, 0x2000, PAIRS, 64, { 0, 0, 0x1000, 0x3000 });
	dump__object(builder, &(struct told){ 0x3000, POINTER, 24, (const uint64_t[]){ 0x1000 }, 1,
					      0, 0, GCTRACE_REF_WEAK, false });
	file = finish(builder);
	expect_sound(&file);
	expect_edge(&file, 0x1000, 0, 2, "right", 0x2000);
	expect_edge(&file, 0x1000, 1, 2, "#2", 0x3000);
	expect_edge(&file, 0x2000, 0, 1, NULL, 0x1000);
	assert_int_equal(edge(&file, first_edge(&file, row_of(&file, 0x2000)), 1), 2);
	expect_edge(&file, 0x3000, 0, 6, "?", 0x1000);
	close_file(&file);
}

/* From node 0 over "(GC roots)", the type of container, it and the kind to the root itself. */
static void test_way_from_the_root(void **state)
{
	static const char *const names[] = { "(GC roots)", "handles", "handles", "handle",
					     "handle 7" };
	struct heap_builder *builder = begin();
	size_t row = 0;
	struct file file;

	(void)state;
	dump__leaf(builder, 0x1000, PAIR, 32);
	file = finish(builder);
	expect_sound(&file);
	for (size_t i = 0; row != row_of(&file, 0x1000); i++) {
		if (i)
			assert_true(i <= sizeof(names) / sizeof(*names));
		if (row)
			assert_string_equal(string(&file, node(&file, row, 1)), names[i - 1]);
		assert_int_equal(node(&file, row, 4), 1);
		row = edge(&file, first_edge(&file, row), 2) / NODE_COLUMNS;
	}
	close_file(&file);
}

static void test_what_is_not_there(void **state)
{
	struct heap_builder *builder = begin();
	struct file file;

	(void)state;
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x9000, GCTRACE_ROOT_HANDLE, 8, 0);
	dump__refer(builder, 0x1000, PAIR, 32, { 0x9000, 0x1000 });
	dump__object(builder, &(struct told){ 0x3000, POINTER, 24, (const uint64_t[]){ 0x9000 }, 1,
					      0, 0, GCTRACE_REF_WEAK, false });
	file = finish(builder);
	expect_sound(&file);
	assert_int_equal(node(&file, row_of(&file, 0x1000), 4), 1);
	assert_int_equal(node(&file, row_of(&file, 0x3000), 4), 0);
	close_file(&file);
}

static void test_sizes_beyond(void **state)
{
	struct heap_builder *builder = begin();
	struct file file;

	(void)state;
	dump__leaf(builder, 0x1000, PAIR, UINT64_C(1) << 36);
	file = finish(builder);
	assert_int_equal(node(&file, row_of(&file, 0x1000), 3), UINT32_MAX);
	close_file(&file);
}

static void test_hostile_names(void **state)
{
	static const char *const told[] = { "a\"b", "a\\b", "\x01\x1f\x7f", "\xff\xfe", "\"]}",
					    "\xe2\x80\xae", "\xc3\xa4" };
	static const char *const read[] = { "a\"b", "a\\\\b", "\\x01\\x1f\\x7f", "\\xff\\xfe",
					    "\"]}", "\\u{202e}", "\xc3\xa4" };
	struct heap_builder *builder = begin();
	struct file file;

	(void)state;
	for (uint64_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		dump__class(builder, 200 + i, told[i], told[i], strlen(told[i]) + 1, 0);
		dump__refer(builder, 0x2000 + i * 64, 200 + i, 48, { 0x1000 });
	}
	dump__leaf(builder, 0x1000, PAIR, 32);
	file = finish(builder);
	expect_sound(&file);
	for (uint64_t i = 0; i < sizeof(read) / sizeof(*read); i++) {
		assert_string_equal(string(&file, node(&file, row_of(&file, 0x2000 + i * 64), 1)),
				    read[i]);
		expect_edge(&file, 0x2000 + i * 64, 0, 2, read[i], 0x1000);
	}
	close_file(&file);
}

static void test_random_heaps(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 500; i++) {
		struct file file = write_and_read(random_heap(i));

		expect_sound(&file);
		random_heap__leave(file.heap, i, "heapsnapshot", file.text, file.bytes);
		close_file(&file);
	}
}

static void test_formats_have_names(void **state)
{
	(void)state;
	for (size_t i = 0; exporters[i] || export_names[i]; i++) {
		assert_string_equal(exporters[i]->name, export_names[i]);
		assert_ptr_equal(export__find(export_names[i]), exporters[i]);
		assert_non_null(exporters[i]->help);
	}
	assert_null(export__find("no-such"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_way_from_the_root),
		cmocka_unit_test(test_what_is_not_there),
		cmocka_unit_test(test_sizes_beyond),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_random_heaps),
		cmocka_unit_test(test_formats_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
