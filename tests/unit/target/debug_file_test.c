/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose symbols were taken out, and the file that has them, where it may be. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/debug_file.h"
#include "target/elf_file.h"
#include "target/process.h"
#include "target/symbol_table.h"

#include "fixture.h"

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* "program", stripped, and "program.debug", which it says it belongs to. */
static void make(const char *options)
{
	fixture__write("program.c", "static __attribute__((noinline, used)) int hidden(void)\n"
				    "{ return 1; }\n"
				    "int main(void) { return hidden(); }\n");
	fixture__compile("-o program program.c %s", options);
	run("objcopy --only-keep-debug program program.debug");
	run("objcopy --strip-all program");
	run("objcopy --add-gnu-debuglink=program.debug program");
}

static uint64_t left = DEBUG_FILES_MOST;
static struct symbol_room room = { .left = SYMBOLS_MOST };

static int look(struct symbol_table *table)
{
	struct process *process;
	struct elf_file elf;
	char path[PATH_MAX];
	int fd = open("program", O_RDONLY | O_CLOEXEC), err;

	assert_non_null(realpath("program", path));
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(elf_file__open(&elf, fd, NULL), 0);
	err = debug_file__read(process, path, &elf, &left, &room, table);
	elf_file__close(&elf);
	process__free(process);
	close(fd);
	return err;
}

static bool has_hidden(void)
{
	struct symbol_table table;
	bool has = false;

	if (look(&table))
		return false;
	assert_true(table.has_all);
	for (size_t i = 0; i < table.count; i++)
		has |= strcmp(table.names + table.entries[i].name, "hidden") == 0;
	symbol_table__free(&table);
	return has;
}

static void expect_none(int expected)
{
	struct symbol_table table;

	assert_int_equal(look(&table), expected);
	assert_int_equal(table.count, 0);
}

/* The program's own .gnu_debuglink is changed: length bytes at an offset in it. */
static void change_link(size_t at, const char *bytes, size_t length)
{
	const int fd = open("program", O_RDWR | O_CLOEXEC);
	const Elf64_Shdr *section;
	struct elf_file elf;

	assert_int_equal(elf_file__open(&elf, fd, NULL), 0);
	section = elf_file__section(&elf, ".gnu_debuglink", NULL);
	assert_non_null(section);
	assert_int_equal(pwrite(fd, bytes, length, (off_t)(section->sh_offset + at)), length);
	elf_file__close(&elf);
	close(fd);
}

static void a_debug_file_is_beside_the_program_or_below(void **state)
{
	static const char *const options[] = { "-Wl,--build-id=none", "-Wl,--build-id=sha1" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		make(options[i]);
		assert_true(has_hidden());
		run("mkdir -p .debug && mv program.debug .debug/");
		assert_true(has_hidden());
		run("rm .debug/program.debug");
		expect_none(-ENOENT);
	}
}

static void one_of_another_build_is_not_taken(void **state)
{
	(void)state;
	make("-Wl,--build-id=none");
	run("echo >>program.debug");
	expect_none(-ESTALE);
	make("-Wl,--build-id=0x0123456789");
	assert_true(has_hidden());
	run("mv program.debug other.debug");
	make("-Wl,--build-id=0x0123456780");
	run("mv other.debug program.debug");
	expect_none(-ESTALE);
	/* The right one is found although a wrong one stands in front of it. */
	make("-Wl,--build-id=none");
	run("mkdir -p .debug && cp program.debug .debug/ && echo >>program.debug");
	assert_true(has_hidden());
}

/* A checksum is of all of it; a build id is not. */
static void no_more_is_read_for_checksums_than_may_be(void **state)
{
	struct stat debug;

	(void)state;
	make("-Wl,--build-id=none");
	assert_int_equal(stat("program.debug", &debug), 0);
	left = (uint64_t)debug.st_size * 2 + 1;
	assert_true(has_hidden());
	assert_true(has_hidden());
	assert_int_equal(left, 1);
	expect_none(-EFBIG);
	/* One of another build in front of it does not hide that. */
	run("mkdir -p .debug && cp program.debug .debug/");
	run("truncate -s 1K program.debug");
	left = 1024;
	expect_none(-EFBIG);
	make("-Wl,--build-id=sha1");
	assert_true(has_hidden());
	left = DEBUG_FILES_MOST;
}

/* Its own headers count as well, whether it is taken or not. */
static void no_more_is_read_of_symbols_than_there_is_room_for(void **state)
{
	uint64_t used;

	(void)state;
	make("-Wl,--build-id=sha1");
	room.left = SYMBOLS_MOST;
	assert_true(has_hidden());
	used = SYMBOLS_MOST - room.left;
	room.left = used;
	assert_true(has_hidden());
	assert_int_equal(room.left, 0);
	assert_false(room.was_short);
	room.left = used - 1;
	expect_none(-ENOENT);
	assert_true(room.was_short);
	room = (struct symbol_room){ .left = SYMBOLS_MOST };
	run("mv program.debug other.debug");
	make("-Wl,--build-id=0x0123456780");
	run("mv other.debug program.debug");
	expect_none(-ESTALE);
	assert_true(room.left < SYMBOLS_MOST);
	assert_false(room.was_short);
}

static void a_name_that_leads_elsewhere_is_none(void **state)
{
	(void)state;
	make("-Wl,--build-id=none");
	run("mkdir -p a && cp program.debug a/ogram.debug");
	change_link(0, "a/", 2);
	expect_none(-ENOENT);
	change_link(0, "..", 3);
	expect_none(-ENOENT);
	change_link(0, "", 1);
	expect_none(-ENOENT);
	/* No end, and no room for a checksum. */
	change_link(0, "program.debug...........................", 20);
	expect_none(-ENOENT);
}

static void what_is_no_file_of_symbols_is_none(void **state)
{
	(void)state;
	make("-Wl,--build-id=sha1");
	run("rm program.debug && mkfifo program.debug");
	expect_none(-EINVAL);
	run("rm program.debug && : >program.debug");
	expect_none(-ENOEXEC);
	run("cp program program.debug"); /* of the same build, and stripped as well */
	expect_none(-ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_debug_file_is_beside_the_program_or_below),
		TEST(one_of_another_build_is_not_taken),
		TEST(no_more_is_read_for_checksums_than_may_be),
		TEST(no_more_is_read_of_symbols_than_there_is_room_for),
		TEST(a_name_that_leads_elsewhere_is_none),
		TEST(what_is_no_file_of_symbols_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
