/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies around an object of random heaps, against its definition: everything so many steps
 * along the arrows, or against them; and with a limit, those that keep the most, and the rest
 * counted.
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
#include "model/neighbourhood.h"
#include "unit/random.h"

enum { OBJECTS_MOST = 40, REFERENCES_MOST = 4, NODES_MOST = 200 };

static uint64_t seed = 88172645463325252;

static uint64_t random_below(uint64_t n)
{
	return random__below(&seed, n);
}

static uint64_t address_of(uint64_t object)
{
	return 0x10000 + 16 * object;
}

/* One reference in ten leads to nobody. */
static struct heap *random_heap(uint64_t *objects)
{
	struct heap_builder *builder = heap_builder__new(0);

	*objects = 1 + random_below(OBJECTS_MOST);
	dump__begin(builder);
	for (uint64_t i = 0; i < random_below(4); i++)
		dump__root(builder, GCTRACE_C_HANDLES, 0, address_of(random_below(*objects)),
			   GCTRACE_ROOT_HANDLE, i, 0);
	for (uint64_t i = 0; i < *objects; i++) {
		uint64_t to[REFERENCES_MOST];
		const size_t count = (size_t)random_below(REFERENCES_MOST + 1);

		for (size_t r = 0; r < count; r++)
			to[r] = random_below(10) ? address_of(random_below(*objects)) : 0x900000;
		dump__object(builder, &(struct told){ .id = address_of(i), .class_ = 10,
						      .size = 8 + random_below(50), .to = to,
						      .count = count });
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* ---------------------------------------------------------------- the definition */

struct graph {
	uint32_t place[NODES_MOST];
	uint32_t count;
	bool reached[NODES_MOST];
	uint32_t arrows[NODES_MOST][NODES_MOST]; /* from, to: how many */
	uint32_t nowhere[NODES_MOST];
};

static uint32_t index_of(const struct graph *graph, uint32_t place)
{
	uint32_t i = 0;

	while (i < graph->count && graph->place[i] != place)
		i++;
	assert_in_range(i, 0, graph->count - 1);
	return i;
}

static void read_graph(struct graph *graph, const struct heap *heap)
{
	memset(graph, 0, sizeof(*graph));
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		assert_in_range(graph->count, 0, NODES_MOST - 1);
		graph->reached[graph->count] = heap__retained(heap, p) != U;
		graph->place[graph->count++] = p;
	}
	for (uint32_t i = 0; i < graph->count; i++) {
		struct heap_references references = heap__references(heap, graph->place[i]);
		struct heap_reference next;

		while (heap_references__next(&references, &next))
			if (next.to == HEAP_NOWHERE)
				graph->nowhere[i]++;
			else
				graph->arrows[i][index_of(graph, next.to)]++;
	}
}

/* Marks what lies so many steps away. Nodes of the roots are not gone on from. */
static void mark(const struct graph *graph, const struct heap *heap, uint32_t at, uint64_t depth,
		 bool forward, bool *marks)
{
	bool now[NODES_MOST] = { false }, next[NODES_MOST];

	now[at] = marks[at] = true;
	for (uint64_t d = 0; d < depth; d++) {
		memset(next, 0, sizeof(next));
		for (uint32_t i = 0; i < graph->count; i++)
			for (uint32_t j = 0; j < graph->count && now[i]; j++)
				next[j] |= !heap__is_node(heap, graph->place[i]) &&
					   (forward ? graph->arrows[i][j] :
						      graph->arrows[j][i] && graph->reached[j] &&
							      graph->reached[i]);
		memcpy(now, next, sizeof(now));
		for (uint32_t j = 0; j < graph->count; j++)
			marks[j] |= now[j];
	}
}

static void check_rest(const struct graph *graph, const struct neighbourhood *around)
{
	for (uint32_t n = 0; n < around->of.count; n++) {
		const struct neighbour *one = &around->of.items[n];
		const uint32_t at = index_of(graph, one->place);
		uint64_t to = graph->nowhere[at], from = 0;

		assert_int_equal(neighbourhood__index(around, one->place), n);
		for (uint32_t j = 0; j < graph->count; j++) {
			if (neighbourhood__index(around, graph->place[j]) != NEIGHBOUR_NONE)
				continue;
			to += graph->arrows[at][j];
			from += graph->reached[j] && graph->reached[at] ? graph->arrows[j][at] : 0;
		}
		assert_int_equal(one->more_references, to);
		assert_int_equal(one->more_referrers, from);
	}
}

static void check_all(const struct graph *graph, struct heap *heap, uint32_t at, uint64_t depth)
{
	struct neighbourhood around = { .referrers = NULL };
	bool forward[NODES_MOST] = { false }, backward[NODES_MOST] = { false };

	assert_int_equal(neighbourhood__find(&around, heap, graph->place[at], depth, 0), 0);
	mark(graph, heap, at, depth, true, forward);
	mark(graph, heap, at, depth, false, backward);
	assert_int_equal(around.of.items[0].place, graph->place[at]);
	for (uint32_t i = 0; i < graph->count; i++) {
		const uint32_t index = neighbourhood__index(&around, graph->place[i]);

		assert_int_equal(index != NEIGHBOUR_NONE, forward[i] || backward[i]);
		if (index == NEIGHBOUR_NONE)
			continue;
		assert_int_equal(around.of.items[index].ways,
				 (forward[i] ? NEIGHBOUR_REFERRED : 0) |
					 (backward[i] ? NEIGHBOUR_REFERS : 0));
	}
	check_rest(graph, &around);
	neighbourhood__free(&around);
}

static uint64_t keeps(const struct heap *heap, uint32_t place)
{
	return heap__retained(heap, place) == U ? heap__object(heap, place).size :
						  heap__retained(heap, place);
}

/* One step, few of many: none that is left out keeps more than one that is taken. */
static void check_few(const struct graph *graph, struct heap *heap, uint32_t at, uint64_t most)
{
	struct neighbourhood around = { .referrers = NULL };
	uint64_t least = UINT64_MAX, taken = 0, there = 0;

	assert_int_equal(neighbourhood__find(&around, heap, graph->place[at], 1, most), 0);
	for (uint32_t n = 1; n < around.of.count; n++) {
		if (!(around.of.items[n].ways & NEIGHBOUR_REFERRED))
			continue;
		taken++;
		if (keeps(heap, around.of.items[n].place) < least)
			least = keeps(heap, around.of.items[n].place);
	}
	for (uint32_t j = 0; j < graph->count; j++) {
		there += j != at && graph->arrows[at][j];
		if (j != at && graph->arrows[at][j] && taken &&
		    neighbourhood__index(&around, graph->place[j]) == NEIGHBOUR_NONE)
			assert_true(keeps(heap, graph->place[j]) <= least);
	}
	assert_in_range(taken, there < most ? there : most - 1, most);
	check_rest(graph, &around);
	neighbourhood__free(&around);
}

static void test_random(void **state)
{
	static struct graph graph;
	uint64_t objects;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct heap *heap = random_heap(&objects);
		uint32_t at;

		read_graph(&graph, heap);
		at = index_of(&graph, place_of(heap, address_of(random_below(objects))));
		check_all(&graph, heap, at, random_below(5));
		check_few(&graph, heap, at, 1 + random_below(3));
		heap__free(heap);
	}
}

