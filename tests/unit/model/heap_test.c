/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One small heap, with everything by hand:
 *
 *	static OrderCache.instance --> cache --.byId--> map --.table[]--> array --[1]--> entry 1
 *	                                                                        --[3]--> entry 2
 *	thread main, frame 70, local 2 --> entry 2 --.value--> order
 *	thread main, frame 70, local 3 --> text            entry 1 --.value--> order
 *	                                                   lost --> lost (nobody's)
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

enum { CLASS_CACHE = 10, CLASS_MAP, CLASS_ARRAY, CLASS_ENTRY, CLASS_ORDER, CLASS_TEXT };
enum {
	CACHE = 0x1000,
	MAP = 0x1100,
	ARRAY = 0x1200,
	ENTRY_1 = 0x1300,
	ENTRY_2 = 0x1400,
	ORDER = 0x1500,
	TEXT = 0x1600,
	LOST = 0x1700
};

static struct heap *heap;

static void tell_roots(struct heap_builder *builder)
{
	dump__container(builder, GCTRACE_C_RT_THREAD, 7, 0);
	dump__container(builder, GCTRACE_C_RT_INTERPRETED, 70, 0);
	dump__root(builder, GCTRACE_C_RT_INTERPRETED, 70, ENTRY_2, GCTRACE_ROOT_LOCAL, 2, 0);
	dump__root(builder, GCTRACE_C_RT_INTERPRETED, 70, TEXT, GCTRACE_ROOT_LOCAL, 3, 0);
	dump__root(builder, GCTRACE_C_RT_INTERPRETED, 70, 0, GCTRACE_ROOT_LOCAL, 4, 0);
	dump__container(builder, GCTRACE_C_RT_THREAD, 8, 0);
	dump__container(builder, GCTRACE_C_RT_INTERPRETED, 80, 0);
	dump__root(builder, GCTRACE_C_RT_INTERPRETED, 80, ENTRY_2, GCTRACE_ROOT_LOCAL, 0, 0);
	dump__container(builder, GCTRACE_C_STATIC, CLASS_CACHE, 0);
	dump__root(builder, GCTRACE_C_STATIC, CLASS_CACHE, CACHE, GCTRACE_ROOT_STATIC, 0, 0);
}

static int begin(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);

	(void)state;
	dump__begin(builder);
	dump__class(builder, CLASS_CACHE, "OrderCache", "byId", 5, 0);
	dump__class(builder, CLASS_MAP, "HashMap", "keys\0table", 11, 0);
	dump__class(builder, CLASS_ARRAY, "Entry[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, CLASS_ENTRY, "Entry", "next\0value", 11, 0);
	dump__class(builder, CLASS_ORDER, "Order", "", 0, 0);
	dump__define(builder, GCTRACE_SPACE_STATIC, CLASS_CACHE, 0, 0, "instance");
	dump__define(builder, GCTRACE_SPACE_THREAD, 7, 4711, 0, "main");
	tell_roots(builder);
	dump__refer(builder, CACHE, CLASS_CACHE, 16, { MAP });
	dump__refer(builder, MAP, CLASS_MAP, 32, { 0, ARRAY });
	dump__refer(builder, ARRAY, CLASS_ARRAY, 48, { 0, ENTRY_1, 0, ENTRY_2 });
	dump__refer(builder, ENTRY_1, CLASS_ENTRY, 24, { 0, ORDER });
	dump__refer(builder, ENTRY_2, CLASS_ENTRY, 24, { 0, ORDER });
	dump__leaf(builder, ORDER, CLASS_ORDER, 100);
	dump__container(builder, GCTRACE_C_HEAP, 0, 0);
	dump__leaf(builder, TEXT, CLASS_TEXT, 10);
	dump__refer(builder, LOST, CLASS_ENTRY, 24, { LOST });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	heap__free(heap);
	return 0;
}

static void assert_text(struct text text, const char *expected)
{
	assert_int_equal(text.bytes, strlen(expected));
	assert_memory_equal(text.at, expected, text.bytes);
}

/* The node of a container or root. */
static uint32_t node(enum heap_root_level level, uint64_t type, uint64_t id1, uint64_t id)
{
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		struct heap_root root;

		if (!heap__is_node(heap, p))
			continue;
		root = heap__root(heap, p);
		if (root.level == level && root.type == type && root.id1 == id1 && root.id == id)
			return p;
	}
	fail_msg("no such node");
	return HEAP_NONE;
}

