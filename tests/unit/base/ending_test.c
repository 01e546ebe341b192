/* SPDX-License-Identifier: BSD-2-Clause */
/* How far an end is, by a clock that the test sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ending.h"

#define SINCE (1000 * NS_PER_S)

static void there_is_none_before_it_begins(void **state)
{
	(void)state;
	assert_int_equal(ending__at(0, UINT64_MAX), ENDING_NO);
	assert_int_equal(ending__at(SINCE, SINCE - 1), ENDING_NO);
	assert_int_equal(ending__next_ns(0, SINCE), UINT64_MAX);
	assert_int_equal(ending__next_ns(SINCE, SINCE - 1), SINCE);
	assert_int_equal(ending__write_until_ns(0, SINCE), UINT64_MAX);
}

/* Whoever goes from step to step comes to the last one before the bound, and no further. */
static void it_goes_step_by_step(void **state)
{
	uint64_t now = SINCE;
	int step = ENDING_ASKED;

	(void)state;
	for (; step <= ENDING_LAST; step++) {
		assert_int_equal(ending__at(SINCE, now), step);
		if (step != ENDING_LAST) {
			assert_int_equal(ending__at(SINCE, ending__next_ns(SINCE, now) - 1), step);
			now = ending__next_ns(SINCE, now);
		}
	}
	assert_true(now < SINCE + ENDING_NS);
	assert_int_equal(ending__next_ns(SINCE, now), UINT64_MAX);
	assert_int_equal(ending__at(SINCE, SINCE + 3600 * NS_PER_S), ENDING_LAST);
	assert_int_equal(ending__at(SINCE, UINT64_MAX), ENDING_LAST);
}

/* What was blocked when the end came is given up in time for what follows it. */
static void writing_is_given_up_before_the_rest(void **state)
{
	const uint64_t until = ending__write_until_ns(SINCE, SINCE);

	(void)state;
	assert_true(until > SINCE && until < SINCE + ENDING_OVERDUE_NS);
	/* What comes to write late has a moment, and no more. */
	assert_true(ending__write_until_ns(SINCE, SINCE + ENDING_OVERDUE_NS) >
		    SINCE + ENDING_OVERDUE_NS);
	assert_true(ending__write_until_ns(SINCE, SINCE + ENDING_OVERDUE_NS) <
		    SINCE + ENDING_LAST_NS);
}

static void it_begins_once(void **state)
{
	(void)state;
	assert_int_equal(ending__since_ns(), 0);
	assert_int_equal(ending__now(), ENDING_NO);
	ending__begin(clock__monotonic_ns() - ENDING_LAST_NS);
	assert_int_equal(ending__now(), ENDING_LAST);
	ending__begin(clock__monotonic_ns());
	assert_int_equal(ending__now(), ENDING_LAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_none_before_it_begins),
		cmocka_unit_test(it_goes_step_by_step),
		cmocka_unit_test(writing_is_given_up_before_the_rest),
		cmocka_unit_test(it_begins_once),
	};

	return cmocka_run_group_tests_name("base/ending", tests, NULL, NULL);
}
