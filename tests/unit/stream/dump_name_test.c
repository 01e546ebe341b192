/* SPDX-License-Identifier: BSD-2-Clause */
/* FILE@N taken apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/dump_name.h"

static void expect(const char *word, const char *path, uint64_t number)
{
	struct dump_name name;

	assert_int_equal(dump_name__parse(word, &name), 0);
	assert_string_equal(name.path, path);
	assert_int_equal(name.number, number);
	dump_name__free(&name);
}

static void expect_refused(const char *word)
{
	struct dump_name name;

	assert_int_equal(dump_name__parse(word, &name), -EINVAL);
	assert_null(name.path);
}

static void what_names_a_dump(void **state)
{
	(void)state;
	expect("/no/app@2", "/no/app", 2);
	expect("/no/app@0002", "/no/app", 2);
	expect("/no/app@first", "/no/app", 1);
	expect("/no/app@last", "/no/app", DUMP_NAME_LAST);
	expect("/no/app@2@3", "/no/app@2", 3);
	expect("/no/app@18446744073709551614", "/no/app", UINT64_MAX - 1);
}

static void what_is_a_path_as_it_is(void **state)
{
	static const char *const words[] = { "/no/app", "/no/app@", "/no/app@two", "/no/a@b/c",
					     "/no/app@2x", "/no/app@-1", "/no/app@ 1", "@2", "@",
					     "/no/app@First", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		expect(words[i], words[i], DUMP_NAME_NONE);
}

static void where_a_recording_belongs(void **state)
{
	(void)state;
	assert_int_equal(dump_name__refuse("/no/app@2"), 0); /* there is no such file either */
	assert_int_equal(dump_name__refuse("/dev/null"), 0);
	assert_int_equal(dump_name__refuse("/dev/null@x"), 0);
	assert_int_equal(dump_name__refuse("/dev/null@2"), -EINVAL);
	assert_int_equal(dump_name__refuse("/dev/null@last"), -EINVAL);
	assert_int_equal(dump_name__refuse("@2"), 0);
	assert_int_equal(dump_name__refuse(""), 0);
}

static void what_no_dump_can_be(void **state)
{
	(void)state;
	expect_refused("/no/app@0");
	expect_refused("/no/app@000");
	expect_refused("/no/app@18446744073709551615");
	expect_refused("/no/app@18446744073709551616");
	expect_refused("/no/app@99999999999999999999999999");
}

static void a_file_of_that_name_goes_first(void **state)
{
	char path[] = "/tmp/dump_name_XXXXXX", word[64];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(word, sizeof(word), "%s@2", path);
	expect(word, path, 2);
	assert_int_equal(dump_name__refuse(word), -EINVAL);
	assert_int_equal(rename(path, word), 0);
	expect(word, word, DUMP_NAME_NONE);
	unlink(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_names_a_dump),
		cmocka_unit_test(what_is_a_path_as_it_is),
		cmocka_unit_test(where_a_recording_belongs),
		cmocka_unit_test(what_no_dump_can_be),
		cmocka_unit_test(a_file_of_that_name_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
