/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

#include "fixture.h"
#include "target/perf_map.h"
#include "target/process.h"

static struct perf_map *make(const char *text)
{
	struct perf_map *map = perf_map__new();

	assert_non_null(map);
	assert_int_equal(perf_map__add(map, text, strlen(text)), 0);
	return map;
}

static const char *name_at(const struct perf_map *map, uint64_t address)
{
	struct perf_code code;

	if (!perf_map__find(map, address, &code))
		return "";
	assert_true(code.start <= address && address < code.end);
	return code.name;
}

static void lines_are_of_either_form(void **state)
{
	struct perf_map *map = make("7f0010 20 JS:*f /app/main.js:1:2\n"
				    "0x00007f0040 0x10 void [app] Program::Main()[Tier0]\n"
				    "0X7f0060 0X1 A\n");

	(void)state;
	assert_int_equal(perf_map__count(map), 3);
	assert_int_equal(perf_map__malformed(map), 0);
	assert_string_equal(name_at(map, 0x7f000f), "");
	assert_string_equal(name_at(map, 0x7f0010), "JS:*f /app/main.js:1:2");
	assert_string_equal(name_at(map, 0x7f002f), "JS:*f /app/main.js:1:2");
	assert_string_equal(name_at(map, 0x7f0030), "");
	assert_string_equal(name_at(map, 0x7f004f), "void [app] Program::Main()[Tier0]");
	assert_string_equal(name_at(map, 0x7f0060), "A");
	assert_string_equal(name_at(map, 0x7f0061), "");
	perf_map__free(map);
	perf_map__free(NULL);
}

static void what_is_no_line_is_counted(void **state)
{
	static const char *const bad[] = {
		"", "zz 10 a", "10", "10 ", "10 10", "10 10 ", "10 0 empty", " 10 10 a",
		"ffffffffffffffff 2 beyond", "10000000000000000 1 more", "10 10000000000000000 a",
		"-10 10 a", "10  10 a", "0x 10 a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct perf_map *map = make(bad[i]);

		assert_int_equal(perf_map__add(map, "\n20 1 good\n", 11), 0);
		assert_int_equal(perf_map__malformed(map), 1);
		assert_int_equal(perf_map__count(map), 1);
		assert_string_equal(name_at(map, 0x20), "good");
		perf_map__free(map);
	}
}

static void a_name_with_a_zero_in_it_is_none(void **state)
{
	struct perf_map *map = make("");

	(void)state;
	assert_int_equal(perf_map__add(map, "10 10 a\0b\n", 10), 0);
	assert_int_equal(perf_map__malformed(map), 1);
	assert_int_equal(perf_map__count(map), 0);
	perf_map__free(map);
}

static void a_line_without_its_end_waits(void **state)
{
	struct perf_map *map = make("10 10 fir");

	(void)state;
	assert_int_equal(perf_map__count(map), 0);
	assert_int_equal(perf_map__add(map, "st\n20 1", 7), 0);
	assert_string_equal(name_at(map, 0x10), "first");
	assert_int_equal(perf_map__count(map), 1);
	assert_int_equal(perf_map__add(map, "0 second\n", 9), 0);
	assert_string_equal(name_at(map, 0x2f), "second");
	assert_int_equal(perf_map__malformed(map), 0);
	perf_map__free(map);
}

#define SPACE 48

/* Each address has the name of the last line that holds it. */
static void later_lines_win_as_by_brute_force(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 2000; round++) {
		int truth[SPACE] = { 0 }, lines = (int)(random() % 12);
		struct perf_map *map = make("");
		struct buf text = BUF_INIT;
		struct perf_code code;
		uint64_t last = 0;

		for (int line = 1; line <= lines; line++) {
			const int start = (int)(random() % (SPACE - 1));
			const int size = 1 + (int)(random() % (SPACE - start));

			buf__printf(&text, "%x %x %d\n", start, size, line);
			for (int at = start; at < start + size && at < SPACE; at++)
				truth[at] = line;
			if (random() % 3 && line < lines)
				continue;
			assert_int_equal(perf_map__add(map, buf__str(&text), text.len), 0);
			buf__reset(&text);
		}
		for (int at = 0; at < SPACE; at++)
			assert_int_equal(atoi(name_at(map, (uint64_t)at)), truth[at]);
		for (size_t i = 0; i < perf_map__count(map); i++) {
			perf_map__at(map, i, &code);
			assert_true(code.start >= last && code.end > code.start);
			last = code.end;
		}
		perf_map__free(map);
		buf__free(&text);
	}
}

