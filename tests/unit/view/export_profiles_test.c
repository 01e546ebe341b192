/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks and drawings as text, Perfetto's heap graphs and pprof's profiles field by field,
 * of one small heap whose names are hostile:
 *
 *	static Cache.instance --> cache --.map--> entries --[0],[1],[3]--> entry --.value--> text
 *	static Cache.other -----> text (the same for both)
 *	thread main, frame --> buffer
 *	#own kind of root --> own
 *	nobody --> lost
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/escape.h"
#include "gctrace/wire.h"
#include "stream/varint.h"
#include "unit/model/dump.h"
#include "view/export.h"
#include "view/heap_view.h"

enum { CACHE = 10, ENTRIES, ENTRY, TEXT, BUFFER, LOST, OWN };
enum { AT_CACHE = 0x1000, AT_ENTRIES = 0x1100, AT_ENTRY = 0x2000, AT_TEXT = 0x3000,
       AT_BUFFER = 0x4000, AT_LOST = 0x5000, AT_OWN = 0x6000 };

extern const struct exporter export_dot, export_folded, export_perfetto, export_pprof;

static void tell_names(struct heap_builder *builder)
{
	dump__class(builder, CACHE, "Cache", "map\0next one", 13, 0);
	dump__class(builder, ENTRIES, "Entry[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, ENTRY, "#En;try \"<&amp;>\\", "value", 6, 0);
	dump__class(builder, TEXT, "Te\n\x1b[31mxt\xff", "", 0, GCTRACE_CLASS_BYTES);
	dump__class(builder, BUFFER, "Buffer", "", 0, 0);
	dump__define(builder, GCTRACE_SPACE_THREAD, 7, 0, 0, "ma;in");
	dump__define(builder, GCTRACE_SPACE_METHOD, 0, 0, 0, "Main.run");
	dump__define(builder, GCTRACE_SPACE_STATIC, CACHE, 0, 0, "instance");
	dump__define(builder, GCTRACE_SPACE_STATIC, CACHE, 1, 0, "other");
	dump__define(builder, GCTRACE_SPACE_CONTAINER, GCTRACE_C_OWN, 0, 0, "#own");
}

static void tell_roots(struct heap_builder *builder)
{
	dump__container(builder, GCTRACE_C_RT_THREAD, 7, 0);
	dump__container(builder, GCTRACE_C_RT_JIT, 70, 0);
	dump__root(builder, GCTRACE_C_RT_JIT, 70, AT_BUFFER, GCTRACE_ROOT_LOCAL, 0, 0);
	dump__container(builder, GCTRACE_C_STATIC, CACHE, 0);
	dump__root(builder, GCTRACE_C_STATIC, CACHE, AT_CACHE, GCTRACE_ROOT_STATIC, 0, 0);
	dump__root(builder, GCTRACE_C_STATIC, CACHE, AT_TEXT, GCTRACE_ROOT_STATIC, 1, 0);
	dump__root(builder, GCTRACE_C_OWN, 0, AT_OWN, GCTRACE_ROOT_INTERNAL, 0, 0);
	dump__root(builder, GCTRACE_C_WEAK, 0, AT_LOST, GCTRACE_ROOT_HANDLE_WEAK, 0,
		   GCTRACE_REF_WEAK);
}

static struct heap *small_heap(void)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	tell_names(builder);
	tell_roots(builder);
	dump__refer(builder, AT_CACHE, CACHE, 16, { AT_ENTRIES, AT_CACHE });
	dump__refer(builder, AT_ENTRIES, ENTRIES, 48, { AT_ENTRY, AT_ENTRY, 0, AT_ENTRY });
	dump__refer(builder, AT_ENTRY, ENTRY, 24, { AT_TEXT });
	dump__leaf(builder, AT_TEXT, TEXT, 100);
	dump__leaf(builder, AT_BUFFER, BUFFER, 2000);
	dump__leaf(builder, AT_OWN, OWN, 4);
	dump__refer(builder, AT_LOST, LOST, 8, { AT_LOST, 0x900000 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* What is written of it; the caller frees it. */
static char *exported(const struct exporter *exporter, struct heap *heap,
		      const struct export_options *options, size_t *len)
{
	const struct heap_heading heading = {
		.facts = heap__facts(heap), .pid = 4711, .name = { "ap\np", 4 },
		.file = "f@1", .subject = "f@1", .clock_offset_ns = 1000,
	};
	char *text;
	FILE *out = open_memstream(&text, len);

	assert_int_equal(exporter->write(heap, &heading, options, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* ---------------------------------------------------------------- text */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void test_folded(void **state)
{
	/* The text belongs to two statics of one class. */
	static const char *const expected[] = {
		"(reached by no root);class 15 8",
		"\\x23own;internal;class 16 4",
		"statics;static Cache.instance;Cache 16",
		"statics;static Cache.instance;Cache;Entry[] 48",
		"statics;static Cache.instance;Cache;Entry[];#En\\x3btry \"<&amp\\x3b>\\\\ 24",
		"statics;statics of Cache;Te\\n\\x1b[31mxt\\xff 100",
		"thread stacks;thread ma\\x3bin;frame Main.run;Buffer 2000",
	};
	struct heap *heap = small_heap();
	size_t len, count = 0;
	char *text = exported(&export_folded, heap, NULL, &len), *lines[16], *save;

	(void)state;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		lines[count++] = line;
	qsort(lines, count, sizeof(*lines), by_text);
	assert_int_equal(count, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(lines[i], expected[i]);
	free(text);
	heap__free(heap);
}

static void test_dot(void **state)
{
	struct heap *heap = small_heap();
	const struct export_options options = { .id_place = place_of(heap, AT_ENTRIES), .depth = 1,
						.most = 20 };
	size_t len;
	char *text = exported(&export_dot, heap, &options, &len);

	(void)state;
	assert_string_equal(
		text,
		"digraph heap {\n"
		"\tgraph [rankdir=LR, labelloc=t, label=\"gctrace, f@1\"];\n"
		"\tnode [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
		"\tedge [fontname=\"sans-serif\", fontsize=9];\n"
		"\t\"0x1100\" [label=\"Entry[]\\n0x1100\\n48 B, keeps 72 B\", style=filled,"
		" penwidth=2];\n"
		"\t\"0x2000\" [label=\"#En;try \\\"<&amp;amp;>\\\\\\\\\\n0x2000\\n24 B, keeps"
		" 24 B\\n→ 1 more\"];\n"
		"\t\"0x1000\" [label=\"Cache\\n0x1000\\n16 B, keeps 88 B\\n← 1 more\"];\n"
		"\t\"0x1100\" -> \"0x2000\" [label=\"[0], [1], [3]\"];\n"
		"\t\"0x1000\" -> \"0x1100\" [label=\".map\"];\n"
		"\t\"0x1000\" -> \"0x1000\" [label=\".next one\"];\n"
		"}\n");
	free(text);
	heap__free(heap);
}

/* graphviz reads no string of more than 16 KiB. */
static void test_dot_long_name(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct export_options options = { .depth = 1 };
	size_t len, longest = 0, euros = 0;
	char *name = calloc(1, 60001), *text, *save;
	struct heap *heap;

	(void)state;
	for (size_t i = 0; i < 60000; i += 3)
		memcpy(name + i, "€", 3);
	dump__begin(builder);
	dump__class(builder, TEXT, name, "", 0, 0);
	dump__leaf(builder, AT_TEXT, TEXT, 100);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	options.id_place = place_of(heap, AT_TEXT);
	text = exported(&export_dot, heap, &options, &len);
	for (char *at = strstr(text, "€"); at; at = strstr(at + 3, "€"))
		euros++;
	assert_int_equal(euros, 20000);
	for (char *at = strtok_r(text, "\"", &save); at; at = strtok_r(NULL, "\"", &save))
		longest = strlen(at) > longest ? strlen(at) : longest;
	assert_in_range(longest, 8000, 16000);
	free(text);
	free(name);
	heap__free(heap);
}

/* ---------------------------------------------------------------- protocol buffers */

struct pb_field {
	uint32_t number;
	uint64_t value;	      /* or how long it is: */
	struct cursor inside; /* of a message, a string, packed numbers; at NULL: a number */
};

static bool pb_next(struct cursor *message, struct pb_field *field)
{
	uint64_t key;

	if (!cursor__left(message))
		return false;
	key = varint__read(message);
	*field = (struct pb_field){ .number = (uint32_t)(key >> 3),
				    .value = varint__read(message) };
	assert_false(message->bad);
	if ((key & 7) == 0)
		return true;
	assert_int_equal(key & 7, 2);
	assert_in_range(field->value, 0, cursor__left(message));
	field->inside = (struct cursor){ message->at, message->at + field->value, false };
	message->at += field->value;
	return true;
}

/* The first field of this number; a value of 0 and nothing inside: there is none. */
static struct pb_field pb_get(struct cursor message, uint32_t number)
{
	struct pb_field field;

	while (pb_next(&message, &field))
		if (field.number == number)
			return field;
	return (struct pb_field){ .number = number };
}

static void expect_text(struct cursor text, const char *expected)
{
	assert_int_equal(cursor__left(&text), strlen(expected));
	assert_memory_equal(text.at, expected, strlen(expected));
}

/* ---------------------------------------------------------------- Perfetto */

/* What came of the heap graph of a trace, checked against the heap as it comes. */
struct seen {
	struct heap *heap;
	uint64_t packets, objects, references, roots, last;
	bool ended;
	struct cursor types[16];
	uint64_t super[16], kinds[16];
	struct cursor fields[16];
	uint64_t map_field; /* of the cache's reference to the entries */
};

static void see_references(struct seen *seen, uint32_t place, struct cursor object)
{
	struct heap_references references = heap__references(seen->heap, place);
	struct cursor to = pb_get(object, 5).inside, fields = pb_get(object, 4).inside;
	const uint64_t base = pb_get(object, 6).value;
	struct heap_reference next;

	while (heap_references__next(&references, &next)) {
		uint64_t field = 0;

		if (next.to == HEAP_NOWHERE)
			continue;
		assert_int_equal(base + varint__read(&to),
				 heap__object(seen->heap, next.to).address);
		if (fields.at)
			field = varint__read(&fields);
		if (heap__object(seen->heap, next.to).address == AT_ENTRIES)
			seen->map_field = field;
		seen->references++;
	}
	assert_false(to.bad || fields.bad);
	assert_int_equal(cursor__left(&to) + cursor__left(&fields), 0);
}

static void see_object(struct seen *seen, struct cursor object)
{
	const uint64_t id = pb_get(object, 1).value;
	uint32_t place;

	seen->last = id ? id : seen->last + pb_get(object, 7).value;
	place = place_of(seen->heap, seen->last);
	assert_int_equal(pb_get(object, 2).value, heap__object(seen->heap, place).type + 1);
	assert_int_equal(pb_get(object, 3).value, heap__object(seen->heap, place).size);
	see_references(seen, place, object);
	seen->objects++;
}

static void see_root(struct seen *seen, struct cursor root)
{
	struct cursor objects = pb_get(root, 1).inside;
	const uint64_t type = pb_get(root, 2).value;

	for (; cursor__left(&objects); seen->roots++)
		switch (varint__read(&objects)) {
		case AT_BUFFER:
			assert_int_equal(type, 3); /* a frame */
			break;
		case AT_OWN:
			assert_int_equal(type, 0);
			break;
		default:
			assert_int_equal(type, 5); /* a static */
		}
}

static void see_graph(struct seen *seen, struct cursor graph)
{
	struct pb_field field;

	assert_false(seen->ended);
	assert_int_equal(pb_get(graph, 1).value, 4711);
	assert_int_equal(pb_get(graph, 6).value, seen->packets++);
	seen->ended = !pb_get(graph, 5).value;
	while (pb_next(&graph, &field)) {
		const uint64_t id = field.inside.at ? pb_get(field.inside, 1).value : 0;

		if (field.number == 2)
			see_object(seen, field.inside);
		else if (field.number == 7)
			see_root(seen, field.inside);
		else if (field.number == 9 && id < 16)
			seen->types[id] = pb_get(field.inside, 3).inside,
			seen->kinds[id] = pb_get(field.inside, 7).value;
		else if (field.number == 4 && id < 16)
			seen->fields[id] = pb_get(field.inside, 2).inside;
	}
}

static char *read_trace(struct seen *seen, struct heap *heap)
{
	size_t len;
	char *text = exported(&export_perfetto, heap, NULL, &len);
	struct cursor trace = { (uint8_t *)text, (uint8_t *)text + len, false };
	struct pb_field packet;

	*seen = (struct seen){ .heap = heap };
	while (pb_next(&trace, &packet)) {
		const struct cursor graph = pb_get(packet.inside, 56).inside;

		assert_int_equal(packet.number, 1);
		if (!graph.at)
			continue;
		assert_int_not_equal(pb_get(packet.inside, 10).value, 0);
		see_graph(seen, graph);
	}
	assert_true(seen->ended);
	return text;
}

static void test_perfetto(void **state)
{
	struct heap *heap = small_heap();
	const uint32_t entry = heap__object(heap, place_of(heap, AT_ENTRY)).type;
	const uint32_t entries = heap__object(heap, place_of(heap, AT_ENTRIES)).type;
	const uint32_t text_type = heap__object(heap, place_of(heap, AT_TEXT)).type;
	struct seen seen;
	char *text = read_trace(&seen, heap);

	(void)state;
	assert_int_equal(seen.objects, 7);
	assert_int_equal(seen.references, 7); /* nulls and what was never told are not there */
	assert_int_equal(seen.roots, 4);      /* nor are weak ones */
	expect_text(seen.types[entry + 1], "#En;try \"<&amp;>\\\\");
	expect_text(seen.types[text_type + 1], "Te\\n\\x1b[31mxt\\xff");
	assert_int_equal(seen.kinds[entry + 1], 1);
	assert_int_equal(seen.kinds[entries + 1], 4);
	assert_int_equal(seen.kinds[text_type + 1], 2);
	expect_text(seen.fields[seen.map_field], "Cache.map");
	/* Before a blank stands a type, here none. */
	expect_text(seen.fields[seen.map_field + 1], " Cache.next one");
	free(text);
	heap__free(heap);
}

/* More than a packet. Addresses that grow and shrink. */
static void test_perfetto_packets(void **state)
{
	enum { COUNT = 60000 };
	struct heap_builder *builder = heap_builder__new(0);
	struct seen seen;
	struct heap *heap;
	char *text;

	(void)state;
	dump__begin(builder);
	dump__container(builder, GCTRACE_C_STATIC, CACHE, 0);
	dump__root(builder, GCTRACE_C_STATIC, CACHE, 0x10000, GCTRACE_ROOT_STATIC, 0, 0);
	for (uint64_t i = 0; i < COUNT; i++)
		dump__refer(builder, 0x10000 + (i % 3 ? i : COUNT - i) * 64 + i % 3 * 8, LOST, 8,
			    { 0x10000, 0, 0x10000 + (i | 1) % 3 * 64 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	text = read_trace(&seen, heap);
	assert_in_range(seen.packets, 2, 10);
	assert_int_equal(seen.objects, heap__facts(heap)->objects);
	free(text);
	heap__free(heap);
}

/* ---------------------------------------------------------------- pprof */

static unsigned char *unpacked(const char *bytes, size_t len, size_t *got)
{
	const size_t most = 1 << 20;
	unsigned char *to = malloc(most);
	z_stream stream = { .next_in = (unsigned char *)bytes, .avail_in = (unsigned int)len };

	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	stream.next_out = to;
	stream.avail_out = (unsigned int)most;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	*got = stream.total_out;
	inflateEnd(&stream);
	return to;
}

/* Objects and bytes of all samples; every location has its function, every string is plain. */
static void see_profile(struct cursor profile, uint64_t *objects, uint64_t *bytes)
{
	bool is_location[64] = { false }, is_function[64] = { false };
	struct pb_field field;

	*objects = *bytes = 0;
	for (struct cursor at = profile; pb_next(&at, &field);) {
		struct cursor values;

		if (field.number == 4)
			is_location[pb_get(field.inside, 1).value & 63] = true;
		else if (field.number == 5)
			is_function[pb_get(field.inside, 1).value & 63] = true;
		else if (field.number == 6)
			for (const uint8_t *c = field.inside.at; c < field.inside.end; c++)
				assert_true(*c >= ' ' && *c != 0x7f && *c != 0xff);
		if (field.number != 2)
			continue;
		values = pb_get(field.inside, 2).inside;
		*objects += varint__read(&values);
		*bytes += varint__read(&values);
	}
	for (struct cursor at = profile; pb_next(&at, &field);) {
		struct cursor stack = { NULL, NULL, false };

		if (field.number == 2)
			stack = pb_get(field.inside, 1).inside;
		while (cursor__left(&stack))
			assert_true(is_location[varint__read(&stack) & 63]);
	}
	assert_memory_equal(is_location, is_function, sizeof(is_location));
}

static void test_pprof(void **state)
{
	struct heap *heap = small_heap();
	size_t len, got;
	char *text = exported(&export_pprof, heap, NULL, &len);
	unsigned char *bytes = unpacked(text, len, &got);
	const struct cursor profile = { bytes, bytes + got, false };
	uint64_t objects, sum;

	(void)state;
	expect_text(pb_get(profile, 6).inside, ""); /* the first string */
	see_profile(profile, &objects, &sum);
	assert_int_equal(objects, heap__facts(heap)->objects);
	assert_int_equal(sum, heap__facts(heap)->bytes);
	free(bytes);
	free(text);
	heap__free(heap);
}

/* ---------------------------------------------------------------- all of them */

/* A disk that is full is no success. */
static void test_full_disk(void **state)
{
	const struct exporter *const all[] = { &export_dot, &export_folded, &export_perfetto,
					       &export_pprof };
	struct heap *heap = small_heap();
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = "-p 1" };
	const struct export_options options = { .id_place = place_of(heap, AT_CACHE), .depth = 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		setvbuf(out, NULL, _IONBF, 0);
		assert_true(all[i]->write(heap, &heading, &options, out) < 0);
		fclose(out);
	}
	heap__free(heap);
}

/* A heap without anything is a file without anything, not an error. */
static void test_empty(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap *heap;
	size_t len;
	char *text;

	(void)state;
	dump__begin(builder);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	text = exported(&export_folded, heap, NULL, &len);
	assert_int_equal(len, 0);
	free(text);
	free(exported(&export_perfetto, heap, NULL, &len));
	free(exported(&export_pprof, heap, NULL, &len));
	heap__free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_dot),
		cmocka_unit_test(test_dot_long_name),
		cmocka_unit_test(test_perfetto),
		cmocka_unit_test(test_perfetto_packets),
		cmocka_unit_test(test_pprof),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
