/* SPDX-License-Identifier: BSD-2-Clause */
/* What has gone is not asked for; a number may come again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/gone.c"

static bool has(uintptr_t id)
{
	bool result;

	gone__hold();
	result = gone__has(id);
	gone__release();
	return result;
}

static void who_goes_has_gone_also_before_anybody_asks(void **state)
{
	(void)state;
	gone__goes(0x10);
	gone__begin();
	gone__goes(0x20);
	assert_true(has(0x10));
	assert_true(has(0x20));
	assert_false(has(0x30));
}

static void who_comes_is_there(void **state)
{
	(void)state;
	gone__goes(0x40);
	gone__goes(0x40);
	gone__comes(0x40);
	assert_false(has(0x40));
}

static void of_too_many_all_have_gone(void **state)
{
	(void)state;
	gone__begin();
	for (uintptr_t i = 0; i < KEPT; i++)
		gone__goes(0x1000 + i);
	assert_false(has(0x30));
	assert_true(has(0x1000));
	gone__goes(0x5000);
	assert_true(has(0x30));
	gone__begin();
	assert_false(has(0x30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_goes_has_gone_also_before_anybody_asks),
		cmocka_unit_test(who_comes_is_there),
		cmocka_unit_test(of_too_many_all_have_gone),
	};

	return cmocka_run_group_tests_name("agents/gone", tests, NULL, NULL);
}