/* Not even those count that were none. */
static void a_million_lines_are_read_and_no_more(void **state)
{
	struct perf_map *map = make("not one\n");
	struct buf text = BUF_INIT;

	(void)state;
	for (uint64_t i = 1; i < PERF_MAP_LINES; i++)
		buf__printf(&text, "%" PRIx64 " 1 a\n", i);
	assert_int_equal(perf_map__add(map, buf__str(&text), text.len), 0);
	assert_int_equal(perf_map__count(map), PERF_MAP_LINES - 1);
	assert_false(perf_map__is_cut(map));
	assert_int_equal(perf_map__add(map, "0 1 be", 6), 0);
	assert_false(perf_map__is_cut(map));
	assert_int_equal(perf_map__add(map, "fore\n0 1 ", 9), 0);
	assert_true(perf_map__is_cut(map));
	assert_int_equal(perf_map__add(map, "first\n", 6), 0);
	assert_int_equal(perf_map__count(map), PERF_MAP_LINES - 1);
	assert_int_equal(perf_map__malformed(map), 1);
	assert_string_equal(name_at(map, 0), "");
	assert_string_equal(name_at(map, 1), "a");
	assert_string_equal(name_at(map, PERF_MAP_LINES - 1), "a");
	perf_map__free(map);
	buf__free(&text);
}

/* ---------------------------------------------------------------- files */

static struct process *self(void)
{
	struct process *process;

	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	return process;
}

static const char *file_name(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "perf-%d.map", (int)getpid());
	return name;
}

