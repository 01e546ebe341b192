/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random small heaps against the definitions, by brute force: what is reached, what dominates
 * what (remove it, and see what is not reached any more), what is retained by objects, by nodes of
 * the roots and by types, which references come back from which places, and which ways lead to an
 * object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/heap_histogram.h"
#include "model/heap_paths.h"
#include "model/heap_referrers.h"
#include "unit/random.h"

#ifndef GRAPHS
#ifdef __SANITIZE_ADDRESS__
#define GRAPHS 15000u
#else
#define GRAPHS 100000u
#endif
#endif
#define OBJECTS_MOST 24u
#define EDGES_MOST 8u
#define ROOTS_MOST 6u
#define TYPES 3u
#define NOBODY OBJECTS_MOST

static uint64_t seed = 88172645463325252;

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)random__below(&seed, n);
}

struct arrow {
	uint32_t to; /* NOBODY: null; above: an object that is not told */
	bool weak;
};

struct graph {
	uint32_t objects, roots;
	struct {
		uint64_t address;
		uint64_t size;
		uint32_t type, edges;
		struct arrow to[EDGES_MOST];
	} of[OBJECTS_MOST];
	struct {
		uint32_t to, container;
		bool weak;
	} root[ROOTS_MOST];
};

#define UNTOLD 0x7f0000000008u

static void make_graph(struct graph *graph)
{
	const uint32_t degree = 1 + random_below(EDGES_MOST);
	uint64_t address = 0x10000 + 8 * random_below(100);

	memset(graph, 0, sizeof(*graph));
	graph->objects = 1 + random_below(OBJECTS_MOST);
	graph->roots = random_below(ROOTS_MOST + 1);
	for (uint32_t i = 0; i < graph->objects; i++) {
		graph->of[i].address = address;
		graph->of[i].size = 8 + random_below(50);
		graph->of[i].type = random_below(TYPES);
		graph->of[i].edges = random_below(degree);
		for (uint32_t e = 0; e < graph->of[i].edges; e++) {
			const uint32_t what = random_below(12);

			graph->of[i].to[e].to = what == 0 ? NOBODY :
						what == 1 ? NOBODY + 1 :
							    random_below(graph->objects);
			graph->of[i].to[e].weak = random_below(10) == 0;
		}
		address += 8 * (1 + random_below(random_below(8) ? 20 : 1 << 20));
	}
	for (uint32_t i = 0; i < graph->roots; i++) {
		graph->root[i].to = random_below(graph->objects);
		graph->root[i].container = random_below(3);
		graph->root[i].weak = random_below(8) == 0;
	}
}

static uint64_t address_of(const struct graph *graph, uint32_t object)
{
	return object == NOBODY ? 0 : object > NOBODY ? UNTOLD : graph->of[object].address;
}

/* ---------------------------------------------------------------------------------------------
 * Telling it: in any order, long objects in parts between others
 */

static void tell_part(struct heap_builder *builder, const struct graph *graph, uint32_t i,
		      uint32_t from, uint32_t to, bool more)
{
	struct reference references[EDGES_MOST];
	struct event event = { .kind = EVENT_OBJECT };

	for (uint32_t e = from; e < to; e++)
		references[e - from] = (struct reference){
			.to = address_of(graph, graph->of[i].to[e].to),
			.place = e,
			.flags = graph->of[i].to[e].weak ? GCTRACE_REF_WEAK : 0,
		};
	event.object.id = graph->of[i].address;
	event.object.class_ = 100 + graph->of[i].type;
	event.object.size = graph->of[i].size;
	event.object.places = GCTRACE_PLACE_POSITION;
	event.object.more = more;
	event.object.references = references;
	event.object.count = to - from;
	assert_int_equal(heap_builder__event(builder, &event), 0);
}

static void tell_objects(struct heap_builder *builder, const struct graph *graph)
{
	uint32_t told[OBJECTS_MOST] = { 0 }, order[OBJECTS_MOST], left = graph->objects;
	const bool in_order = random_below(2);

	for (uint32_t i = 0; i < left; i++)
		order[i] = i;
	while (left) {
		const uint32_t pick = in_order ? 0 : random_below(left), i = order[pick];
		const uint32_t edges = graph->of[i].edges;
		uint32_t to = random_below(3) ? edges : told[i] + random_below(edges - told[i] + 1);
		const bool more = to < edges || random_below(10) == 0;

		tell_part(builder, graph, i, told[i], to, more);
		told[i] = to;
		if (more)
			continue;
		memmove(order + pick, order + pick + 1, (left - pick - 1) * sizeof(*order));
		left--;
	}
}

