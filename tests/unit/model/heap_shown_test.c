/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is made of a heap graph to be shown, by a small heap with a leak in it:
 *
 *	static Cache.instance --> cache --.map--> map --.table--> table --[0..99]--> entry --> text
 *	static Cache.other -----> list --.next--> list --.next--> list --> text
 *	thread main, frame, local 0 --> buffer (large)
 *	lost --> lost (nobody's)
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
#include "model/findings.h"
#include "model/heap_paths.h"
#include "model/outline.h"
#include "model/path_merge.h"

enum { CACHE = 10, MAP, TABLE, ENTRY, TEXT, LIST, BUFFER };
enum { ENTRIES = 100, AT_CACHE = 0x1000, AT_MAP = 0x1100, AT_TABLE = 0x1200, AT_LIST = 0x2000,
       AT_BUFFER = 0x3000, AT_LOST = 0x4000, AT_ENTRIES = 0x10000, AT_TEXTS = 0x20000 };

static struct heap *heap;

static void tell_objects(struct heap_builder *builder)
{
	uint64_t entries[ENTRIES];

	dump__refer(builder, AT_CACHE, CACHE, 16, { AT_MAP });
	dump__refer(builder, AT_MAP, MAP, 32, { AT_TABLE });
	for (uint64_t i = 0; i < ENTRIES; i++)
		entries[i] = AT_ENTRIES + i * 32;
	dump__object(builder, &(struct told){ AT_TABLE, TABLE, 816, entries, ENTRIES, 0, 0, 0,
					      false });
	for (uint64_t i = 0; i < ENTRIES; i++) {
		dump__refer(builder, entries[i], ENTRY, 32, { AT_TEXTS + i * 64 });
		dump__leaf(builder, AT_TEXTS + i * 64, TEXT, 64);
	}
	for (uint64_t i = 0; i < 3; i++)
		dump__refer(builder, AT_LIST + i * 16, LIST, 16,
			    { i < 2 ? AT_LIST + (i + 1) * 16 : AT_LIST + 0x100 });
	dump__leaf(builder, AT_LIST + 0x100, TEXT, 8);
	dump__leaf(builder, AT_BUFFER, BUFFER, 2000);
	dump__container(builder, GCTRACE_C_HEAP, 0, 0);
	dump__refer(builder, AT_LOST, LIST, 3000, { AT_LOST });
}

static int begin(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);

	(void)state;
	dump__begin(builder);
	dump__class(builder, TABLE, "Entry[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, LIST, "List", "next", 5, 0);
	dump__container(builder, GCTRACE_C_RT_THREAD, 7, 0);
	dump__container(builder, GCTRACE_C_RT_JIT, 70, 3);
	dump__root(builder, GCTRACE_C_RT_JIT, 70, AT_BUFFER, GCTRACE_ROOT_LOCAL, 0, 0);
	dump__container(builder, GCTRACE_C_STATIC, CACHE, 0);
	dump__root(builder, GCTRACE_C_STATIC, CACHE, AT_CACHE, GCTRACE_ROOT_STATIC, 0, 0);
	dump__root(builder, GCTRACE_C_STATIC, CACHE, AT_LIST, GCTRACE_ROOT_STATIC, 1, 0);
	tell_objects(builder);
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

static void the_leak_is_found_with_its_owner(void **state)
{
	struct findings findings = VEC_INIT;
	const struct finding *first;

	(void)state;
	assert_int_equal(findings__find(heap, NULL, &findings), 0);
	assert_in_range(findings.count, 1, FINDINGS_MOST);
	first = &findings.items[0];
	assert_int_equal(first->kind, FINDING_ACCUMULATION);
	assert_int_equal(first->place, place_of(heap, AT_TABLE));
	assert_int_equal(first->owner, place_of(heap, AT_CACHE));
	assert_int_equal(first->bytes, 816 + ENTRIES * 96);
	assert_int_equal(first->objects, 1 + ENTRIES * 2);
	assert_int_equal(first->of_count, ENTRIES);
	vec__free(&findings);
}

static const struct finding *find_kind(const struct findings *findings, enum finding_kind kind)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].kind == kind)
			return &findings->items[i];
	return NULL;
}

