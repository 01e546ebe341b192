/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
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

#include "base/files.h"
#include "unit/directory.h"

static void reads_proc_whole(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf__add_str(&buf, "before ");
	assert_int_equal(files__read("/proc/self/maps", &buf), 0);
	assert_memory_equal(buf.data, "before ", 7);
	assert_non_null(strstr(buf.data, "[stack]"));
	assert_int_equal(buf.data[buf.len - 1], '\n');
	buf__free(&buf);
}

static void reads_any_length(void **state)
{
	struct buf text = BUF_INIT, buf = BUF_INIT;

	(void)state;
	buf__add_repeated(&text, 'x', 1000000);
	directory__write("large", buf__str(&text));
	assert_int_equal(files__read("large", &buf), 0);
	assert_int_equal(buf.len, 1000000);
	buf__reset(&buf);
	assert_int_equal(files__read_at(AT_FDCWD, "large", 1000000, &buf), 0);
	buf__reset(&buf);
	buf__add_str(&buf, "kept");
	assert_int_equal(files__read_at(AT_FDCWD, "large", 999999, &buf), -EFBIG);
	assert_string_equal(buf__str(&buf), "kept");
	buf__free(&buf);
	buf__free(&text);
}

static void does_not_wait_for_a_fifo(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(files__read("fifo", &buf), -EINVAL);
	assert_int_equal(files__read("/dev/zero", &buf), -EINVAL);
	assert_int_equal(files__read(".", &buf), -EINVAL);
	assert_int_equal(files__read("nowhere", &buf), -ENOENT);
	buf__free(&buf);
}

static void creates_and_empties(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	fd = files__create("out");
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(files__write_all(fd, "first", 5), 0);
	close(fd);
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	directory__has("out", "first");
	fd = files__create("out");
	assert_true(fd >= 0);
	close(fd);
	directory__has("out", "");
	assert_int_equal(files__create("no/such/directory"), -ENOENT);
	assert_int_equal(files__create("."), -EISDIR);
}

static void follows_no_link(void **state)
{
	(void)state;
	directory__write("victim", "safe");
	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(files__create("link"), -ELOOP);
	assert_int_equal(symlink("nothing", "dangling"), 0);
	assert_int_equal(files__create("dangling"), -ELOOP);
	assert_int_equal(link("victim", "hard"), 0);
	assert_int_equal(files__create("hard"), -EEXIST);
	directory__has("victim", "safe");
}

static void devices_are_written_to(void **state)
{
	int fd = files__create("/dev/full");

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(files__write_all(fd, "x", 1), -ENOSPC);
	close(fd);
}

static void fifo_without_reader_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(files__create("fifo"), -ENXIO);
}

/* The rest is about sudo, and needs root. */

static void sudo_file_belongs_to_caller(void **state)
{
	int fd;

	(void)state;
	directory__sudo(12345, 23456);
	assert_int_equal(chmod(".", 0777), 0);
	fd = files__create("user");
	assert_true(fd >= 0);
	close(fd);
	directory__owned("user", 12345, 23456);
	assert_int_equal(geteuid(), 0);
	assert_int_equal(chmod(".", 0755), 0);
	fd = files__create("roots"); /* where only root may */
	assert_true(fd >= 0);
	close(fd);
	directory__owned("roots", 12345, 23456);
	fd = files__create("roots"); /* and once more */
	assert_true(fd >= 0);
	close(fd);
	directory__owned("roots", 12345, 23456);
}

static void sudo_writes_nowhere_the_caller_could_not(void **state)
{
	(void)state;
	directory__sudo(12345, 23456);
	assert_int_equal(mkdir("etc", 0755), 0);
	directory__write("etc/passwd", "root");
	assert_int_equal(mkdir("home", 0755), 0);
	assert_int_equal(chown("home", 12345, 23456), 0);
	assert_int_equal(symlink("../etc", "home/link"), 0);
	assert_int_equal(files__create("home/link/new"), -ELOOP);
	assert_int_equal(access("etc/new", F_OK), -1);
	assert_int_equal(files__create("home/link/passwd"), -ELOOP);
	assert_int_equal(files__create("etc/passwd"), -EEXIST);
	directory__has("etc/passwd", "root");
}

static void sudo_does_not_take_others_files(void **state)
{
	(void)state;
	directory__sudo(12345, 23456);
	assert_int_equal(chmod(".", 01777), 0);
	directory__write("other", "mine");
	assert_int_equal(chown("other", 999, 999), 0);
	assert_int_equal(chmod("other", 0666), 0);
	assert_true(files__create("other") < 0);
	directory__has("other", "mine");
}

static void odd_sudo_ids_are_not_believed(void **state)
{
	static const char *const odd[] = { "", "-1", "4294967295", "99999999999", "12x", " 5" };
	uid_t uid;
	gid_t gid;

	(void)state;
	directory__sudo(0, 5);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		setenv("SUDO_UID", odd[i], 1);
		files__owner(&uid, &gid);
		assert_int_equal(uid, 0);
		assert_int_equal(gid, getegid());
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, directory__enter, directory__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_proc_whole),
		TEST(reads_any_length),
		TEST(does_not_wait_for_a_fifo),
		TEST(creates_and_empties),
		TEST(follows_no_link),
		TEST(devices_are_written_to),
		TEST(fifo_without_reader_is_an_error),
		TEST(sudo_file_belongs_to_caller),
		TEST(sudo_writes_nowhere_the_caller_could_not),
		TEST(sudo_does_not_take_others_files),
		TEST(odd_sudo_ids_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