/* Of each rank that a root may have, by its container (heap_paths.h). */
static const struct {
	uint64_t type, kind;
	uint32_t cost;
} containers[] = {
	{ GCTRACE_C_HANDLES, GCTRACE_ROOT_HANDLE, 0 },
	{ GCTRACE_C_RT_THREAD, GCTRACE_ROOT_LOCAL, HEAP_PATHS_STACK + 1 },
	{ GCTRACE_C_RT_NATIVE, GCTRACE_ROOT_CONSTANT, 1 << 30 },
};

static void tell_roots(struct heap_builder *builder, const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->roots; i++) {
		const uint32_t container = graph->root[i].container;

		dump__root(builder, containers[container].type, container,
			   address_of(graph, graph->root[i].to), containers[container].kind, i,
			   graph->root[i].weak ? GCTRACE_REF_WEAK : 0);
	}
}

static struct heap *build(const struct graph *graph)
{
	struct heap_builder *builder = heap_builder__new(0);
	const bool roots_first = random_below(2);

	assert_non_null(builder);
	dump__begin(builder);
	if (roots_first)
		tell_roots(builder, graph);
	tell_objects(builder, graph);
	if (!roots_first)
		tell_roots(builder, graph);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* ---------------------------------------------------------------------------------------------
 * Truth
 */

struct removed {
	uint32_t object;    /* NOBODY: none */
	uint32_t container; /* of roots; 3: none */
	uint32_t root;	    /* ROOTS_MOST: none */
	uint32_t type;	    /* TYPES: none */
};

static const struct removed nothing = { NOBODY, 3, ROOTS_MOST, TYPES };

static bool is_removed(const struct graph *graph, const struct removed *removed, uint32_t object)
{
	return object == removed->object || graph->of[object].type == removed->type;
}

static void reach(const struct graph *graph, const struct removed *removed, bool *reached)
{
	uint32_t stack[OBJECTS_MOST], top = 0;

	memset(reached, 0, OBJECTS_MOST * sizeof(*reached));
	for (uint32_t i = 0; i < graph->roots; i++) {
		const uint32_t to = graph->root[i].to;

		if (graph->root[i].weak || i == removed->root ||
		    graph->root[i].container == removed->container || reached[to] ||
		    is_removed(graph, removed, to))
			continue;
		reached[to] = true;
		stack[top++] = to;
	}
	while (top) {
		const uint32_t from = stack[--top];

		for (uint32_t e = 0; e < graph->of[from].edges; e++) {
			const struct arrow *edge = &graph->of[from].to[e];

			if (edge->weak || edge->to >= NOBODY || reached[edge->to] ||
			    is_removed(graph, removed, edge->to))
				continue;
			reached[edge->to] = true;
			stack[top++] = edge->to;
		}
	}
}

/* What is reached no more without it. */
static uint64_t lost_bytes(const struct graph *graph, const bool *all,
			   const struct removed *removed, uint64_t *objects)
{
	bool reached[OBJECTS_MOST];
	uint64_t bytes = 0;

	*objects = 0;
	reach(graph, removed, reached);
	for (uint32_t i = 0; i < graph->objects; i++) {
		if (!all[i] || reached[i])
			continue;
		bytes += graph->of[i].size;
		++*objects;
	}
	return bytes;
}

static void check_objects(const struct graph *graph, struct heap *heap, const bool *all,
			  const uint32_t *places)
{
	bool without[OBJECTS_MOST][OBJECTS_MOST];
	struct removed removed = nothing;
	uint64_t objects;

	for (removed.object = 0; removed.object < graph->objects; removed.object++)
		reach(graph, &removed, without[removed.object]);
	for (uint32_t i = 0; i < graph->objects; i++) {
		const struct heap_object object = heap__object(heap, places[i]);
		const uint32_t by = heap__dominator(heap, places[i]);

		assert_int_equal(object.address, graph->of[i].address);
		assert_int_equal(object.size, graph->of[i].size);
		assert_int_equal(object.reached, all[i]);
		removed.object = i;
		if (!all[i]) {
			assert_int_equal(object.retained, U);
			assert_int_equal(by, HEAP_NONE);
			continue;
		}
		assert_int_equal(object.retained, lost_bytes(graph, all, &removed, &objects));
		assert_int_equal(object.dominates, objects);
		for (uint32_t d = 0; d < graph->objects; d++) {
			/* d dominates i: it is the dominator, or dominates that one too. */
			if (!all[d] || d == i || without[d][i] || places[d] == by)
				continue;
			assert_false(heap__is_node(heap, by));
			for (uint32_t x = 0; x < graph->objects; x++)
				if (places[x] == by)
					assert_false(without[d][x]);
		}
		for (uint32_t x = 0; x < graph->objects; x++)
			if (places[x] == by)
				assert_false(without[x][i]);
	}
}

static void check_roots(const struct graph *graph, struct heap *heap, const bool *all)
{
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		struct removed removed = nothing;
		struct heap_root root;
		uint64_t objects, bytes;

		if (!heap__is_node(heap, p))
			continue;
		root = heap__root(heap, p);
		assert_int_equal(root.place, p);
		if (root.level == HEAP_ROOT_REFERENCE) {
			removed.root = (uint32_t)root.id;
			assert_int_equal(root.weak, graph->root[root.id].weak);
		} else if (root.level == HEAP_ROOT_CONTAINER || root.level == HEAP_ROOT_KIND) {
			removed.container = (uint32_t)root.id1;
		} else {
			continue;
		}
		bytes = lost_bytes(graph, all, &removed, &objects);
		assert_int_equal(heap__retained(heap, p), bytes);
		assert_int_equal(heap__retained_objects(heap, p), objects);
	}
}