static void append(const char *text)
{
	FILE *file = fopen(file_name(), "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int open_here(const struct process *process, struct perf_map **map, struct buf *why)
{
	char directory[4096];

	assert_non_null(getcwd(directory, sizeof(directory)));
	buf__reset(why);
	return perf_map__open(process, directory, map, why);
}

static void a_file_is_followed_as_it_grows(void **state)
{
	struct process *process = self();
	struct buf why = BUF_INIT;
	struct perf_map *map;

	(void)state;
	assert_int_equal(open_here(process, &map, &why), -ENOENT);
	assert_null(map);
	assert_non_null(strstr(buf__str(&why), "there is no /"));
	fixture__write(file_name(), "10 10 first\n20 10 sec");
	assert_int_equal(open_here(process, &map, &why), 0);
	assert_int_equal(perf_map__count(map), 1);
	append("ond\n18 4 third\n");
	assert_int_equal(perf_map__refresh(map), 0);
	assert_int_equal(perf_map__count(map), 4);
	assert_string_equal(name_at(map, 0x17), "first");
	assert_string_equal(name_at(map, 0x18), "third");
	assert_string_equal(name_at(map, 0x1c), "first");
	assert_string_equal(name_at(map, 0x20), "second");
	assert_false(perf_map__is_cut(map));
	/* Made anew: shorter, then another file. */
	fixture__write(file_name(), "30 1 new\n");
	assert_int_equal(perf_map__refresh(map), 0);
	assert_int_equal(perf_map__count(map), 1);
	assert_string_equal(name_at(map, 0x30), "new");
	assert_int_equal(rename(file_name(), "old"), 0);
	assert_int_equal(perf_map__refresh(map), -ENOENT);
	assert_string_equal(name_at(map, 0x30), "new");
	fixture__write(file_name(), "40 1 another, and longer\n");
	assert_int_equal(perf_map__refresh(map), 0);
	assert_int_equal(perf_map__count(map), 1);
	assert_string_equal(name_at(map, 0x40), "another, and longer");
	unlink(file_name());
	perf_map__free(map);
	process__free(process);
	buf__free(&why);
}

/* One that is made anew begins anew. */
static void a_file_is_read_to_a_limit(void **state)
{
	struct process *process = self();
	struct buf text = BUF_INIT, why = BUF_INIT;
	struct perf_map *map;

	(void)state;
	buf__add_str(&text, "10 10 first\n");
	buf__add_repeated(&text, '\n', PERF_MAP_LINES - 1);
	fixture__write(file_name(), buf__str(&text));
	buf__free(&text);
	assert_int_equal(open_here(process, &map, &why), 0);
	assert_false(perf_map__is_cut(map));
	append("20 10 last\n");
	assert_int_equal(perf_map__refresh(map), 0);
	assert_true(perf_map__is_cut(map));
	assert_int_equal(perf_map__refresh(map), 0);
	assert_true(perf_map__is_cut(map));
	assert_int_equal(perf_map__count(map), 1);
	fixture__write(file_name(), "30 10 new\n");
	assert_int_equal(perf_map__refresh(map), 0);
	assert_false(perf_map__is_cut(map));
	assert_string_equal(name_at(map, 0x30), "new");
	unlink(file_name());
	perf_map__free(map);
	process__free(process);
	buf__free(&why);
}

static void somebody_elses_is_refused(void **state)
{
	struct process *process = self();
	struct buf why = BUF_INIT;
	struct perf_map *map;

	(void)state;
	if (!fixture__is_root()) {
		process__free(process);
		skip();
	}
	fixture__write(file_name(), "10 10 lie\n");
	assert_int_equal(chown(file_name(), 12345, 12345), 0);
	assert_int_equal(open_here(process, &map, &why), -EPERM);
	assert_non_null(strstr(buf__str(&why), "belongs to user 12345"));
	process->euid = 12345;
	assert_int_equal(open_here(process, &map, &why), 0);
	perf_map__free(map);
	process->uid = process->euid = 54321; /* root's is anybody's */
	assert_int_equal(chown(file_name(), 0, 0), 0);
	assert_int_equal(open_here(process, &map, &why), 0);
	perf_map__free(map);
	unlink(file_name());
	assert_int_equal(symlink("old", file_name()), 0);
	assert_int_equal(open_here(process, &map, &why), -ELOOP);
	unlink(file_name());
	assert_int_equal(mkdir(file_name(), 0700), 0);
	assert_int_equal(open_here(process, &map, &why), -EINVAL);
	rmdir(file_name());
	process__free(process);
	buf__free(&why);
}

static void an_earlier_ones_is_refused(void **state)
{
	const struct timespec times[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct process *process = self();
	struct buf why = BUF_INIT;
	struct perf_map *map;

	(void)state;
	fixture__write(file_name(), "10 10 old\n");
	assert_int_equal(utimensat(AT_FDCWD, file_name(), times, 0), 0);
	assert_int_equal(open_here(process, &map, &why), -ESTALE);
	assert_non_null(strstr(buf__str(&why), "is older than the process"));
	unlink(file_name());
	process__free(process);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_of_either_form),
		cmocka_unit_test(what_is_no_line_is_counted),
		cmocka_unit_test(a_name_with_a_zero_in_it_is_none),
		cmocka_unit_test(a_line_without_its_end_waits),
		cmocka_unit_test(later_lines_win_as_by_brute_force),
		cmocka_unit_test(a_million_lines_are_read_and_no_more),
		cmocka_unit_test_setup_teardown(a_file_is_followed_as_it_grows, fixture__enter,
						fixture__leave),
		cmocka_unit_test_setup_teardown(a_file_is_read_to_a_limit, fixture__enter,
						fixture__leave),
		cmocka_unit_test_setup_teardown(somebody_elses_is_refused, fixture__enter,
						fixture__leave),
		cmocka_unit_test_setup_teardown(an_earlier_ones_is_refused, fixture__enter,
						fixture__leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