enum { COUNT = 20000 };

/* An array of many, each twice. */
static struct heap *array_heap(void)
{
	static uint64_t to[2 * COUNT];
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x1000, GCTRACE_ROOT_HANDLE, 0, 0);
	for (size_t i = 0; i < 2 * COUNT; i++)
		to[i] = address_of(i % COUNT);
	dump__object(builder, &(struct told){ .id = 0x1000, .class_ = 11, .size = 16, .to = to,
					      .count = 2 * COUNT });
	for (uint64_t i = 0; i < COUNT; i++)
		dump__leaf(builder, address_of(i), 10, 8 + i * 7919 % COUNT);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* The biggest are found among them, in little memory, each once. */
static void test_array(void **state)
{
	struct neighbourhood around = { .referrers = NULL };
	struct heap *heap = array_heap();

	(void)state;
	assert_int_equal(neighbourhood__find(&around, heap, place_of(heap, 0x1000), 3, 5), 0);
	assert_true(around.memory.highest < COUNT);
	assert_int_equal(around.of.count, 1 + 5 + 1); /* a root, too */
	for (uint32_t n = 1; n <= 5; n++)
		assert_int_equal(heap__object(heap, around.of.items[n].place).size,
				 8 + COUNT - n);
	assert_int_equal(around.of.items[0].more_references, 2 * (COUNT - 5));
	assert_int_equal(around.of.items[1].more_referrers, 0);
	neighbourhood__free(&around);
	heap__free(heap);
}

/* What it takes at its peak is enough, and a byte less is not. */
static void test_limit(void **state)
{
	struct heap *heap = array_heap();
	const uint32_t middle = place_of(heap, 0x1000);
	struct neighbourhood around = { .referrers = NULL };
	uint64_t needed;

	(void)state;
	assert_int_equal(neighbourhood__find(&around, heap, middle, 1, 0), 0);
	assert_true(around.memory.highest > COUNT * sizeof(*around.of.items));
	needed = heap__memory(heap) + around.memory.highest;
	for (uint64_t less = 0; less < 2; less++) {
		neighbourhood__free(&around);
		assert_int_equal(around.memory.used, 0);
		around = (struct neighbourhood){ .referrers = NULL };
		dump__leave(heap, needed - less - heap__memory(heap));
		assert_int_equal(neighbourhood__find(&around, heap, middle, 1, 0),
				 less ? -EDQUOT : 0);
	}
	neighbourhood__free(&around);
	heap__free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