/* Of several objects together: the union of what each retains on its own. */
static uint64_t union_retained(const struct graph *graph, const bool *all, const bool *chosen)
{
	bool lost[OBJECTS_MOST] = { false };
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < graph->objects; i++) {
		struct removed removed = nothing;
		bool reached[OBJECTS_MOST];

		if (!chosen[i])
			continue;
		removed.object = i;
		reach(graph, &removed, reached);
		for (uint32_t w = 0; w < graph->objects; w++)
			lost[w] |= all[w] && !reached[w];
	}
	for (uint32_t i = 0; i < graph->objects; i++)
		bytes += lost[i] ? graph->of[i].size : 0;
	return bytes;
}

static void check_sums(const struct graph *graph, const bool *all, const bool *chosen,
		       const struct heap_type_sums *sums)
{
	uint64_t objects = 0, shallow = 0, reached_bytes = 0;

	for (uint32_t i = 0; i < graph->objects; i++) {
		objects += chosen[i];
		shallow += chosen[i] ? graph->of[i].size : 0;
		reached_bytes += chosen[i] && all[i] ? graph->of[i].size : 0;
	}
	assert_int_equal(sums->retained, union_retained(graph, all, chosen));
	assert_int_equal(sums->objects, objects);
	assert_int_equal(sums->bytes, shallow);
	assert_int_equal(sums->reached_bytes, reached_bytes);
}

static void check_types(const struct graph *graph, struct heap *heap, const bool *all)
{
	static const struct heap_type_sums none;
	struct heap_type_sums *sums;

	assert_int_equal(heap__histogram(heap, &sums), 0);
	for (uint32_t type = 0; type < TYPES; type++) {
		const uint32_t at = heap_types__known(heap__types(heap), 100 + type);
		bool chosen[OBJECTS_MOST];

		for (uint32_t i = 0; i < graph->objects; i++)
			chosen[i] = graph->of[i].type == type;
		check_sums(graph, all, chosen, at == UINT32_MAX ? &none : &sums[at]);
	}
	free(sums);
}

static bool has_odd_place(const void *context, uint32_t place)
{
	(void)context;
	return place / 4 % 2;
}

/* Types put together in two groups and none, and half of the objects left out. */
static void check_groups(const struct graph *graph, struct heap *heap, const bool *all,
			 const uint32_t *places)
{
	uint32_t groups[TYPES + 1] = { HEAP_NO_GROUP };
	struct heap_selection selection = { groups, 2, NULL, NULL };
	struct heap_type_sums *sums;

	for (uint32_t type = 0; type < TYPES; type++) {
		const uint32_t at = heap_types__known(heap__types(heap), 100 + type);

		if (at != UINT32_MAX)
			groups[at] = type % 3 == 2 ? HEAP_NO_GROUP : type % 3;
	}
	for (unsigned int half = 0; half < 2; half++) {
		selection.has = half ? has_odd_place : NULL;
		assert_int_equal(heap__histogram_of(heap, &selection, &sums), 0);
		for (uint32_t group = 0; group < 2; group++) {
			bool chosen[OBJECTS_MOST];

			for (uint32_t i = 0; i < graph->objects; i++)
				chosen[i] = graph->of[i].type % 3 == group &&
					    (!half || has_odd_place(NULL, places[i]));
			check_sums(graph, all, chosen, &sums[group]);
		}
		free(sums);
	}
}

