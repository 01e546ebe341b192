/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large graphs, of many blocks, against a second algorithm: plain Semi-NCA (tests/bench). Which
 * objects are reached, their dominators, and what they retain are the same in all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/graphs.c"
#include "bench/yardstick.c"
#include "dump.h"
#include "gctrace/wire.h"

#ifdef __SANITIZE_ADDRESS__
#define OBJECTS 150000u
#else
#define OBJECTS 1000000u
#endif

static void tell_roots(struct heap_builder *builder, const struct graph *graph)
{
	for (uint64_t n = 0; n < graph__roots(graph); n++)
		dump__root(builder, GCTRACE_C_HANDLES, 0,
			   graph__address(graph, graph__root(graph, n)), GCTRACE_ROOT_HANDLE, n, 0);
}

/* Object 0 of that shape refers to all others. */
static void tell_array(struct heap_builder *builder, const struct graph *graph)
{
	uint64_t *to = calloc(graph->objects, sizeof(*to));

	assert_non_null(to);
	for (uint64_t i = 1; i < graph->objects; i++)
		to[i - 1] = graph__address(graph, i);
	dump__object(builder, &(struct told){ .id = graph__address(graph, 0), .class_ = 1,
					      .size = graph__size(graph, 0), .to = to,
					      .count = graph->objects - 1 });
	free(to);
}

static struct heap *build(const struct graph *graph)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t to[GRAPH_DEGREE_MOST];

	assert_non_null(builder);
	dump__begin(builder);
	tell_roots(builder, graph);
	if (graph->shape == GRAPH_ARRAY)
		tell_array(builder, graph);
	for (uint64_t i = graph->shape == GRAPH_ARRAY; i < graph->objects; i++) {
		const uint32_t count = graph__references(graph, i, to);

		for (uint32_t r = 0; r < count; r++)
			to[r] = graph__address(graph, to[r]);
		dump__object(builder, &(struct told){ .id = graph__address(graph, i), .class_ = 1,
						      .size = graph__size(graph, i), .to = to,
						      .count = count });
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static void fill(struct yardstick *yardstick, const struct graph *graph)
{
	uint64_t to[GRAPH_DEGREE_MOST], edges = graph__roots(graph), e = 0;

	for (uint64_t i = 0; i < graph->objects; i++)
		edges += graph__references(graph, i, to);
	edges += graph->shape == GRAPH_ARRAY ? graph->objects : 0;
	yardstick__init(yardstick, (uint32_t)graph->objects + 1, edges);
	yardstick->root = (uint32_t)graph->objects;
	for (uint64_t i = 0; i < graph->objects; i++) {
		const uint32_t count = graph__references(graph, i, to);

		for (uint32_t r = 0; r < count; r++)
			yardstick->successor[e++] = (uint32_t)to[r];
		if (graph->shape == GRAPH_ARRAY && i == 0)
			for (uint64_t o = 1; o < graph->objects; o++)
				yardstick->successor[e++] = (uint32_t)o;
		yardstick->first[i + 1] = e;
		yardstick->size[i] = graph__size(graph, i);
	}
	for (uint64_t n = 0; n < graph__roots(graph); n++)
		yardstick->successor[e++] = (uint32_t)graph__root(graph, n);
	yardstick->first[graph->objects + 1] = yardstick->edges = e;
}

static void is_the_same(enum graph_shape shape)
{
	const struct graph graph = { shape, OBJECTS };
	struct yardstick yardstick;
	struct heap *heap = build(&graph);

	fill(&yardstick, &graph);
	yardstick__run(&yardstick);
	assert_int_equal(heap__facts(heap)->reached_objects, yardstick.reached - 1);
	for (uint64_t i = 0; i < graph.objects; i++) {
		const uint32_t place = place_of(heap, graph__address(&graph, i));
		const uint32_t by = heap__dominator(heap, place), idom = yardstick.idom[i];

		if (idom == UINT32_MAX) {
			assert_int_equal(by, HEAP_NONE);
			continue;
		}
		assert_int_equal(heap__retained(heap, place), yardstick.retained[i]);
		if (idom == yardstick.root)
			assert_true(heap__is_node(heap, by));
		else
			assert_int_equal(by, place_of(heap, graph__address(&graph, idom)));
	}
	yardstick__free(&yardstick);
	heap__free(heap);
}

#define SHAPE(name, shape)               \
	static void name(void **state)   \
	{                                \
		(void)state;             \
		is_the_same(GRAPH_##shape); \
	}

SHAPE(heap_like_ones, HEAP_LIKE)
SHAPE(tangled_ones, TANGLED)
SHAPE(random_ones, RANDOM)
SHAPE(lists, LIST)
SHAPE(shuffled_lists, LIST_SHUFFLED)
SHAPE(arrays, ARRAY)
SHAPE(trees, TREE)
SHAPE(doubly_linked_lists, DOUBLY)
SHAPE(ladders, LADDER)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_like_ones), cmocka_unit_test(tangled_ones),
		cmocka_unit_test(random_ones),	  cmocka_unit_test(lists),
		cmocka_unit_test(shuffled_lists), cmocka_unit_test(arrays),
		cmocka_unit_test(trees),	  cmocka_unit_test(doubly_linked_lists),
		cmocka_unit_test(ladders),
	};

	return cmocka_run_group_tests_name("model/heap_yardstick", tests, NULL, NULL);
}
