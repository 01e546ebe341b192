/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/dump_estimate.h"

static void without_dumps_the_limits_are_wide_and_said_to_be_assumed(void **state)
{
	const struct dump_yardstick none = { .dumps = 0 };
	const struct dump_estimate estimate = dump_estimate__of(&none, 128000, 160000);

	(void)state;
	assert_true(estimate.assumed);
	assert_int_equal(estimate.objects_low, 128000 / DUMP_SIZE_MOST);
	assert_int_equal(estimate.objects_high, 160000 / DUMP_SIZE_LEAST);
	assert_int_equal(estimate.ns_low, 1000 * DUMP_NS_LEAST);
	assert_int_equal(estimate.ns_high, 10000 * DUMP_NS_MOST);
	assert_true(estimate.by.size.low == DUMP_SIZE_LEAST && estimate.by.ns.high == DUMP_NS_MOST);
}

static void earlier_dumps_give_the_limits(void **state)
{
	struct dump_yardstick yardstick = { .dumps = 0 };
	struct dump_estimate estimate;

	(void)state;
	dump_yardstick__add(&yardstick, 100, 4000, 20000);
	dump_yardstick__add(&yardstick, 1000, 50000, 100000);
	dump_yardstick__add(&yardstick, 0, 50000, 100000); /* says nothing */
	dump_yardstick__add(&yardstick, 10, 50000, 0);
	assert_int_equal(yardstick.dumps, 2);
	estimate = dump_estimate__of(&yardstick, 1000000, 2000000);
	assert_false(estimate.assumed);
	assert_int_equal(estimate.objects_low, 20000);
	assert_int_equal(estimate.objects_high, 50000);
	assert_int_equal(estimate.ns_low, 20000 * 100);
	assert_int_equal(estimate.ns_high, 50000 * 200);
	assert_true(estimate.by.size.low == 40 && estimate.by.size.high == 50);
}

static void what_is_not_known_has_no_lower_limit(void **state)
{
	const struct dump_yardstick none = { .dumps = 0 };
	const struct dump_estimate estimate = dump_estimate__of(&none, 0, UINT64_MAX);

	(void)state;
	assert_int_equal(estimate.objects_low, 0);
	assert_int_equal(estimate.ns_low, 0);
	assert_int_equal(estimate.ns_high, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_dumps_the_limits_are_wide_and_said_to_be_assumed),
		cmocka_unit_test(earlier_dumps_give_the_limits),
		cmocka_unit_test(what_is_not_known_has_no_lower_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
