/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/environment.h"
#include "target/process.h"

static void values_are_found_by_their_whole_name(void **state)
{
	static const char text[] = "A=1\0AB=2\0=3\0NOTHING\0EMPTY=\0A=4\0C=5=6\0LAST=7";
	struct buf environment = BUF_INIT;

	(void)state;
	assert_null(environment__get(&environment, "A"));
	buf__add(&environment, text, sizeof(text) - 1); /* the last is not closed */
	assert_string_equal(environment__get(&environment, "A"), "1");
	assert_string_equal(environment__get(&environment, "AB"), "2");
	assert_string_equal(environment__get(&environment, "EMPTY"), "");
	assert_string_equal(environment__get(&environment, "C"), "5=6");
	assert_string_equal(environment__get(&environment, "LAST"), "7");
	assert_null(environment__get(&environment, "NOTHING"));
	assert_null(environment__get(&environment, "B"));
	assert_null(environment__get(&environment, "LAS"));
	buf__free(&environment);
}

static void temporary_files_are_where_it_says(void **state)
{
	struct buf environment = BUF_INIT;

	(void)state;
	assert_string_equal(environment__temporary(&environment), "/tmp");
	buf__add(&environment, "TMPDIR=\0", 8);
	assert_string_equal(environment__temporary(&environment), "/tmp");
	buf__reset(&environment);
	buf__add(&environment, "A=1\0TMPDIR=/var/tmp\0", 20);
	assert_string_equal(environment__temporary(&environment), "/var/tmp");
	buf__free(&environment);
}

static void our_own_can_be_read(void **state)
{
	struct buf environment = BUF_INIT;
	struct process *process;

	(void)state;
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(environment__read(process, &environment), 0);
	assert_string_equal(environment__get(&environment, "PATH"), getenv("PATH"));
	process__free(process);
	buf__free(&environment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_their_whole_name),
		cmocka_unit_test(temporary_files_are_where_it_says),
		cmocka_unit_test(our_own_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
