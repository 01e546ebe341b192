/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "target/name_table.h"

static void a_text_keeps_its_number(void **state)
{
	struct name_table *table = name_table__new();
	char text[32];

	(void)state;
	assert_non_null(table);
	assert_null(name_table__text(table, 0));
	assert_null(name_table__text(table, 1));
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 5000; i++) {
			snprintf(text, sizeof(text), "method %u", i);
			assert_int_equal(name_table__number(table, text, strlen(text)), i);
		}
	for (uint32_t i = 1; i <= 5000; i++) {
		snprintf(text, sizeof(text), "method %u", i);
		assert_string_equal(name_table__text(table, i), text);
	}
	/* By its length, not by a 0; the empty one is one too. */
	assert_int_equal(name_table__number(table, "method 12", 8), 1);
	assert_int_equal(name_table__number(table, "", 0), 5001);
	assert_string_equal(name_table__text(table, 5001), "");
	assert_null(name_table__text(table, UINT64_MAX));
	name_table__free(table);
	name_table__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_keeps_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
