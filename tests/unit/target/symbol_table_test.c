/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/elf_file.h"
#include "target/symbol_table.h"

/* Of this very program, which has its symbols. */
static int read_own(struct symbol_table *table, struct symbol_room *room)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), err;
	struct elf_file elf;

	assert_true(fd >= 0);
	assert_int_equal(elf_file__open(&elf, fd, NULL), 0);
	err = symbol_table__read(table, &elf, room);
	elf_file__close(&elf);
	close(fd);
	return err;
}

static void open_own(struct symbol_table *table)
{
	struct symbol_room room = { .left = SYMBOLS_MOST };

	assert_int_equal(read_own(table, &room), 0);
	assert_false(room.was_short);
}

static void every_address_of_a_function_is_in_it(void **state)
{
	struct symbol_table table;
	uint64_t start;
	bool inside;

	(void)state;
	open_own(&table);
	assert_true(table.has_all);
	for (size_t i = 0; i < table.count; i++) {
		const struct symbol_entry *entry = &table.entries[i];
		const char *name = table.names + entry->name;

		assert_true(i == 0 || table.entries[i - 1].address < entry->address);
		assert_string_equal(symbol_table__at(&table, entry->address, &start, &inside),
				    name);
		assert_int_equal(start, entry->address);
		assert_int_equal(inside, entry->size > 0);
		if (!entry->size)
			continue;
		symbol_table__at(&table, entry->address + entry->size - 1, &start, &inside);
		assert_true(start >= entry->address);
	}
	symbol_table__free(&table);
}

static void between_two_functions_it_is_none(void **state)
{
	struct symbol_entry entries[] = { { 0x1000, 0x10, 1 }, { 0x2000, 0, 3 }, { 0x3000, 4, 5 } };
	char names[] = "\0a\0b\0c";
	const struct symbol_table table = { entries, 3, names, sizeof(names), true };
	uint64_t start = 0;
	bool inside = true;

	(void)state;
	assert_null(symbol_table__at(&table, 0xfff, &start, &inside));
	assert_string_equal(symbol_table__at(&table, 0x100f, &start, &inside), "a");
	assert_true(inside);
	assert_string_equal(symbol_table__at(&table, 0x1010, &start, &inside), "a");
	assert_false(inside);
	/* One that says no size reaches nowhere for sure. */
	assert_string_equal(symbol_table__at(&table, 0x2000, &start, &inside), "b");
	assert_false(inside);
	assert_string_equal(symbol_table__at(&table, UINT64_MAX, &start, &inside), "c");
	assert_int_equal(start, 0x3000);
	assert_false(inside);
}

static void of_several_names_the_plainest(void **state)
{
	struct symbol_table table;
	size_t found = 0;

	(void)state;
	open_own(&table);
	for (size_t i = 0; i < table.count; i++) {
		const char *name = table.names + table.entries[i].name;

		assert_string_not_equal(name, "__plain_by_another_name");
		found += strcmp(name, "plain_function") == 0;
	}
	assert_int_equal(found, 1);
	symbol_table__free(&table);
}

__attribute__((noinline, used)) void plain_function(void);
void plain_function(void)
{
	__asm__ volatile("");
}
void __plain_by_another_name(void) __attribute__((alias("plain_function")));

static void a_file_that_is_none(void **state)
{
	struct elf_file elf;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(elf_file__open(&elf, fd, NULL) < 0);
	assert_int_equal(elf.bytes, 0);
	close(fd);
}

static void no_more_is_read_than_there_is_room_for(void **state)
{
	struct symbol_room room = { .left = SYMBOLS_MOST };
	struct symbol_table table;
	uint64_t used;

	(void)state;
	assert_int_equal(read_own(&table, &room), 0);
	used = SYMBOLS_MOST - room.left;
	assert_true(used >= table.names_len + table.count * sizeof(*table.entries));
	symbol_table__free(&table);
	room.left = used;
	assert_int_equal(read_own(&table, &room), 0);
	assert_int_equal(room.left, 0);
	assert_false(room.was_short);
	symbol_table__free(&table);
	/* No room for .symtab: what it exports is known still, which is not all. */
	room.left = used - 1;
	if (read_own(&table, &room) == 0)
		assert_false(table.has_all);
	assert_true(room.was_short);
	symbol_table__free(&table);
	room = (struct symbol_room){ .left = 1 };
	assert_int_equal(read_own(&table, &room), -E2BIG);
	assert_int_equal(table.count, 0);
	assert_true(room.was_short);
	assert_int_equal(room.left, 1);
}

int a_name_of_data = 1;

static void names_of_functions_alone_are_kept(void **state)
{
	struct symbol_table table;
	size_t bytes = 0;

	(void)state;
	open_own(&table);
	for (size_t i = 0; i < table.count; i++)
		bytes += strlen(table.names + table.entries[i].name) + 1;
	assert_int_equal(table.names_len, bytes - 1);
	assert_null(memmem(table.names, table.names_len, "a_name_of_data", 14));
	symbol_table__free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_of_a_function_is_in_it),
		cmocka_unit_test(between_two_functions_it_is_none),
		cmocka_unit_test(of_several_names_the_plainest),
		cmocka_unit_test(a_file_that_is_none),
		cmocka_unit_test(no_more_is_read_than_there_is_room_for),
		cmocka_unit_test(names_of_functions_alone_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