static void large_objects_threads_and_garbage_are_found(void **state)
{
	struct findings findings = VEC_INIT;

	(void)state;
	assert_int_equal(findings__find(heap, NULL, &findings), 0);
	assert_int_equal(find_kind(&findings, FINDING_LARGE)->place, place_of(heap, AT_BUFFER));
	assert_int_equal(find_kind(&findings, FINDING_THREAD)->bytes, 2000);
	assert_int_equal(find_kind(&findings, FINDING_UNREACHED)->bytes, 3000);
	assert_int_equal(find_kind(&findings, FINDING_UNREACHED)->objects, 1);
	assert_null(find_kind(&findings, FINDING_FINALIZER));
	vec__free(&findings);
}

static void small_branches_are_folded(void **state)
{
	struct outline outline = VEC_INIT;
	uint64_t bytes = 0, objects = 0;

	(void)state;
	assert_int_equal(outline__objects(heap, 4, 3, &outline), 0);
	/* cache, map, table, 3 entries, 97 more, buffer, list, list, list, text */
	assert_int_equal(outline.count, 12);
	assert_int_equal(outline.items[0].place, place_of(heap, AT_CACHE));
	assert_int_equal(outline.items[6].folded, ENTRIES - 3);
	assert_int_equal(outline.items[6].bytes, (ENTRIES - 3) * 96);
	assert_int_equal(outline.items[6].depth, 3);
	assert_true(outline.items[6].last);
	assert_false(outline.items[5].last);
	for (size_t i = 0; i < outline.count; i++) {
		bytes += outline.items[i].depth ? 0 : outline.items[i].bytes;
		objects += outline.items[i].depth ? 0 : outline.items[i].objects;
	}
	assert_int_equal(bytes, heap__facts(heap)->reached_bytes);
	assert_int_equal(objects, heap__facts(heap)->reached_objects);
	vec__free(&outline);
}

static void without_a_bound_nothing_is_folded(void **state)
{
	struct outline outline = VEC_INIT;

	(void)state;
	assert_int_equal(outline__objects(heap, UINT64_MAX, 0, &outline), 0);
	assert_int_equal(outline.count, heap__facts(heap)->reached_objects);
	vec__free(&outline);
}

static void roots_stand_by_kind_thread_and_frame(void **state)
{
	struct outline outline = VEC_INIT;

	(void)state;
	assert_int_equal(outline__roots(heap, UINT64_MAX, 10, &outline), 0);
	/* statics: class, two of them; threads: thread, frame, local; no more */
	assert_int_equal(outline.count, 8);
	assert_int_equal(heap__root(heap, outline.items[0].place).type, GCTRACE_C_STATIC);
	assert_int_equal(outline.items[0].roots, 2);
	assert_int_equal(outline.items[0].bytes, 16 + 32 + 816 + ENTRIES * 96 + 56);
	assert_int_equal(outline.items[2].depth, 2);
	assert_int_equal(outline.items[3].bytes, 56);
	assert_int_equal(heap__root(heap, outline.items[6].place).type, GCTRACE_C_RT_JIT);
	assert_int_equal(outline.items[7].depth, 3);
	assert_int_equal(outline.items[7].bytes, 2000);
	vec__free(&outline);
}

/* Add the ways to all objects of these classes. */
static void add_ways(struct path_merge *merge, const uint64_t *classes, size_t count)
{
	const struct heap_types *types = heap__types(heap);
	bool *wanted = calloc(types->count, sizeof(*wanted));
	struct heap_paths *paths;

	assert_non_null(wanted);
	for (uint32_t i = 0; i < types->count; i++)
		for (size_t k = 0; k < count; k++)
			wanted[i] |= heap_types__at(types, i).number == classes[k];
	assert_int_equal(heap_paths__new(heap, &paths), 0);
	assert_int_equal(path_merge__add(merge, heap, paths, wanted), 0);
	heap_paths__free(paths);
	free(wanted);
}

