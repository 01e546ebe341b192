/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap of which only the types are counted: the same counts as those of its graph. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/heap_histogram.h"
#include "unit/random.h"

#define SIZE_MOST (UINT64_C(1) << 56) /* of one object */

static uint64_t seed = 4711;

static uint64_t any(void)
{
	return random__next(&seed);
}

static int count(struct heap_builder *builder, const struct object_head *heads, size_t many)
{
	struct event event = { .kind = EVENT_HEADS };

	event.heads.heads = heads;
	event.heads.count = many;
	return heap_builder__event(builder, &event);
}

static struct heap *finish(struct heap_builder *builder)
{
	struct heap *heap;

	assert_int_equal(heap_builder__finish(builder, &heap), 0);
	heap_builder__free(builder);
	return heap;
}

static struct heap_type_sums *all_sums(const struct heap *heap)
{
	struct heap_type_sums *all;

	assert_int_equal(heap__histogram(heap, &all), 0);
	return all;
}

static struct heap_type_sums sums_in(const struct heap_type_sums *all, const struct heap *heap,
				     uint64_t class_)
{
	const uint32_t type = heap_types__known(heap__types(heap), class_);

	return type == UINT32_MAX ? (struct heap_type_sums){ 0 } : all[type];
}

static struct heap_type_sums sums_of(const struct heap *heap, uint64_t class_)
{
	struct heap_type_sums *all = all_sums(heap), sums = sums_in(all, heap, class_);

	free(all);
	return sums;
}

static void an_object_counts_once(void **state)
{
	const struct object_head heads[] = {
		{ 0x1000, 7, 24 }, { 0x1000, 7, 24 }, { 0x2000, 8, 16 }, { 0x1000, 8, 80 },
		{ 0x3000, 7, 40 }, { 0, 7, 8 },	      { 0x1003, 7, 1 },	 { 0x2000, 8, 16 },
	};
	struct heap_builder *builder = heap_builder__new_counting(0);
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	dump__class(builder, 7, "shop.Order", "", 0, 0);
	assert_int_equal(count(builder, heads, sizeof(heads) / sizeof(*heads)), 0);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = finish(builder);
	assert_false(heap__has_graph(heap));
	assert_true(heap__is_complete(heap));
	assert_int_equal(heap__facts(heap)->objects, 4);
	assert_int_equal(heap__facts(heap)->bytes, 24 + 16 + 40 + 1);
	assert_int_equal(heap__facts(heap)->odd.nameless, 1);
	assert_int_equal(heap__facts(heap)->undefined_types, 1);
	assert_int_equal(sums_of(heap, 7).objects, 3);
	assert_int_equal(sums_of(heap, 7).bytes, 65);
	assert_int_equal(sums_of(heap, 8).objects, 1);
	assert_int_equal(sums_of(heap, 8).reached_objects, 0);
	heap__free(heap);
}

/* Also where others of the class say how large they are. */
static void what_says_no_size_has_that_of_its_type(void **state)
{
	const struct object_head heads[] = {
		{ 0x1000, 7, EVENT_UNKNOWN }, { 0x1040, 7, EVENT_UNKNOWN }, { 0x1080, 7, 16 },
		{ 0x10c0, 8, 24 },	      { 0x1100, 7, EVENT_UNKNOWN }, { 0x1040, 7, 16 },
	};
	struct event class_ = { .kind = EVENT_CLASS };
	struct heap_builder *builder = heap_builder__new_counting(0);
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	assert_int_equal(count(builder, heads, sizeof(heads) / sizeof(*heads)), 0);
	class_.class_.class_ = 7;
	class_.class_.size = 40;
	assert_int_equal(heap_builder__event(builder, &class_), 0);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = finish(builder);
	assert_int_equal(sums_of(heap, 7).objects, 4);
	assert_int_equal(sums_of(heap, 7).bytes, 3 * 40 + 16);
	assert_int_equal(sums_of(heap, 8).bytes, 24);
	assert_int_equal(heap__facts(heap)->bytes, 3 * 40 + 16 + 24);
	heap__free(heap);
}

static void what_is_not_whole_is_not_complete(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS };
	struct heap *heap;

	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct heap_builder *builder = heap_builder__new_counting(0);

		dump__begin(builder);
		if (lost)
			assert_int_equal(heap_builder__event(builder, &loss), 0);
		dump__end(builder, lost ? GCTRACE_DUMP_COMPLETE : GCTRACE_DUMP_ABORTED);
		heap = finish(builder);
		assert_false(heap__is_complete(heap));
		assert_int_equal(heap__facts(heap)->losses, lost);
		heap__free(heap);
	}
}

/* Parts, duplicates, odd addresses, sizes that lie, many classes. */
static struct object_head any_head(unsigned int round)
{
	const uint64_t unit = round % 3 == 0 ? 8 : round % 3 == 1 ? 4 : 1;

