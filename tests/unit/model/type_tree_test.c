/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type tree of random heaps against its definition, object by object: the way up the
 * dominator tree, with types that follow themselves once, is the path to where the object stands.
 * And by sums: of types they are those of the histogram.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/heap_histogram.h"
#include "model/type_tree.h"
#include "unit/random.h"

enum { TYPES = 4, FIRST_CLASS = 100, OBJECTS_MOST = 60, REFERENCES_MOST = 3 };

static uint64_t seed = 88172645463325252;

static uint64_t random_below(uint64_t n)
{
	return random__below(&seed, n);
}

static uint64_t address_of(uint64_t object)
{
	return 0x10000 + 16 * object;
}

/* Mostly trees, so that paths are long. */
static struct heap *random_heap(void)
{
	struct heap_builder *builder = heap_builder__new(0);
	const uint64_t objects = 1 + random_below(OBJECTS_MOST);

	dump__begin(builder);
	for (uint64_t i = 0; i < random_below(4); i++)
		dump__root(builder, random_below(2) ? GCTRACE_C_HANDLES : GCTRACE_C_STATIC,
			   random_below(3), address_of(random_below(objects)),
			   GCTRACE_ROOT_STATIC, random_below(2), 0);
	for (uint64_t i = 0; i < objects; i++) {
		uint64_t to[REFERENCES_MOST];
		const size_t count = (size_t)random_below(REFERENCES_MOST + 1);

		for (size_t r = 0; r < count; r++)
			to[r] = random_below(5) ? address_of((i + 1 + random_below(4)) % objects) :
						  address_of(random_below(objects));
		dump__object(builder, &(struct told){ .id = address_of(i),
						      .class_ = FIRST_CLASS + random_below(TYPES),
						      .size = 8 + random_below(50),
						      .to = to, .count = count });
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* ---------------------------------------------------------------- object by object */

static const struct type_tree_node *at(const struct type_tree *tree, uint32_t index)
{
	assert_in_range(index, 0, tree->nodes.count - 1);
	return &tree->nodes.items[index];
}

/* The node of `id` below another one, looked for without any table. */
static uint32_t below(const struct type_tree *tree, uint32_t parent, enum type_tree_kind kind,
		      uint64_t id)
{
	uint32_t found = TYPE_TREE_NONE;

	for (uint32_t i = 0; i < tree->nodes.count; i++) {
		const struct type_tree_node *node = at(tree, i);

		if (node->parent != parent || node->kind != kind ||
		    (kind == TYPE_TREE_TYPE && node->id != id))
			continue;
		assert_int_equal(found, TYPE_TREE_NONE);
		found = i;
	}
	assert_int_not_equal(found, TYPE_TREE_NONE);
	return found;
}

/* The way down to an object, itself last. */
static size_t way_to(const struct heap *heap, uint32_t place, uint32_t *way)
{
	size_t count = 0;

	for (uint32_t p = place; p != HEAP_NONE && !heap__is_node(heap, p);
	     p = heap__dominator(heap, p))
		way[count++] = p;
	for (size_t i = 0; i < count / 2; i++) {
		const uint32_t swapped = way[i];

		way[i] = way[count - 1 - i];
		way[count - 1 - i] = swapped;
	}
	return count;
}

/* Where roots are concerned, it is enough here that the node of the highest one is found. */
static uint32_t node_of(const struct heap *heap, const struct type_tree *tree, uint32_t place)
{
	uint32_t way[OBJECTS_MOST], index = TYPE_TREE_NONE;
	const size_t count = way_to(heap, place, way);
	const uint32_t root = heap__dominator(heap, way[0]);

	if (!heap__object(heap, place).reached)
		index = below(tree, TYPE_TREE_NONE, TYPE_TREE_UNREACHED, 0);
	else if (heap__root(heap, root).level == HEAP_ROOT_ALL)
		index = below(tree, TYPE_TREE_NONE, TYPE_TREE_SEVERAL, 0);
	for (size_t i = 0; i < count; i++) {
		const uint32_t type = heap__object(heap, way[i]).type;

		if (i && heap__object(heap, way[i - 1]).type == type)
			continue;
		if (index == TYPE_TREE_NONE)
			return TYPE_TREE_NONE;
		index = below(tree, index, TYPE_TREE_TYPE, type);
	}
	return index;
}

static void check_objects(const struct heap *heap, const struct type_tree *tree)
{
	uint64_t *bytes = calloc(tree->nodes.count + 1, sizeof(*bytes));
	bool *whole = calloc(tree->nodes.count + 1, sizeof(*whole));

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		uint32_t node;

		if (heap__is_node(heap, p))
			continue;
		node = node_of(heap, tree, p);
		if (node == TYPE_TREE_NONE)
			continue;
		bytes[node] += heap__object(heap, p).size;
		whole[node] = true;
	}
	for (uint32_t i = 0; i < tree->nodes.count; i++)
		if (whole[i])
			assert_int_equal(at(tree, i)->bytes, bytes[i]);
	free(bytes);
	free(whole);
}

/* ---------------------------------------------------------------- sums */

static bool is_below(const struct type_tree *tree, uint32_t index, enum type_tree_kind kind,
		     uint64_t id)
{
	for (; index != TYPE_TREE_NONE; index = at(tree, index)->parent)
		if (at(tree, index)->kind == kind && (kind != TYPE_TREE_TYPE ||
						      at(tree, index)->id == id))
			return true;
	return false;
}

/* What pprof will make of it: flat, and cum of what is reached. */
static void check_sums(const struct heap *heap, const struct type_tree *tree)
{
	const struct heap_facts *facts = heap__facts(heap);
	struct heap_type_sums *sums;
	uint64_t objects = 0, bytes = 0;

	assert_int_equal(heap__histogram(heap, &sums), 0);
	for (uint32_t type = 0; type < heap__types(heap)->count; type++) {
		uint64_t flat = 0, cum = 0;

		for (uint32_t i = 0; i < tree->nodes.count; i++) {
			const struct type_tree_node *node = at(tree, i);

			if (node->kind == TYPE_TREE_TYPE && node->id == type)
				flat += node->bytes;
			if (is_below(tree, i, TYPE_TREE_TYPE, type) &&
			    !is_below(tree, i, TYPE_TREE_UNREACHED, 0))
				cum += node->bytes;
		}
		assert_int_equal(flat, sums[type].bytes);
		assert_int_equal(cum, sums[type].retained);
	}
	free(sums);
	for (uint32_t i = 0; i < tree->nodes.count; i++) {
		objects += at(tree, i)->objects;
		bytes += at(tree, i)->bytes;
	}
	assert_int_equal(objects, facts->objects);
	assert_int_equal(bytes, facts->bytes);
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct heap *heap = random_heap();
		struct type_tree tree = { .deeper_bytes = 0 };

		assert_int_equal(type_tree__build(&tree, heap), 0);
		check_objects(heap, &tree);
		check_sums(heap, &tree);
		assert_int_equal(tree.deeper_objects, 0);
		type_tree__free(&tree);
		heap__free(heap);
	}
}

