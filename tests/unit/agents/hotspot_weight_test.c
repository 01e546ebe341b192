/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sample stands for, against the mathematical library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "agents/hotspot/weight.h"

static void each_size_has_its_weight(void **state)
{
	(void)state;
	for (double size = 8; size < 1e12; size *= 1.3) {
		for (double interval = 1; interval < 2147483648.0; interval *= 7) {
			const uint64_t bytes = (uint64_t)size & ~UINT64_C(7);
			const uint32_t every = (uint32_t)interval;
			const double want = (double)bytes / -expm1(-(double)bytes / every);

			assert_true(fabs((double)weight__of(bytes, every) - want) <=
				    0.51 + want * 1e-9);
		}
	}
}

static void where_all_are_sampled_each_stands_for_itself(void **state)
{
	(void)state;
	assert_int_equal(weight__of(24, 0), 24);
	assert_int_equal(weight__of(0, 0), 0);
	assert_int_equal(weight__of(0, 524288), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_size_has_its_weight),
		cmocka_unit_test(where_all_are_sampled_each_stands_for_itself),
	};

	return cmocka_run_group_tests_name("agents/hotspot_weight", tests, NULL, NULL);
}
