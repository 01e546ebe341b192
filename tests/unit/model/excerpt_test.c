/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Excerpts of random heaps against their definition: which objects are branches, what is folded
 * where, and that each way is a shortest one, place by place.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/examples.h"
#include "model/excerpt.h"
#include "unit/random.h"

#ifdef __SANITIZE_ADDRESS__
#define HEAPS 500
#else
#define HEAPS 3000
#endif
enum { OBJECTS_MOST = 200, TYPES = 4, AT = 0x10000 };

static uint64_t seed = 88172645463325252;

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)random__below(&seed, n);
}

static uint64_t address_of(uint32_t object)
{
	return AT + object * UINT64_C(0x1000);
}

/* Mostly a list: the ways are long. And some references to anywhere. */
static void tell_object(struct heap_builder *builder, uint32_t object, uint32_t objects,
			uint32_t jumps)
{
	uint64_t to[4] = { 0 };
	const struct told told = { address_of(object), 1 + random_below(TYPES),
				   random_below(3) ? random_below(100) : random_below(100000),
				   to, 4, 0, 0, 0, false };

	if (object + 1 < objects && random_below(20))
		to[random_below(2)] = address_of(object + 1);
	if (random_below(100) < jumps)
		to[2 + random_below(2)] = address_of(random_below(objects));
	dump__object(builder, &told);
}

static struct heap *random_heap(void)
{
	struct heap_builder *builder = heap_builder__new(0);
	const uint32_t objects = 1 + random_below(OBJECTS_MOST), jumps = random_below(100);

	dump__begin(builder);
	for (uint32_t i = 0; i < objects; i++)
		tell_object(builder, i, objects, jumps);
	for (uint32_t i = 0; i < 1 + random_below(4); i++) {
		const uint64_t of = 1 + random_below(2);

		dump__container(builder, GCTRACE_C_RT_THREAD, of, 0);
		dump__root(builder, GCTRACE_C_RT_THREAD, of,
			   address_of(random_below(1 + random_below(objects))),
			   GCTRACE_ROOT_LOCAL, i, 0);
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* The object that dominates it, or all roots. */
static uint32_t parent_of(const struct heap *heap, uint32_t place)
{
	const uint32_t above = heap__dominator(heap, place);

	return heap__is_node(heap, above) ? heap__top(heap) : above;
}

static void singles_are_what_keeps_much(const struct excerpt *excerpt)
{
	const struct heap *heap = excerpt->heap;
	uint32_t wanted = 1;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint64_t bytes = heap__retained(heap, p);
		uint32_t at;

		if (heap__is_node(heap, p) || bytes == EVENT_UNKNOWN || bytes < excerpt->least)
			continue;
		wanted++;
		at = excerpt__find(excerpt, p);
		assert_true(at < excerpt->singles);
		assert_int_equal(excerpt->branches.items[at].bytes, bytes);
		assert_int_equal(excerpt->branches.items[at].parent,
				 excerpt__find(excerpt, parent_of(heap, p)));
		assert_true(excerpt->branches.items[at].parent < at);
	}
	assert_int_equal(excerpt->singles, wanted);
	assert_true(wanted <= excerpt->limits.singles + 1);
}

/* The branch of an object by the definition: itself, the group of its type below, or that above. */
static uint32_t branch_of(const struct excerpt *excerpt, uint32_t place)
{
	const uint32_t type = heap__object(excerpt->heap, place).type;
	const uint32_t above = parent_of(excerpt->heap, place);
	const struct excerpt_branch *branches = excerpt->branches.items;
	uint32_t parent;

	if (heap__retained(excerpt->heap, place) >= excerpt->least)
		return excerpt__find(excerpt, place);
	parent = above == heap__top(excerpt->heap) ? 0 : branch_of(excerpt, above);
	if (parent == EXCERPT_NONE || (branches[parent].count && branches[parent].type == type))
		return parent;
	for (uint32_t i = excerpt->singles; i < excerpt->branches.count; i++)
		if (branches[i].parent == parent && branches[i].type == type)
			return i;
	return EXCERPT_NONE;
}

static void groups_are_what_is_alike(const struct excerpt *excerpt)
{
	const struct heap *heap = excerpt->heap;
	uint64_t *counts = calloc(excerpt->branches.count, sizeof(*counts));
	uint64_t *bytes = calloc(excerpt->branches.count, sizeof(*bytes));

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		uint32_t at, above;

		if (heap__is_node(heap, p) || heap__retained(heap, p) == EVENT_UNKNOWN)
			continue;
		at = branch_of(excerpt, p);
		if (at == EXCERPT_NONE)
			continue;
		counts[at]++;
		above = parent_of(heap, p);
		if (above == heap__top(heap) || branch_of(excerpt, above) != at)
			bytes[at] += heap__retained(heap, p);
	}
	for (size_t i = excerpt->singles; i < excerpt->branches.count; i++) {
		const struct excerpt_branch *group = &excerpt->branches.items[i];

		assert_int_equal(group->count, counts[i]);
		assert_int_equal(group->bytes, bytes[i]);
		assert_true(group->parent < i && group->bytes >= excerpt->least_group);
		assert_int_equal(i, branch_of(excerpt,
					      excerpt->objects.items[group->object].place));
	}
	assert_true(excerpt->branches.count - excerpt->singles <= excerpt->limits.groups);
	free(counts);
	free(bytes);
}

