/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/refuse.h"

static void the_error_comes_back_and_the_reason_stands_behind_what_was_there(void **state)
{
	struct buf why = BUF_INIT;

	(void)state;
	buf__add_str(&why, "it ");
	assert_int_equal(refuse(&why, -ENOTSUP, "is %d bits %s", 32, "wide"), -ENOTSUP);
	assert_string_equal(buf__str(&why), "it is 32 bits wide");
	buf__free(&why);
}

static void nobody_need_want_to_know(void **state)
{
	(void)state;
	assert_int_equal(refuse(NULL, -EINVAL, "is of no use"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_comes_back_and_the_reason_stands_behind_what_was_there),
		cmocka_unit_test(nobody_need_want_to_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
