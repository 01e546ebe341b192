/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/observer_private.h"

/* How exact a native function is as the method of a thread whose walk found no managed frame. */
static enum accuracy of_native(bool is_managed, bool is_still)
{
	struct process process = { .pid = 1 };
	const struct runtime runtime = { .kind = RUNTIME_CPYTHON };
	const struct observing own = {
		.options.fields = SAMPLE_METHOD_ID,
		.process = &process,
		.runtime = &runtime,
	};
	const struct sweep sweep = { .number = 1 };
	const struct sampled row = {
		.caught = { .how = CAUGHT_OFF_CPU, .waits = true },
		.state = SAMPLED_WAITS,
	};
	const struct seen seen = {
		.is_known = true,
		.is_still = is_still,
		.walk.is_managed = is_managed,
		.method = 1,
	};

	return observing__sight(&own, &sweep, &row, &seen).of[SIGHTING_METHOD];
}

static void test_a_function_may_hide_managed_frames_that_were_read_too_late(void **state)
{
	(void)state;
	assert_int_equal(of_native(true, false), ACCURACY_POOR);
	assert_int_equal(of_native(true, true), ACCURACY_EXACT);
	assert_int_equal(of_native(false, false), ACCURACY_EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_may_hide_managed_frames_that_were_read_too_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