static void facts_add_up(void **state)
{
	const struct heap_facts *facts = heap__facts(heap);

	(void)state;
	assert_true(heap__is_complete(heap));
	assert_true(facts->has_heap_container);
	assert_int_equal(facts->objects, 8);
	assert_int_equal(facts->bytes, 278);
	assert_int_equal(facts->reached_objects, 7);
	assert_int_equal(facts->reached_bytes, 254);
	assert_int_equal(facts->references, 7);
	assert_int_equal(facts->nulls, 5);
	assert_int_equal(facts->roots, 4);
	assert_int_equal(facts->null_roots, 1);
	assert_int_equal(facts->undefined_types, 1);
}

static void objects_retain_what_they_alone_keep(void **state)
{
	(void)state;
	assert_int_equal(heap__retained(heap, place_of(heap, CACHE)), 16 + 32 + 48 + 24);
	assert_int_equal(heap__retained_objects(heap, place_of(heap, CACHE)), 4);
	assert_int_equal(heap__retained(heap, place_of(heap, ENTRY_2)), 24);
	assert_int_equal(heap__retained(heap, place_of(heap, ORDER)), 100);
	assert_int_equal(heap__retained(heap, place_of(heap, LOST)), U);
	assert_int_equal(heap__dominator(heap, place_of(heap, ENTRY_1)), place_of(heap, ARRAY));
	assert_int_equal(heap__dominator(heap, place_of(heap, ORDER)), heap__top(heap));
	assert_int_equal(heap__dominator(heap, place_of(heap, LOST)), HEAP_NONE);
	assert_int_equal(heap__retained(heap, heap__top(heap)), 254);
	assert_int_equal(heap__retained_objects(heap, heap__top(heap)), 7);
}

static void roots_retain_what_they_alone_keep(void **state)
{
	const uint32_t main = node(HEAP_ROOT_CONTAINER, GCTRACE_C_RT_THREAD, 7, U);
	const uint32_t frame = node(HEAP_ROOT_CONTAINER, GCTRACE_C_RT_INTERPRETED, 70, U);
	const uint32_t local = node(HEAP_ROOT_REFERENCE, GCTRACE_C_RT_INTERPRETED, 70, 3);
	const uint32_t field = node(HEAP_ROOT_REFERENCE, GCTRACE_C_STATIC, CLASS_CACHE, 0);

	(void)state;
	assert_int_equal(heap__retained(heap, main), 10);
	assert_int_equal(heap__retained_objects(heap, main), 1);
	assert_int_equal(heap__root(heap, frame).parent, main);
	assert_int_equal(heap__retained(heap, local), 10);
	assert_int_equal(heap__root(heap, local).kind, GCTRACE_ROOT_LOCAL);
	assert_int_equal(heap__root(heap, local).object, place_of(heap, TEXT));
	assert_int_equal(heap__retained(heap, field), 120);
	assert_int_equal(heap__dominator(heap, place_of(heap, TEXT)), local);
	assert_int_equal(heap__root(heap, heap__top(heap)).parent, HEAP_NONE);
	assert_text(heap_types__name(heap__types(heap), GCTRACE_SPACE_THREAD, 7, 0), "main");
}

/* Threads 7 and 8 hold entry 2 together: the group of all threads retains what neither does. */
static void a_group_of_roots_retains_what_they_keep_together(void **state)
{
	struct heap_references references = heap__references(heap, heap__top(heap));
	struct heap_reference group;
	unsigned int groups = 0;

	(void)state;
	for (; heap_references__next(&references, &group); groups++) {
		const struct heap_root root = heap__root(heap, group.to);

		assert_int_equal(root.level, HEAP_ROOT_TYPE);
		if (root.type == GCTRACE_C_RT_THREAD)
			assert_int_equal(heap__retained(heap, group.to), 10);
		else
			assert_int_equal(heap__retained(heap, group.to), 120);
	}
	assert_int_equal(groups, 2);
}

static void children_come_one_after_the_other(void **state)
{
	const uint32_t array = place_of(heap, ARRAY), cache = place_of(heap, CACHE);
	struct heap_subtree subtree = heap__subtree(heap, cache);
	const uint32_t expected[] = { cache, place_of(heap, MAP), array, place_of(heap, ENTRY_1) };
	uint32_t child = heap__next_dominated(heap, array, HEAP_NONE);

	(void)state;
	assert_int_equal(child, place_of(heap, ENTRY_1));
	assert_int_equal(heap__next_dominated(heap, array, child), HEAP_NONE);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(heap_subtree__next(&subtree, heap), expected[i]);
		assert_int_equal(subtree.depth, i);
	}
	assert_int_equal(heap_subtree__next(&subtree, heap), HEAP_NONE);
	subtree = heap__subtree(heap, place_of(heap, LOST));
	assert_int_equal(heap_subtree__next(&subtree, heap), HEAP_NONE);
	assert_int_equal(heap__next_dominated(heap, place_of(heap, LOST), HEAP_NONE), HEAP_NONE);
}

