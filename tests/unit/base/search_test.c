/* SPDX-License-Identifier: BSD-2-Clause */
/* How many stand at the front, against counting them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

struct item {
	uint32_t key;
};

static void as_many_as_there_are(void **state)
{
	struct item items[20];

	(void)state;
	for (uint32_t count = 0; count <= 20; count++)
		for (uint32_t step = 0; step < 3; step++) { /* all alike, each, with gaps */
			for (uint32_t i = 0; i < count; i++)
				items[i].key = 10 + step * i;
			for (uint32_t key = 0; key < 80; key++) {
				size_t less = 0;

				while (less < count && items[less].key < key)
					less++;
				assert_int_equal(search__front(items, count, item, item->key < key),
						 less);
			}
		}
}

static void of_nothing_none(void **state)
{
	const struct item *items = NULL;

	(void)state;
	assert_int_equal(search__front(items, 0, item, item->key < 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_there_are),
		cmocka_unit_test(of_nothing_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