/* ---------------------------------------------------------------- long ways */

/* A list of nodes of so many types in turn, each with a leaf; one root. */
static struct heap *list(uint64_t length, uint64_t types)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__root(builder, GCTRACE_C_HANDLES, 0, address_of(0), GCTRACE_ROOT_HANDLE, 0, 0);
	for (uint64_t i = 0; i < length; i++) {
		dump__refer(builder, address_of(2 * i), FIRST_CLASS + i % types, 16,
			    { address_of(2 * i + 1), i + 1 < length ? address_of(2 * i + 2) : 0 });
		dump__leaf(builder, address_of(2 * i + 1), FIRST_CLASS + types, 8);
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static void test_list(void **state)
{
	struct heap *heap = list(10000, 1);
	struct type_tree tree = { .deeper_bytes = 0 };

	(void)state;
	assert_int_equal(type_tree__build(&tree, heap), 0);
	assert_int_equal(tree.nodes.count, 4); /* handles, handle, node, leaf */
	assert_int_equal(tree.nodes.items[2].objects, 10000);
	assert_int_equal(tree.nodes.items[3].bytes, 80000);
	assert_int_equal(tree.deeper_objects, 0);
	type_tree__free(&tree);
	heap__free(heap);
}

/* What lies too deep stands below one marker by its type, and is told. */
static void test_deep(void **state)
{
	struct heap *heap = list(2000, 2);
	struct type_tree tree = { .deeper_bytes = 0 };
	uint64_t deeper = 0, markers = 0;

	(void)state;
	assert_int_equal(type_tree__build(&tree, heap), 0);
	check_sums(heap, &tree);
	for (uint32_t i = 0; i < tree.nodes.count; i++) {
		const struct type_tree_node *node = at(&tree, i);

		assert_true(node->depth <= TYPE_TREE_DEPTH + 2);
		markers += node->kind == TYPE_TREE_DEEPER;
		if (node->depth == TYPE_TREE_DEPTH + 2) {
			assert_int_equal(at(&tree, node->parent)->kind, TYPE_TREE_DEEPER);
			deeper += node->objects;
		}
	}
	assert_true(markers > 0);
	assert_int_equal(tree.deeper_objects, deeper);
	assert_int_equal(tree.deeper_objects, 2 * (2000 - (TYPE_TREE_DEPTH - 1)) + 1);
	type_tree__free(&tree);
	heap__free(heap);
}

/* However alike the numbers of classes and positions are. */
static void test_statics(void **state)
{
	enum { STATICS = 8 };
	struct heap_builder *builder = heap_builder__new(0);
	struct type_tree tree = { 0 };
	uint64_t roots = 0;
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	for (uint64_t i = 0; i < STATICS * STATICS; i++)
		dump__root(builder, GCTRACE_C_STATIC, i / STATICS, address_of(i),
			   GCTRACE_ROOT_STATIC, i % STATICS, 0);
	for (uint64_t i = 0; i < STATICS * STATICS; i++)
		dump__object(builder, &(struct told){ .id = address_of(i), .class_ = FIRST_CLASS,
						      .size = 16 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	assert_int_equal(type_tree__build(&tree, heap), 0);
	for (uint32_t i = 0; i < tree.nodes.count; i++) {
		const struct type_tree_node *node = at(&tree, i);

		if (node->kind == TYPE_TREE_TYPE)
			assert_int_equal(node->objects, 1);
		roots += node->kind == TYPE_TREE_ROOT;
	}
	assert_in_range(roots, STATICS * STATICS, 2 * STATICS * STATICS);
	type_tree__free(&tree);
	heap__free(heap);
}

static void test_empty(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct type_tree tree = { .deeper_bytes = 0 };
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	assert_int_equal(type_tree__build(&tree, heap), 0);
	assert_int_equal(tree.nodes.count, 0);
	type_tree__free(&tree);
	heap__free(heap);
}

/* What it takes at its peak is enough, and a byte less is not. */
static void test_limit(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		struct heap *heap = random_heap();
		struct type_tree tree = { .deeper_bytes = 0 };
		uint64_t needed;

		assert_int_equal(type_tree__build(&tree, heap), 0);
		needed = tree.memory.highest;
		assert_true(needed > tree.nodes.count * sizeof(*tree.nodes.items));
		for (uint64_t less = 0; less < 2; less++) {
			type_tree__free(&tree);
			assert_int_equal(tree.memory.used, 0);
			tree = (struct type_tree){ .deeper_bytes = 0 };
			dump__leave(heap, needed - less);
			assert_int_equal(type_tree__build(&tree, heap), less ? -EDQUOT : 0);
		}
		type_tree__free(&tree);
		heap__free(heap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_statics),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