static uint32_t target_of(const struct graph *graph, const uint32_t *places, uint32_t place)
{
	if (place == HEAP_NOWHERE)
		return NOBODY + 1;
	for (uint32_t i = 0; i < graph->objects; i++)
		if (places[i] == place)
			return i;
	return NOBODY;
}

static void check_references(const struct graph *graph, struct heap *heap, const uint32_t *places)
{
	for (uint32_t i = 0; i < graph->objects; i++) {
		struct heap_references references = heap__references(heap, places[i]);
		struct heap_reference next;
		struct heap_weak weak;
		uint64_t weak_told = 0;

		for (uint32_t e = 0; e < graph->of[i].edges; e++) {
			const struct arrow *edge = &graph->of[i].to[e];

			if (edge->to == NOBODY)
				continue;
			if (edge->weak) {
				assert_true(heap__weak(heap, places[i], weak_told++, &weak));
				assert_int_equal(weak.place, e);
				assert_int_equal(target_of(graph, places, weak.to), edge->to);
				continue;
			}
			assert_true(heap_references__next(&references, &next));
			assert_int_equal(next.place, e);
			assert_int_equal(target_of(graph, places, next.to), edge->to);
		}
		assert_false(heap_references__next(&references, &next));
		assert_false(heap__weak(heap, places[i], weak_told, &weak));
	}
}

/* ---------------------------------------------------------------------------------------------
 * Ways to a root
 */

/* What the cheapest way from a root costs, by rounds over all edges; UINT32_MAX: there is none. */
static void find_costs(const struct graph *graph, uint32_t *cost)
{
	bool changed = true;

	memset(cost, 0xff, OBJECTS_MOST * sizeof(*cost));
	for (uint32_t i = 0; i < graph->roots; i++)
		if (!graph->root[i].weak &&
		    containers[graph->root[i].container].cost + 1 < cost[graph->root[i].to])
			cost[graph->root[i].to] = containers[graph->root[i].container].cost + 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < graph->objects; i++) {
			if (cost[i] == UINT32_MAX)
				continue;
			for (uint32_t e = 0; e < graph->of[i].edges; e++) {
				const struct arrow *edge = &graph->of[i].to[e];

				if (edge->weak || edge->to >= NOBODY ||
				    cost[edge->to] <= cost[i] + 1)
					continue;
				cost[edge->to] = cost[i] + 1;
				changed = true;
			}
		}
	}
}

static bool refers(const struct graph *graph, uint32_t from, uint32_t to)
{
	for (uint32_t e = 0; e < graph->of[from].edges; e++)
		if (!graph->of[from].to[e].weak && graph->of[from].to[e].to == to)
			return true;
	return false;
}

/* How many ways lead from object to object without any twice: up to `most`. */
static uint32_t count_ways(const struct graph *graph, uint32_t to, bool *used, uint32_t most)
{
	uint32_t ways = 0;

	used[to] = true;
	for (uint32_t i = 0; i < graph->roots; i++)
		ways += !graph->root[i].weak && graph->root[i].to == to;
	for (uint32_t i = 0; i < graph->objects && ways < most; i++)
		if (!used[i] && refers(graph, i, to))
			ways += count_ways(graph, i, used, most - ways);
	used[to] = false;
	return ways < most ? ways : most;
}

#define WAYS 40u

static uint32_t cost_of_root(const struct heap *heap, uint32_t root)
{
	return containers[heap__root(heap, root).id1].cost;
}