	return (struct object_head){
		.id = any() % 64 ? 0x7f0000000000 + any() % (1 << 20) * (any() % 9 ? 8 : unit) :
				   any() >> any() % 64,
		.class_ = any() % 16 ? any() % 300 : any(),
		.size = any() % 64 ? any() % 1000 : any() >> any() % 64,
	};
}

/* Neighbours, as many of them as they are, among all others; some of them again. */
static void any_heads(struct object_head *heads, size_t many, unsigned int round)
{
	for (size_t i = 0; i < many; i++) {
		heads[i] = any_head(round);
		if (i && any() % 8 < round % 8)
			heads[i] = (struct object_head){ heads[i - 1].id + any() % 4 * 8,
							 any() % 40, any() % 100 * 8 };
	}
}

static void counts_are_those_of_the_graph(void **state)
{
	static struct object_head heads[512];

	(void)state;
	for (unsigned int round = 0; round < 40; round++) {
		struct heap_builder *building = heap_builder__new(0);
		struct heap_builder *counting = heap_builder__new_counting(0);
		struct heap_type_sums *of_graph, *of_counts;
		struct heap *heap, *counted;

		for (unsigned int n = 0; n < 25000;) {
			const size_t many = 1 + any() % (any() % 2 ? 512 : 8);

			any_heads(heads, many, round);
			for (size_t i = 0; i < many; i++)
				dump__leaf(building, heads[i].id, heads[i].class_, heads[i].size);
			assert_int_equal(count(counting, heads, many), 0);
			n += (unsigned int)many;
		}
		heap = finish(building);
		counted = finish(counting);
		assert_int_equal(heap__facts(heap)->objects, heap__facts(counted)->objects);
		assert_int_equal(heap__facts(heap)->bytes, heap__facts(counted)->bytes);
		assert_int_equal(heap__facts(heap)->odd.sizes, heap__facts(counted)->odd.sizes);
		assert_true(heap__facts(heap)->objects > 10000);
		of_graph = all_sums(heap);
		of_counts = all_sums(counted);
		for (uint64_t class_ = 0; class_ < 300; class_++) {
			const struct heap_type_sums sums = sums_in(of_graph, heap, class_);
			const struct heap_type_sums same = sums_in(of_counts, counted, class_);

			assert_int_equal(sums.objects, same.objects);
			assert_int_equal(sums.bytes, same.bytes);
		}
		free(of_graph);
		free(of_counts);
		heap__free(heap);
		heap__free(counted);
	}
}

/* Sizes that have no room beside each other are told as what they are, here and there. */
static void sums_do_not_overflow(void **state)
{
	static struct object_head heads[512];
	struct heap_builder *building = heap_builder__new(0);
	struct heap_builder *counting = heap_builder__new_counting(0);
	struct heap *heap, *counted;

	(void)state;
	for (unsigned int i = 0; i < 512; i++) {
		heads[i] = (struct object_head){ 0x7f0000000000 + i * 8, i % 3,
						 i % 2 ? SIZE_MOST : SIZE_MOST >> 16 };
		dump__leaf(building, heads[i].id, heads[i].class_, heads[i].size);
	}
	assert_int_equal(count(counting, heads, 512), 0);
	heap = finish(building);
	counted = finish(counting);
	assert_true(heap__facts(heap)->odd.sizes > 0);
	assert_int_equal(heap__facts(heap)->odd.sizes, heap__facts(counted)->odd.sizes);
	assert_int_equal(heap__facts(heap)->bytes, heap__facts(counted)->bytes);
	heap__free(heap);
	heap__free(counted);
}

static void every_limit_ends_cleanly(void **state)
{
	bool built = false;
	char text[300];

	(void)state;
	for (uint64_t limit = 1000; !built; limit += limit / 20) {
		struct heap_builder *builder = heap_builder__new_counting(limit);
		struct heap *heap = NULL;
		int err = 0;

		if (!builder)
			continue;
		seed = 4711;
		for (unsigned int i = 0; i < 3000 && !err; i++) {
			const struct object_head head = any_head(2);

			err = count(builder, &head, 1);
		}
		assert_int_equal(err, 0);
		err = heap_builder__finish(builder, &heap);
		built = err == 0;
		assert_true(built || err == -EDQUOT);
		heap_builder__explain(builder, -EDQUOT, text, sizeof(text));
		assert_non_null(strstr(text, "raise --mem-limit to at least "));
		heap__free(heap);
		heap_builder__free(builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_counts_once),
		cmocka_unit_test(what_says_no_size_has_that_of_its_type),
		cmocka_unit_test(what_is_not_whole_is_not_complete),
		cmocka_unit_test(counts_are_those_of_the_graph),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(every_limit_ends_cleanly),
	};

	return cmocka_run_group_tests_name("model/heap_counts", tests, NULL, NULL);
}