/* Own bytes of all objects that are in no folded branch, counted twice. */
static void nothing_is_left_out(const struct excerpt *excerpt)
{
	const struct heap *heap = excerpt->heap;
	uint64_t *rest = calloc(excerpt->branches.count, sizeof(*rest));

	for (size_t i = 0; i < excerpt->branches.count; i++) {
		const struct excerpt_branch *branch = &excerpt->branches.items[i];

		rest[i] += branch->bytes - branch->folded.bytes;
		if (branch->parent != EXCERPT_NONE)
			rest[branch->parent] -= branch->bytes;
	}
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		uint32_t at;

		if (heap__is_node(heap, p) || heap__retained(heap, p) == EVENT_UNKNOWN)
			continue;
		at = branch_of(excerpt, p);
		if (at != EXCERPT_NONE)
			rest[at] -= heap__object(heap, p).size;
	}
	for (size_t i = 0; i < excerpt->branches.count; i++)
		assert_int_equal(rest[i], 0);
	free(rest);
}

static bool refers(const struct heap *heap, uint32_t from, uint32_t to, uint64_t at)
{
	struct heap_references references = heap__references(heap, from);
	struct heap_reference next;

	while (heap_references__next(&references, &next))
		if (next.to == to && (heap__is_node(heap, from) || next.place == at))
			return true;
	return false;
}

static void is_a_shortest_way(const struct excerpt *excerpt, uint32_t index)
{
	const uint32_t length = heap_paths__length(excerpt->paths,
						   excerpt->objects.items[index].place);
	uint32_t steps = 0;

	if (heap__is_node(excerpt->heap, excerpt->objects.items[index].place))
		return;
	for (; excerpt->objects.items[index].before != EXCERPT_NONE; steps++) {
		const struct excerpt_object *object = &excerpt->objects.items[index];

		if (object->skipped)
			steps += object->skipped;
		else
			assert_true(refers(excerpt->heap,
					   excerpt->objects.items[object->before].place,
					   object->place, object->at));
		index = object->before;
	}
	assert_true(heap__is_node(excerpt->heap, excerpt->objects.items[index].place));
	assert_int_equal(steps, length);
}

static void add_examples(struct excerpt *excerpt)
{
	struct example *examples = examples__find(excerpt->heap, excerpt->paths);

	for (uint32_t i = 0; i < heap__types(excerpt->heap)->count; i++) {
		if (examples[i].nearest == HEAP_NONE)
			continue;
		assert_int_equal(excerpt__add(excerpt, examples[i].nearest), 0);
		assert_int_equal(excerpt__add(excerpt, examples[i].biggest), 0);
	}
	free(examples);
}

