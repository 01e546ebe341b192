/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "target/maps.h"
#include "target/process.h"

static void parse(struct maps *maps, const char *text)
{
	assert_int_equal(maps__parse(maps, text, strlen(text)), 0);
}

static void reads_the_usual_lines(void **state)
{
	struct maps maps;

	(void)state;
	parse(&maps,
	      "00400000-00401000 r--p 00000000 fd:01 1234                               /bin/a b\n"
	      "00401000-00402000 r-xp 00001000 fd:01 1234                               /bin/a b\n"
	      "7fff0000-7fff1000 rw-s 00000000 00:00 0 \n"
	      "7fff2000-7fff3000 rw-p 00000000 00:00 0                          [heap]\n"
	      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0"
	      "                  [vsyscall]\n");
	assert_int_equal(maps.count, 5);
	assert_int_equal(maps.malformed, 0);
	assert_int_equal(maps.entries[1].start, 0x401000);
	assert_int_equal(maps.entries[1].end, 0x402000);
	assert_int_equal(maps.entries[1].offset, 0x1000);
	assert_int_equal(maps.entries[1].major, 0xfd);
	assert_int_equal(maps.entries[1].minor, 1);
	assert_int_equal(maps.entries[1].inode, 1234);
	assert_true(maps.entries[1].read && maps.entries[1].execute);
	assert_false(maps.entries[1].write || maps.entries[1].shared);
	assert_string_equal(maps.entries[1].path, "/bin/a b");
	assert_string_equal(maps.entries[2].path, "");
	assert_true(maps.entries[2].shared && maps.entries[2].write);
	assert_string_equal(maps.entries[3].path, "[heap]");
	assert_int_equal(maps.entries[4].start, 0xffffffffff600000);
	maps__free(&maps);
	maps__free(&maps);
}

static void undoes_what_the_kernel_does_to_paths(void **state)
{
	struct maps maps;

	(void)state;
	parse(&maps,
	      "1000-2000 r-xp 0 0:1 1 /a\\012b\\012\n"
	      "2000-3000 r-xp 0 0:1 2 /gone (deleted)\n"
	      "3000-4000 r-xp 0 0:1 3 /gone (deleted) (deleted)\n"
	      "4000-5000 r-xp 0 0:1 4 (deleted)\n"
	      "5000-6000 r-xp 0 0:1 5 /\xff\x1b[31m\t\r\\\n"
	      "6000-7000 r-xp 0 0:1 6 /a\\01\n");
	assert_int_equal(maps.count, 6);
	assert_string_equal(maps.entries[0].path, "/a\nb\n");
	assert_int_equal(maps.entries[0].path_len, 5);
	assert_false(maps.entries[0].deleted);
	assert_string_equal(maps.entries[1].path, "/gone");
	assert_true(maps.entries[1].deleted);
	assert_string_equal(maps.entries[2].path, "/gone (deleted)");
	assert_true(maps.entries[2].deleted);
	assert_string_equal(maps.entries[3].path, "(deleted)");
	assert_string_equal(maps.entries[4].path, "/\xff\x1b[31m\t\r\\");
	assert_string_equal(maps.entries[5].path, "/a\\01");
	maps__free(&maps);
}

static void counts_what_is_no_mapping(void **state)
{
	static const char *const wrong[] = {
		"",
		"nonsense",
		"1000-1000 r-xp 0 0:1 1 /empty",
		"2000-1000 r-xp 0 0:1 1 /backwards",
		"1000-2000 rwxq 0 0:1 1 /flag",
		"1000-2000 r-x 0 0:1 1 /short",
		"1000-2000 r-xp 0 0:1",
		"1000-2000 r-xp 0 0:1 1x",
		"1000-2000 r-xp 0 1 1 /device",
		"1000-2000 r-xp 0 100000000:1 1 /device",
		"10000000000000000-2 r-xp 0 0:1 1 /overflow",
		"1000-2000 r-xp 0 0:1 99999999999999999999999 /overflow",
		" 1000-2000 r-xp 0 0:1 1 /blank",
		"1000-2000\tr-xp 0 0:1 1 /tab",
	};
	struct maps maps;
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "%s\n1000-2000 r-xp 0 0:1 1 /good\n", wrong[i]);
		parse(&maps, line);
		assert_int_equal(maps.malformed, 1);
		assert_int_equal(maps.count, 1);
		assert_string_equal(maps.entries[0].path, "/good");
		maps__free(&maps);
	}
	parse(&maps, "");
	assert_int_equal(maps.malformed + maps.count, 0);
	assert_null(maps__next_file(&maps, NULL));
	assert_null(maps__at(&maps, 0));
	maps__free(&maps);
	parse(&maps, "1000-2000 r-xp 0 0:1 1 /no newline");
	assert_int_equal(maps.count, 1);
	maps__free(&maps);
}

static void takes_paths_of_any_length(void **state)
{
	struct buf text = BUF_INIT;
	struct maps maps;

	(void)state;
	buf__add_str(&text, "1000-2000 r-xp 0 0:1 1 /");
	buf__add_repeated(&text, 'x', 65535);
	buf__add_str(&text, "\n2000-3000 r--p 0 0:1 2 /short\n");
	assert_int_equal(maps__parse(&maps, text.data, text.len), 0);
	assert_int_equal(maps.count, 2);
	assert_int_equal(maps.entries[0].path_len, 65536);
	assert_int_equal(strlen(maps.entries[0].path), 65536);
	maps__free(&maps);
	buf__free(&text);
}

