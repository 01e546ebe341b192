/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions and tables: what is given out stays, has an end, and goes all at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/common/region.c"
#include "agents/common/table.c"

struct item {
	struct table_entry entry;
	uint64_t square;
};

static void a_region_gives_zeros_until_it_is_full(void **state)
{
	struct region region = { 0 };
	unsigned char *first, *second;

	(void)state;
	assert_true(region__reserve(&region, 4096));
	first = region__get(&region, 5);
	second = region__get(&region, 4088);
	assert_ptr_equal(second, first + 8);
	assert_int_equal(second[4087], 0);
	memset(first, 1, 4096);
	assert_null(region__get(&region, 1));
	assert_non_null(region__get(&region, 0));
	region__empty(&region);
	first = region__get(&region, 4096);
	assert_int_equal(first[0], 0);
	assert_null(region__get(&region, SIZE_MAX));
	region__release(&region);
	assert_null(region.at);
	region__release(&region);
}

static void what_is_taken_out_is_not_found_until_it_is_put_back(void **state)
{
	struct table table;

	(void)state;
	assert_true(table__reserve(&table, sizeof(struct item), 20000));
	for (uint64_t i = 0; i < 20000; i++)
		((struct item *)table__add(&table, i))->square = i * i;
	for (uint32_t i = 0; i < 20000; i += 3)
		table__take_out(&table, table__at(&table, i));
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(table__find(&table, i) == NULL, i % 3 == 0);
	for (uint32_t i = 0; i < 20000; i += 3)
		table__put_back(&table, table__at(&table, i), 50000 + i);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct item *item = table__find(&table, i % 3 ? i : 50000 + i);

		assert_non_null(item);
		assert_int_equal(item->square, i * i);
	}
	assert_int_equal(table.count, 20000);
	munmap(table.entries.at, table.entries.room);
}

static void a_table_finds_what_was_added(void **state)
{
	struct table table;

	(void)state;
	assert_true(table__reserve(&table, sizeof(struct item), 20000));
	for (uint64_t i = 0; i < 20000; i++) {
		struct item *item = table__add(&table, i << 5);

		assert_non_null(item);
		item->square = i * i;
	}
	assert_null(table__add(&table, 1)); /* full, and told */
	for (uint64_t i = 0; i < 20000; i++) {
		const struct item *item = table__find(&table, i << 5);

		assert_non_null(item);
		assert_int_equal(item->square, i * i);
		assert_ptr_equal(item, table__at(&table, (uint32_t)i));
	}
	assert_null(table__find(&table, 1));
	table__empty(&table);
	assert_null(table__find(&table, 32));
	assert_non_null(table__add(&table, 32));
	munmap(table.entries.at, table.entries.room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_gives_zeros_until_it_is_full),
		cmocka_unit_test(what_is_taken_out_is_not_found_until_it_is_put_back),
		cmocka_unit_test(a_table_finds_what_was_added),
	};

	return cmocka_run_group_tests_name("agents/table", tests, NULL, NULL);
}