static void paths_merge_elements_and_lists(void **state)
{
	const uint64_t classes[] = { TEXT, LIST };
	struct path_merge merge = { .objects = 0 };

	(void)state;
	add_ways(&merge, classes, 2);
	assert_int_equal(path_merge__order(&merge, 0), 0);
	assert_int_equal(merge.objects, ENTRIES + 5);
	assert_int_equal(merge.unreached, 1);
	/* static, cache, map, table, entry, text; static, list, list and so on, text */
	assert_int_equal(merge.branches.count, 10);
	assert_int_equal(merge.branches.items[5].objects, ENTRIES);
	assert_int_equal(merge.branches.items[5].ending, ENTRIES);
	assert_int_equal(merge.branches.items[5].bytes, ENTRIES * 64);
	assert_int_equal(merge.branches.items[4].ending, 0);
	assert_int_equal(merge.branches.items[4].objects, ENTRIES);
	assert_int_equal(merge.branches.items[6].parent, UINT32_MAX);
	assert_int_equal(merge.branches.items[6].objects, 4);
	assert_int_equal(merge.branches.items[7].ending, 1);
	assert_true(merge.branches.items[8].repeats);
	assert_int_equal(merge.branches.items[8].ending, 2);
	assert_int_equal(merge.branches.items[9].depth, 3);
	assert_int_equal(merge.branches.items[9].ending, 1);
	path_merge__free(&merge);
}

static void small_branches_of_paths_are_folded(void **state)
{
	const uint64_t classes[] = { BUFFER, LIST, ENTRY };
	struct path_merge merge = { .objects = 0 };

	(void)state;
	add_ways(&merge, classes, 3);
	assert_int_equal(path_merge__order(&merge, 1), 0);
	/* static, cache, map, table, entry; two more: buffer and list */
	assert_int_equal(merge.branches.count, 6);
	assert_int_equal(merge.branches.items[4].ending, ENTRIES);
	assert_int_equal(merge.branches.items[5].folded, 2);
	assert_int_equal(merge.branches.items[5].depth, 0);
	assert_int_equal(merge.branches.items[5].objects, 4);
	assert_int_equal(merge.branches.items[5].bytes, 2000 + 3 * 16);
	path_merge__free(&merge);
}

/* What it takes at its peak is enough, and a byte less is not; the order takes the most. */
static void merging_keeps_to_its_limit(void **state)
{
	const uint64_t classes[] = { BUFFER, LIST, ENTRY };
	struct path_merge merge = { .objects = 0 };
	uint64_t needed;

	(void)state;
	add_ways(&merge, classes, 3);
	assert_int_equal(path_merge__order(&merge, 0), 0);
	needed = merge.memory.highest;
	for (uint64_t less = 0; less < 2; less++) {
		path_merge__free(&merge);
		assert_int_equal(merge.memory.used, 0);
		merge = (struct path_merge){ .memory = { .limit = needed - less } };
		add_ways(&merge, classes, 3);
		assert_int_equal(path_merge__order(&merge, 0), less ? -EDQUOT : 0);
	}
	path_merge__free(&merge);
}

static void an_empty_dump_has_nothing_to_show(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct findings findings = VEC_INIT;
	struct outline outline = VEC_INIT;
	struct heap *empty;

	(void)state;
	empty = dump__heap(builder);
	assert_int_equal(findings__find(empty, NULL, &findings), 0);
	assert_int_equal(findings.count, 0);
	assert_int_equal(outline__objects(empty, 4, 10, &outline), 0);
	assert_int_equal(outline__roots(empty, 4, 10, &outline), 0);
	assert_int_equal(outline.count, 0);
	vec__free(&findings);
	vec__free(&outline);
	heap__free(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_leak_is_found_with_its_owner),
		cmocka_unit_test(large_objects_threads_and_garbage_are_found),
		cmocka_unit_test(small_branches_are_folded),
		cmocka_unit_test(without_a_bound_nothing_is_folded),
		cmocka_unit_test(roots_stand_by_kind_thread_and_frame),
		cmocka_unit_test(paths_merge_elements_and_lists),
		cmocka_unit_test(small_branches_of_paths_are_folded),
		cmocka_unit_test(merging_keeps_to_its_limit),
		cmocka_unit_test(an_empty_dump_has_nothing_to_show),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