static void types_count_each_byte_once(void **state)
{
	const struct heap_types *types = heap__types(heap);
	struct heap_type_sums *sums;
	const struct heap_type_sums *entries, *caches;

	(void)state;
	assert_int_equal(heap__histogram(heap, &sums), 0);
	entries = &sums[heap_types__known(types, CLASS_ENTRY)];
	caches = &sums[heap_types__known(types, CLASS_CACHE)];
	assert_int_equal(entries->objects, 3);
	assert_int_equal(entries->bytes, 72);
	assert_int_equal(entries->reached_objects, 2);
	assert_int_equal(entries->retained, 48);
	assert_int_equal(caches->retained, 120);
	free(sums);
}

static void the_way_to_a_root_has_names(void **state)
{
	static const uint64_t way[] = { ENTRY_1, ARRAY, MAP, CACHE };
	static const char *const fields[] = { "", "table", "byId" };
	static const uint64_t places[] = { 1, 1, 0 };
	uint32_t place = place_of(heap, ENTRY_1), before;
	struct heap_paths *paths;
	uint64_t at;

	(void)state;
	assert_int_equal(heap_paths__new(heap, &paths), 0);
	assert_int_equal(heap_paths__length(paths, place), 4);
	for (unsigned int i = 0; i < 3; i++, place = before) {
		before = heap_paths__before(paths, place);
		assert_int_equal(before, place_of(heap, way[i + 1]));
		assert_true(heap__field(heap, before, place, &at));
		assert_text(heap__place(heap, before, at).field, fields[i]);
		assert_int_equal(at, places[i]);
	}
	before = heap_paths__before(paths, place);
	assert_int_equal(heap__root(heap, before).type, GCTRACE_C_STATIC);
	assert_int_equal(heap_paths__length(paths, before), 0);
	assert_int_equal(heap_paths__length(paths, heap__top(heap)), HEAP_NONE);
	assert_int_equal(heap_paths__length(paths, place_of(heap, LOST)), HEAP_NONE);
	assert_false(heap__field(heap, place_of(heap, LOST), place, &at));
	heap_paths__free(paths);
}

static void all_ways_come_the_shortest_first_and_those_from_stacks_later(void **state)
{
	static const size_t lengths[] = { 6, 6, 3, 3 };
	struct heap_path_search *search;
	struct heap_referrers *referrers;
	struct heap_paths *paths;
	const uint32_t *way;
	size_t count;

	(void)state;
	assert_int_equal(heap_paths__new(heap, &paths), 0);
	assert_int_equal(heap_referrers__new(heap, &referrers), 0);
	assert_int_equal(heap_path_search__new(paths, referrers, place_of(heap, ORDER), 1000,
					       &search), 0);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(heap_path_search__next(search, &way, &count), 1);
		assert_int_equal(count, lengths[i]);
		assert_int_equal(way[count - 1], place_of(heap, ORDER));
	}
	assert_int_equal(heap_path_search__next(search, &way, &count), 0);
	assert_false(heap_path_search__is_cut(search));
	heap_path_search__free(search);
	assert_int_equal(heap_path_search__new(paths, referrers, place_of(heap, ORDER), 2,
					       &search), 0);
	assert_int_equal(heap_path_search__next(search, &way, &count), 0);
	assert_true(heap_path_search__is_cut(search));
	heap_path_search__free(search);
	assert_int_equal(heap_path_search__new(paths, referrers, place_of(heap, LOST), 1000,
					       &search), 0);
	assert_int_equal(heap_path_search__next(search, &way, &count), 0);
	heap_path_search__free(search);
	heap_referrers__free(referrers);
	heap_paths__free(paths);
}

static void addresses_are_found(void **state)
{
	uint32_t place;

	(void)state;
	assert_int_equal(heap__find(heap, 0x1008, &place), 0);
	assert_int_equal(place, HEAP_NONE);
	assert_int_equal(heap__find(heap, 3, &place), 0);
	assert_int_equal(place, HEAP_NONE);
	assert_int_equal(heap__object(heap, place_of(heap, LOST)).address, LOST);
	assert_false(heap__object(heap, place_of(heap, LOST)).reached);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_add_up),
		cmocka_unit_test(objects_retain_what_they_alone_keep),
		cmocka_unit_test(roots_retain_what_they_alone_keep),
		cmocka_unit_test(a_group_of_roots_retains_what_they_keep_together),
		cmocka_unit_test(children_come_one_after_the_other),
		cmocka_unit_test(types_count_each_byte_once),
		cmocka_unit_test(the_way_to_a_root_has_names),
		cmocka_unit_test(all_ways_come_the_shortest_first_and_those_from_stacks_later),
		cmocka_unit_test(addresses_are_found),
	};

	return cmocka_run_group_tests_name("model/heap", tests, begin, end);
}