static void a_zero_byte_ends_no_line(void **state)
{
	static const char text[] = "1000-2000 r-xp 0 0:1 1 /a\0b\n2000-3000 r-xp 0 0:1 2 /c\n";
	struct maps maps;

	(void)state;
	assert_int_equal(maps__parse(&maps, text, sizeof(text) - 1), 0);
	assert_int_equal(maps.count, 2);
	assert_int_equal(maps.entries[0].path_len, 4);
	assert_memory_equal(maps.entries[0].path, "/a\0b", 5);
	maps__free(&maps);
}

static void tells_files_apart(void **state)
{
	struct maps maps;
	const struct map *map;

	(void)state;
	parse(&maps,
	      "1000-2000 r--p 0 8:1 7 /a\n"
	      "2000-3000 r-xp 1000 8:1 7 /a\n"
	      "3000-4000 r-xp 1000 8:2 7 /other device\n"
	      "4000-5000 r-xp 2000 8:1 7 /a again, by another name\n"
	      "5000-6000 rw-p 0 8:1 8 /data\n"
	      "6000-7000 rwxp 0 0:0 0 \n"
	      "7000-8000 r-xp 0 8:1 9 /lib/libx.so.1\n");
	map = maps__next_file(&maps, NULL);
	assert_int_equal(map->start, 0x2000);
	map = maps__next_file(&maps, map);
	assert_int_equal(map->start, 0x3000);
	map = maps__next_file(&maps, map);
	assert_int_equal(map->start, 0x7000);
	assert_null(maps__next_file(&maps, map));

	assert_int_equal(maps__named(&maps, "libx.so")->start, 0x7000);
	assert_int_equal(maps__named(&maps, "a")->start, 0x1000);
	assert_null(maps__named(&maps, "lib/"));
	assert_int_equal(maps__at(&maps, 0x2fff)->start, 0x2000);
	assert_int_equal(maps__at(&maps, 0x1000)->start, 0x1000);
	assert_null(maps__at(&maps, 0x8000));
	assert_null(maps__at(&maps, 0xfff));
	maps__free(&maps);
}

/* As many mappings as a process may have, each of a file of its own: no n * n. */
static void many_files_are_fine(void **state)
{
	struct buf text = BUF_INIT;
	struct maps maps;
	size_t files = 0;

	(void)state;
	for (unsigned int i = 1; i <= 65530; i++)
		buf__printf(&text, "%x000-%x000 r-xp 0 8:1 %u /f\n", i, i + 1, 70000 - i);
	assert_int_equal(maps__parse(&maps, text.data, text.len), 0);
	for (const struct map *map = NULL; (map = maps__next_file(&maps, map));)
		files++;
	assert_int_equal(files, 65530);
	maps__free(&maps);
	buf__free(&text);
}

/* Random mappings, written as the kernel does, and read back. */
static void round_trip(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 200; round++) {
		unsigned int count = (unsigned int)random() % 20;
		uint64_t starts[20], at = 0x1000, inodes[20];
		struct buf text = BUF_INIT;
		struct maps maps;

		for (unsigned int i = 0; i < count; i++) {
			starts[i] = at += (1 + (uint64_t)random() % 1000) * 4096;
			at += (1 + (uint64_t)random() % 1000) * 4096;
			inodes[i] = (uint64_t)random() << (random() % 33);
			buf__printf(&text, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64
				    " %02x:%02x %" PRIu64 "      /f%u%s\n", starts[i], at,
				    "r-"[random() % 2], "w-"[random() % 2], "x-"[random() % 2],
				    "ps"[random() % 2], (uint64_t)random() << 12,
				    (unsigned int)random() % 4096, (unsigned int)random() % 256,
				    inodes[i], i, random() % 2 ? " (deleted)" : "");
		}
		assert_int_equal(maps__parse(&maps, buf__str(&text), text.len), 0);
		assert_int_equal(maps.count, count);
		assert_int_equal(maps.malformed, 0);
		for (unsigned int i = 0; i < count; i++) {
			char name[20];

			snprintf(name, sizeof(name), "/f%u", i);
			assert_int_equal(maps.entries[i].start, starts[i]);
			assert_int_equal(maps.entries[i].inode, inodes[i]);
			assert_string_equal(maps.entries[i].path, name);
		}
		maps__free(&maps);
		buf__free(&text);
	}
}

/* Our own: every line is understood, and a mapping that we make is in it. */
static void reads_a_real_process(void **state)
{
	size_t size = 3 * (size_t)sysconf(_SC_PAGESIZE);
	struct process *process;
	const struct map *map;
	struct maps maps;
	void *mine;

	(void)state;
	mine = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(mine, MAP_FAILED);
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(maps__read(&maps, process), 0);
	assert_int_equal(maps.malformed, 0);
	map = maps__at(&maps, (uintptr_t)mine);
	assert_non_null(map);
	assert_true(map->read && map->shared && !map->write);
	map = maps__at(&maps, (uintptr_t)&reads_a_real_process);
	assert_true(map->execute);
	assert_string_equal(map->path, process->exe);
	maps__free(&maps);
	process__free(process);
	munmap(mine, size);
}

/* The kernel lets its maps be read, and shows none. */
static void a_process_that_has_just_ended_has_none(void **state)
{
	struct process *process;
	struct maps maps;
	siginfo_t info;
	const pid_t pid = fork();

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	assert_int_equal(process__open(pid, &process, NULL), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(maps__read(&maps, process), 0);
	assert_int_equal(maps.count, 0);
	maps__free(&maps);
	process__free(process);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_usual_lines),
		cmocka_unit_test(undoes_what_the_kernel_does_to_paths),
		cmocka_unit_test(counts_what_is_no_mapping),
		cmocka_unit_test(takes_paths_of_any_length),
		cmocka_unit_test(a_zero_byte_ends_no_line),
		cmocka_unit_test(tells_files_apart),
		cmocka_unit_test(many_files_are_fine),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(reads_a_real_process),
		cmocka_unit_test(a_process_that_has_just_ended_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
