/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "view/pace.h"

static void the_first_is_due_at_once_and_the_next_after_half_a_second(void **state)
{
	const uint64_t start_ns = 7 * NS_PER_MS;
	struct pace pace = { 0 };

	(void)state;
	assert_true(pace__is_due(&pace, start_ns));
	pace__painted(&pace, start_ns, start_ns + NS_PER_MS);
	assert_false(pace__is_due(&pace, start_ns + 500 * NS_PER_MS - 1));
	assert_true(pace__is_due(&pace, start_ns + 500 * NS_PER_MS));
}

static void what_takes_long_is_painted_more_rarely(void **state)
{
	struct pace pace = { 0 };

	(void)state;
	pace__painted(&pace, 0, 100 * NS_PER_MS);
	assert_false(pace__is_due(&pace, 2000 * NS_PER_MS - 1));
	assert_true(pace__is_due(&pace, 2000 * NS_PER_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_due_at_once_and_the_next_after_half_a_second),
		cmocka_unit_test(what_takes_long_is_painted_more_rarely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
