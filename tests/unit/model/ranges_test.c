/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collection has reported until it is applied: in which order, what once, what together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/ranges.h"
#include "unit/random.h"

static void report(struct ranges *ranges, uint64_t generation, uint32_t phase, uint32_t width,
		   const struct range *told, size_t count)
{
	struct event event = { .kind = phase == RANGES_SURVIVING ? EVENT_SURVIVING : EVENT_MOVED };

	event.ranges.generation = generation;
	event.ranges.phase = phase;
	event.ranges.width = width;
	event.ranges.ranges = told;
	event.ranges.count = count;
	assert_int_equal(ranges__add(ranges, &event), 0);
}

static void report_one(struct ranges *ranges, uint32_t phase, uint32_t width, uint64_t old,
		       uint64_t new_)
{
	const struct range range = { old, new_, 8 };

	report(ranges, 0, phase, width, &range, 1);
}

static uint32_t as_wide(const void *context, uint64_t generation)
{
	(void)generation;
	return *(const uint32_t *)context;
}

static const uint32_t wide = 8, narrow = 4;

static void phases_come_in_their_order_and_survivals_last(void **state)
{
	const struct ranges_take take = { RANGES_SURVIVING, as_wide, &wide };
	struct ranges ranges = { 0 };
	struct range_list list = { 0 };

	(void)state;
	report_one(&ranges, RANGES_SURVIVING, 8, 300, 300);
	report_one(&ranges, 7, 8, 200, 20);
	report_one(&ranges, 0, 8, 100, 10);
	report_one(&ranges, 7, 8, 400, 40);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].old, 100);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.count, 2);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.items[0].old, 300);
	assert_int_equal(ranges__take(&ranges, &take, &list), 0);
	assert_int_equal(list.count, 0);
	vec__free(&list);
	ranges__free(&ranges);
}

/* At the end of a pause of a concurrent collection. */
static void survivals_wait_for_the_end(void **state)
{
	const struct ranges_take moves = { RANGES_SURVIVING - 1, as_wide, &wide };
	struct ranges ranges = { 0 };
	struct range_list list = { 0 };

	(void)state;
	report_one(&ranges, RANGES_SURVIVING, 8, 300, 300);
	assert_false(ranges__has_moves(&ranges));
	assert_int_equal(ranges__take(&ranges, &moves, &list), 0);
	report_one(&ranges, 3, 8, 100, 10);
	assert_true(ranges__has_moves(&ranges));
	assert_int_equal(ranges__take(&ranges, &moves, &list), 1);
	assert_int_equal(list.items[0].old, 100);
	assert_false(ranges__more(&ranges, moves.most));
	assert_true(ranges__more(&ranges, RANGES_SURVIVING));
	vec__free(&list);
	ranges__free(&ranges);
}

static void both_widths_count_once(void **state)
{
	struct ranges_take take = { RANGES_SURVIVING, as_wide, &narrow };
	struct ranges ranges = { 0 };
	struct range_list list = { 0 };

	(void)state;
	report_one(&ranges, 0, 4, 100, 10);
	report_one(&ranges, 0, 8, 200, 20);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].old, 100);
	assert_int_equal(ranges__take(&ranges, &take, &list), 0); /* the others are gone */
	vec__free(&list);
	ranges__free(&ranges);
}

static void neighbours_that_go_one_way_become_one(void **state)
{
	const struct range told[] = {
		{ 100, 10, 8 }, { 108, 18, 8 }, /* one */
		{ 116, 40, 8 },			/* elsewhere */
		{ 124, 48, 0 },			/* nothing */
		{ 124, 48, 8 },			/* behind nothing */
		{ 140, 56, 8 },			/* a gap in between */
		{ UINT64_MAX - 8, 900, 8 }, { UINT64_MAX, 908, 8 }, /* around the end */
	};
	const struct ranges_take take = { RANGES_SURVIVING, as_wide, &wide };
	struct ranges ranges = { 0 };
	struct range_list list = { 0 };

	(void)state;
	report(&ranges, 0, 0, 8, told, 8);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.count, 7);
	assert_int_equal(list.items[0].length, 16);
	vec__free(&list);
	ranges__free(&ranges);
}

static void generations_of_one_phase_hold_together(void **state)
{
	const struct ranges_take take = { RANGES_SURVIVING, as_wide, &wide };
	const struct range a = { 100, 10, 8 }, b = { 200, 20, 8 };
	struct ranges ranges = { 0 };
	struct range_list list = { 0 };

	(void)state;
	report(&ranges, 0, 2, 8, &a, 1);
	report(&ranges, 1, 2, 8, &b, 1);
	assert_int_equal(ranges__take(&ranges, &take, &list), 1);
	assert_int_equal(list.count, 2);
	assert_false(ranges__more(&ranges, RANGES_SURVIVING));
	vec__free(&list);
	ranges__free(&ranges);
}

/* ---------------------------------------------------------------- sorting */

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
	return random__next(&seed);
}

/* `bits`: how far apart they lie. Each carries its old start along, to be known by. */
static void sorts(size_t count, unsigned int bits)
{
	struct range *ranges = calloc(count + 1, sizeof(*ranges));
	uint64_t sum = 0;

	assert_non_null(ranges);
	for (size_t i = 0; i < count; i++) {
		uint64_t old = any() >> (64 - bits);

		ranges[i] = (struct range){ old, ~old, old ^ 1 };
		sum += old;
	}
	assert_int_equal(ranges__sort(ranges, count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || ranges[i - 1].old <= ranges[i].old);
		assert_int_equal(ranges[i].new_, ~ranges[i].old);
		assert_int_equal(ranges[i].length, ranges[i].old ^ 1);
		sum -= ranges[i].old;
	}
	assert_int_equal(sum, 0);
	free(ranges);
}

static void any_order_is_sorted(void **state)
{
	const size_t counts[] = { 0, 1, 2, 255, 256, 257, 5000 };
	const unsigned int bits[] = { 1, 4, 11, 12, 22, 23, 33, 48, 63, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++)
			sorts(counts[i], bits[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_come_in_their_order_and_survivals_last),
		cmocka_unit_test(survivals_wait_for_the_end),
		cmocka_unit_test(both_widths_count_once),
		cmocka_unit_test(neighbours_that_go_one_way_become_one),
		cmocka_unit_test(generations_of_one_phase_hold_together),
		cmocka_unit_test(any_order_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
