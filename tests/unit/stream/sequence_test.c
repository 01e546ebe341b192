/* SPDX-License-Identifier: BSD-2-Clause */
/* Which batches are missing, for producers whose threads are a little out of order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "stream/sequence.h"

struct arrivals {
	struct sequence sequence;
	uint64_t stamp, lost, late, duplicates;
};

static void arrive(struct arrivals *all, uint64_t number)
{
	uint64_t lost;

	switch (sequence__arrive(&all->sequence, number, ++all->stamp, &lost)) {
	case SEQUENCE_LATE:
		all->late++;
		break;
	case SEQUENCE_DUPLICATE:
		all->duplicates++;
		break;
	case SEQUENCE_NEW:
		break;
	}
	all->lost += lost;
}

static void expect(struct arrivals *all, uint64_t batches)
{
	all->lost += sequence__expect(&all->sequence, batches, ++all->stamp);
}

/* The trace ends long after the last batch. */
static uint64_t end(struct arrivals *all)
{
	return sequence__end(&all->sequence, all->stamp + SEQUENCE_PATIENCE_NS);
}

static void in_order_nothing_is_lost(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		arrive(&all, i);
		if (i % 10 == 9)
			expect(&all, i);
	}
	assert_int_equal(all.lost + all.late + all.duplicates, 0);
	assert_int_equal(end(&all), 0);
}

static void the_first_number_is_the_base(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 5000);
	arrive(&all, 4999); /* its thread was slower; 4998 was before our time */
	arrive(&all, 5001);
	expect(&all, 5001);
	assert_int_equal(all.lost + all.late + all.duplicates, 0);
	assert_int_equal(end(&all), 0);
}

static void a_gap_shows_at_the_next_end(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 10);
	arrive(&all, 13);
	assert_int_equal(all.lost, 0);
	expect(&all, 13);
	assert_int_equal(all.lost, 2);
	expect(&all, 13);
	assert_int_equal(all.lost, 2);
}

static void a_lost_tail_shows(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 10);
	expect(&all, 15); /* told by a single probe: 10 to 14 were fired */
	assert_int_equal(all.lost, 4);
	arrive(&all, 15);
	expect(&all, 15);
	assert_int_equal(end(&all), 0);
	assert_int_equal(all.lost, 4);
}

static void a_late_one_is_no_loss(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 10);
	arrive(&all, 12);
	expect(&all, 12);
	assert_int_equal(all.lost, 1);
	arrive(&all, 11);
	assert_int_equal(all.late, 1);
	arrive(&all, 11);
	assert_int_equal(all.duplicates, 1);
}

static void twice_is_told(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 1);
	arrive(&all, 1);
	arrive(&all, 2);
	arrive(&all, 2);
	assert_int_equal(all.duplicates, 2);
	arrive(&all, UINT64_MAX); /* no producer gets there */
	assert_int_equal(all.duplicates, 3);
	for (uint64_t i = 3; i < 3 * SEQUENCE_WINDOW; i++)
		arrive(&all, i);
	arrive(&all, 1); /* too old to tell */
	assert_int_equal(all.duplicates, 4);
	assert_int_equal(all.lost + all.late, 0);
}

static void patience_ends_by_the_stamps(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 1);
	arrive(&all, 3);
	for (uint64_t i = 4; i < 50; i++)
		arrive(&all, i);
	assert_int_equal(all.lost, 0);
	all.stamp += SEQUENCE_PATIENCE_NS;
	arrive(&all, 50);
	assert_int_equal(all.lost, 1);
	assert_int_equal(end(&all), 0);
}

static void the_window_moves_on(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 0);
	arrive(&all, 2);
	arrive(&all, SEQUENCE_WINDOW + 2); /* 0 to 2 fall out */
	assert_int_equal(all.lost, 1);
	assert_int_equal(end(&all), SEQUENCE_WINDOW - 1);

	arrive(&all, UINT64_MAX - 1); /* a producer that jumps: told, and cheap */
	assert_true(all.lost > UINT64_MAX - 4 * SEQUENCE_WINDOW);
}

static void holes_at_the_end_are_lost(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	assert_int_equal(end(&all), 0);
	arrive(&all, 1);
	arrive(&all, 4);
	assert_int_equal(end(&all), 2);
}

/* Threads that had taken a number when the probe was taken away. */
static void holes_of_the_last_moment_are_not(void **state)
{
	struct arrivals all = { 0 };

	(void)state;
	arrive(&all, 1);
	arrive(&all, 4);
	assert_int_equal(sequence__end(&all.sequence, all.stamp + SEQUENCE_PATIENCE_NS / 2), 0);
}

/*
 * Random numbers drop out, the others come up to 50 places away from theirs, some come twice:
 * whatever the order, the sums are right.
 */
static void shuffled_numbers_add_up(void **state)
{
	enum { COUNT = 20000, NEAR = 50 };
	uint64_t *numbers = calloc(2 * COUNT, sizeof(*numbers));
	bool *is_dropped = calloc(COUNT, sizeof(*is_dropped));

	(void)state;
	for (unsigned int seed = 1; seed <= 20; seed++) {
		struct arrivals all = { 0 };
		uint64_t dropped = 0, twice = 0, next = 0;
		size_t count = 0;

		srand(seed);
		for (uint64_t i = 0; i < COUNT; i++) {
			bool ends = i == 0 || i == COUNT - 1;

			is_dropped[i] = !ends && rand() % 100 == 0;
			if (is_dropped[i])
				continue;
			numbers[count++] = i;
			if (rand() % 500 == 0) {
				numbers[count++] = i;
				twice++;
			}
		}
		for (size_t i = 0; i + NEAR < count; i++) {
			size_t j = i + (size_t)rand() % NEAR;
			uint64_t number = numbers[i];

			numbers[i] = numbers[j];
			numbers[j] = number;
		}
		for (size_t i = 0; i < count; i++) {
			arrive(&all, numbers[i]);
			next = numbers[i] > next ? numbers[i] : next;
			if (rand() % 97 == 0) /* with all that were taken: some are still to come */
				expect(&all, next);
		}
		expect(&all, COUNT);
		/* Those below the first one seen are not known to be missing. */
		for (uint64_t i = numbers[0]; i < COUNT; i++)
			dropped += is_dropped[i];
		assert_int_equal(all.lost - all.late, dropped);
		assert_int_equal(all.duplicates, twice);
	}
	free(numbers);
	free(is_dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_nothing_is_lost),
		cmocka_unit_test(the_first_number_is_the_base),
		cmocka_unit_test(a_gap_shows_at_the_next_end),
		cmocka_unit_test(a_lost_tail_shows),
		cmocka_unit_test(a_late_one_is_no_loss),
		cmocka_unit_test(twice_is_told),
		cmocka_unit_test(patience_ends_by_the_stamps),
		cmocka_unit_test(the_window_moves_on),
		cmocka_unit_test(holes_at_the_end_are_lost),
		cmocka_unit_test(holes_of_the_last_moment_are_not),
		cmocka_unit_test(shuffled_numbers_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
