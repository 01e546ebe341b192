/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts: names and values, as text and back, whatever bytes the values have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "stream/facts.h"

static void values_replace_each_other(void **state)
{
	struct facts *facts = facts__new();
	size_t bytes;

	(void)state;
	assert_int_equal(facts__set_str(facts, "kernel", "6.1"), 0);
	assert_int_equal(facts__set_str(facts, "kernel", "6.18.44"), 0);
	assert_int_equal(facts__count(facts), 1);
	assert_string_equal(facts__get(facts, "kernel", &bytes), "6.18.44");
	assert_int_equal(bytes, 7);
	assert_null(facts__get(facts, "kerne", NULL));
	facts__free(facts);
	facts__free(NULL);
}

static void numbers_are_numbers_or_not(void **state)
{
	struct facts *facts = facts__new();

	(void)state;
	facts__set_u64(facts, "a", UINT64_MAX);
	facts__set_i64(facts, "b", INT64_MIN);
	facts__set_str(facts, "c", "12x");
	facts__set_str(facts, "d", "-1");
	facts__set_str(facts, "e", "");
	facts__set_str(facts, "f", "99999999999999999999999");
	assert_true(facts__get_u64(facts, "a", 5) == UINT64_MAX);
	assert_true(facts__get_i64(facts, "b", 5) == INT64_MIN);
	for (const char *name = "cdefg"; *name; name++) {
		const char one[] = { *name, '\0' };

		assert_int_equal(facts__get_u64(facts, one, 5), 5);
		if (*name != 'd')
			assert_int_equal(facts__get_i64(facts, one, 5), 5);
	}
	facts__free(facts);
}

static void names_are_checked(void **state)
{
	static const char *const wrong[] = { "", "A", "a=b", "a\nb", "a b", "\xc3\xa4" };
	struct facts *facts = facts__new();
	char name[200];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(facts__set_str(facts, wrong[i], "x"), -EINVAL);
	memset(name, 'a', sizeof(name));
	name[199] = '\0';
	assert_int_equal(facts__set_str(facts, name, "x"), -EINVAL);
	assert_int_equal(facts__set_target(facts, UINT32_MAX, name, "x"), -EINVAL);
	assert_null(facts__get_target(facts, 1, name, NULL));
	assert_int_equal(facts__set_target(facts, UINT32_MAX, "pid", "1"), 0);
	assert_string_equal(facts__name(facts, 0), "target.4294967295.pid");
	facts__free(facts);
}

static void any_value_comes_back(void **state)
{
	struct facts *facts = facts__new(), *back = facts__new();
	struct buf text = BUF_INIT;
	char all[512];
	const char *value;
	size_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)i;
	facts__set(facts, "all", all, sizeof(all));
	facts__set(facts, "none", NULL, 0);
	facts__set_str(facts, "trick", "a\nkernel=forged\\n");
	facts__print(facts, &text);
	assert_int_equal(facts__parse(back, text.data, text.len), 0);
	assert_int_equal(facts__count(back), 3);
	value = facts__get(back, "all", &bytes);
	assert_int_equal(bytes, sizeof(all));
	assert_memory_equal(value, all, sizeof(all));
	assert_string_equal(facts__value(back, 2, &bytes), "a\nkernel=forged\\n");
	buf__free(&text);
	facts__free(facts);
	facts__free(back);
}

static void lines_that_are_none_are_refused(void **state)
{
	static const char *const wrong[] = { "a",     "a=b",	"=b\n",	 "\n",
					     "A=b\n", "a=\\\n", "a=\\x\n" };
	struct facts *facts = facts__new();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(facts__parse(facts, wrong[i], strlen(wrong[i])), -EBADMSG);
	assert_int_equal(facts__count(facts), 0);
	assert_int_equal(facts__parse(facts, "a=1\nb", 5), -EBADMSG);
	assert_string_equal(facts__get(facts, "a", NULL), "1");
	assert_int_equal(facts__parse(facts, "", 0), 0);
	facts__free(facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_replace_each_other),
		cmocka_unit_test(numbers_are_numbers_or_not),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(any_value_comes_back),
		cmocka_unit_test(lines_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