static void check_ways(const struct graph *graph, struct heap *heap, struct heap_paths *paths,
		       const uint32_t *places, uint32_t object, uint32_t cost)
{
	bool used[OBJECTS_MOST] = { false };
	const uint32_t expected = cost == UINT32_MAX ? 0 : count_ways(graph, object, used, WAYS);
	struct heap_path_search *search;
	struct heap_referrers *referrers;
	uint32_t found = 0, before = cost;
	const uint32_t *way;
	size_t count;

	assert_int_equal(heap_referrers__new(heap, &referrers), 0);
	assert_int_equal(heap_path_search__new(paths, referrers, places[object], 1 << 20, &search),
			 0);
	while (found < WAYS && heap_path_search__next(search, &way, &count) == 1) {
		const uint32_t costs = (uint32_t)count - 1 + cost_of_root(heap, way[0]);
		uint32_t from;

		assert_true(costs >= before); /* no way is cheaper than the one before */
		assert_true(found || costs == before);
		before = costs;
		assert_int_equal(heap__root(heap, way[0]).level, HEAP_ROOT_REFERENCE);
		assert_int_equal(heap__root(heap, way[0]).object, way[1]);
		assert_int_equal(way[count - 1], places[object]);
		for (size_t i = 2; i < count; i++) {
			from = target_of(graph, places, way[i - 1]);
			assert_true(refers(graph, from, target_of(graph, places, way[i])));
			for (size_t k = 1; k < i; k++)
				assert_int_not_equal(way[k], way[i]);
		}
		found++;
	}
	assert_false(heap_path_search__is_cut(search));
	assert_int_equal(found, expected);
	heap_path_search__free(search);
	heap_referrers__free(referrers);
}

static void check_paths(const struct graph *graph, struct heap *heap, const uint32_t *places)
{
	uint32_t cost[OBJECTS_MOST];
	struct heap_paths *paths;

	find_costs(graph, cost);
	assert_int_equal(heap_paths__new(heap, &paths), 0);
	for (uint32_t i = 0; i < graph->objects; i++) {
		uint32_t place = places[i], before, left = heap_paths__length(paths, place);

		assert_int_equal(heap_paths__cost(paths, place), cost[i]);
		for (; cost[i] != UINT32_MAX && left > 1; place = before, left--) {
			before = heap_paths__before(paths, place);
			assert_true(refers(graph, target_of(graph, places, before),
					   target_of(graph, places, place)));
		}
		before = heap_paths__before(paths, place);
		if (cost[i] == UINT32_MAX) {
			assert_int_equal(heap_paths__length(paths, places[i]), HEAP_NONE);
			assert_int_equal(before, HEAP_NONE);
			continue;
		}
		assert_int_equal(heap_paths__length(paths, places[i]) + cost_of_root(heap, before),
				 cost[i]);
		assert_int_equal(heap__root(heap, before).object, place);
		assert_int_equal(heap_paths__before(paths, before), HEAP_NONE);
	}
	check_ways(graph, heap, paths, places, 0, cost[0]);
	heap_paths__free(paths);
}

/* Each row once, those above first, at the depth that its dominators make. */
static void check_preorder(struct heap *heap)
{
	struct heap_subtree subtree = heap__subtree(heap, heap__top(heap));
	uint32_t place, seen = 0;

	while ((place = heap_subtree__next(&subtree, heap)) != HEAP_NONE) {
		uint32_t depth = 0;

		for (uint32_t p = place; (p = heap__dominator(heap, p)) != HEAP_NONE;)
			depth++;
		assert_int_equal(subtree.depth, depth);
		seen += !heap__is_node(heap, place);
	}
	assert_int_equal(seen, heap__facts(heap)->reached_objects);
}

static void heaps_are_as_defined(void **state)
{
	struct graph graph;

	(void)state;
	for (uint32_t i = 0; i < GRAPHS; i++) {
		bool all[OBJECTS_MOST];
		uint32_t places[OBJECTS_MOST];
		struct heap *heap;

		make_graph(&graph);
		heap = build(&graph);
		reach(&graph, &nothing, all);
		assert_int_equal(heap__facts(heap)->objects, graph.objects);
		assert_int_equal(heap__facts(heap)->unfinished, 0);
		assert_int_equal(heap__facts(heap)->odd.duplicates, 0);
		for (uint32_t o = 0; o < graph.objects; o++)
			places[o] = place_of(heap, graph.of[o].address);
		check_objects(&graph, heap, all, places);
		check_roots(&graph, heap, all);
		check_types(&graph, heap, all);
		check_groups(&graph, heap, all, places);
		check_references(&graph, heap, places);
		check_preorder(heap);
		check_paths(&graph, heap, places);
		heap__free(heap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heaps_are_as_defined),
	};

	return cmocka_run_group_tests_name("model/heap_property", tests, NULL, NULL);
}