static void random_heaps(void **state)
{
	(void)state;
	for (int i = 0; i < HEAPS; i++) {
		const struct excerpt_limits limits = { random_below(30), random_below(20),
						       random_below(6), random_below(40) };
		struct heap *heap = random_heap();
		struct heap_paths *paths;
		struct excerpt excerpt;

		assert_int_equal(heap_paths__new(heap, &paths), 0);
		assert_int_equal(excerpt__init(&excerpt, heap, paths, &limits), 0);
		add_examples(&excerpt);
		assert_int_equal(excerpt__finish(&excerpt), 0);
		singles_are_what_keeps_much(&excerpt);
		groups_are_what_is_alike(&excerpt);
		nothing_is_left_out(&excerpt);
		for (uint32_t at = 0; at < excerpt.objects.count; at++)
			is_a_shortest_way(&excerpt, at);
		assert_true(excerpt.waypoints <= limits.waypoints);
		excerpt__free(&excerpt);
		heap_paths__free(paths);
		heap__free(heap);
	}
}

static void all_of_a_small_heap_is_there(void **state)
{
	const struct excerpt_limits limits = { 1000, 10, 10, 1000 };
	struct heap_paths *paths;
	struct excerpt excerpt;
	struct heap *heap;

	(void)state;
	heap = random_heap();
	assert_int_equal(heap_paths__new(heap, &paths), 0);
	assert_int_equal(excerpt__init(&excerpt, heap, paths, &limits), 0);
	assert_int_equal(excerpt.least, 0);
	assert_int_equal(excerpt.branches.count, heap__facts(heap)->reached_objects + 1);
	assert_int_equal(excerpt__folded(&excerpt).objects, 0);
	assert_int_equal(excerpt.branches.items[0].bytes, heap__facts(heap)->reached_bytes);
	excerpt__free(&excerpt);
	heap_paths__free(paths);
	heap__free(heap);
}

/* What it takes at its peak is enough, and a byte less is not. */
static void a_limit_is_kept(void **state)
{
	const struct excerpt_limits limits = { 20, 10, 4, 20 };

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct heap *heap = random_heap();
		struct heap_paths *paths;
		struct excerpt excerpt;
		uint64_t needed = 0;

		assert_int_equal(heap_paths__new(heap, &paths), 0);
		for (uint64_t less = 0; less < 3; less++) {
			int err;

			if (less)
				dump__leave(heap, needed - (less - 1));
			err = excerpt__init(&excerpt, heap, paths, &limits);
			if (!err)
				err = excerpt__finish(&excerpt);
			assert_int_equal(err, less == 2 ? -EDQUOT : 0);
			needed = less ? needed : excerpt.memory.highest;
			excerpt__free(&excerpt);
			assert_int_equal(excerpt.memory.used, 0);
		}
		heap_paths__free(paths);
		heap__free(heap);
	}
}

static bool is_better(uint64_t more, uint64_t than, uint32_t shorter, uint32_t than_that)
{
	return more > than || (more == than && shorter < than_that);
}

static void examples_are_the_best_of_their_type(void **state)
{
	(void)state;
	for (int i = 0; i < HEAPS / 10; i++) {
		struct heap *heap = random_heap();
		struct heap_paths *paths;
		struct example *examples;

		assert_int_equal(heap_paths__new(heap, &paths), 0);
		examples = examples__find(heap, paths);
		for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
			const uint32_t length = heap_paths__length(paths, p);
			uint32_t biggest, nearest;

			if (heap__is_node(heap, p) || length == HEAP_NONE)
				continue;
			nearest = examples[heap__object(heap, p).type].nearest;
			biggest = examples[heap__object(heap, p).type].biggest;
			assert_true(length >= heap_paths__length(paths, nearest));
			assert_false(is_better(heap__retained(heap, p),
					       heap__retained(heap, biggest), length,
					       heap_paths__length(paths, biggest)));
		}
		free(examples);
		heap_paths__free(paths);
		heap__free(heap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_heaps),
		cmocka_unit_test(all_of_a_small_heap_is_there),
		cmocka_unit_test(a_limit_is_kept),
		cmocka_unit_test(examples_are_the_best_of_their_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
