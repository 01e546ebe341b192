/* SPDX-License-Identifier: BSD-2-Clause */
/* Which report is a further part of an object, against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/unfinished.h"

#define IDS 500
#define REPORTS 20000

static void what_is_open_is_known(void **state)
{
	struct unfinished unfinished = { 0 };
	bool is_open[IDS];

	(void)state;
	srand(1);
	for (int round = 0; round < 3; round++) {
		memset(is_open, 0, sizeof(is_open));
		for (int i = 0; i < REPORTS; i++) {
			const int id = rand() % IDS;
			const bool more = rand() % 2;

			assert_int_equal(unfinished__told(&unfinished, (uint64_t)id << 32, more),
					 is_open[id]);
			is_open[id] = more;
		}
		unfinished__free(&unfinished);
	}
}

/* As most dumps are: then nothing is kept. */
static void whole_objects_take_no_room(void **state)
{
	struct unfinished unfinished = { 0 };

	(void)state;
	for (uint64_t id = 1; id < 1000; id++)
		assert_int_equal(unfinished__told(&unfinished, id, false), 0);
	assert_int_equal(unfinished.of.count, 0);
	assert_null(unfinished.by_id.of);
	unfinished__free(&unfinished);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_open_is_known),
		cmocka_unit_test(whole_objects_take_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
