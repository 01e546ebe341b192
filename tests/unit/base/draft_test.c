/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/draft.h"
#include "base/files.h"
#include "unit/directory.h"

static int fork_error; /* with which it fails; 0: it does not */

/* Instead of the C library's. */
pid_t fork(void)
{
	pid_t (*next)(void) = NULL;
	void *found = dlsym(RTLD_NEXT, "fork");

	memcpy(&next, &found, sizeof(next));
	errno = fork_error;
	return fork_error ? -1 : next();
}

static int set_up(void **state)
{
	fork_error = 0;
	return directory__enter(state);
}

static int write_draft(const char *path, const char *text, int err)
{
	struct draft draft;
	int failed = draft__open(&draft, path);

	if (failed)
		return failed;
	assert_int_equal(files__write_all(draft.fd, text, strlen(text)), 0);
	return draft__close(&draft, err);
}

static void assert_only(const char *pattern)
{
	char command[100];

	snprintf(command, sizeof(command), "[ \"$(ls -A | tr '\\n' ' ')\" = '%s' ]", pattern);
	assert_int_equal(system(command), 0);
}

static void is_there_when_it_is_whole(void **state)
{
	struct draft draft;

	(void)state;
	assert_int_equal(draft__open(&draft, "new"), 0);
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(draft__close(&draft, 0), 0);
	assert_only("new ");
}

static void replaces_what_was_there(void **state)
{
	(void)state;
	assert_int_equal(write_draft("file", "first", 0), 0);
	assert_int_equal(write_draft("file", "second", 0), 0);
	directory__has("file", "second");
	assert_only("file ");
}

static void leaves_what_was_there_when_writing_fails(void **state)
{
	(void)state;
	assert_int_equal(write_draft("file", "first", 0), 0);
	assert_int_equal(write_draft("file", "half", -ENOSPC), -ENOSPC);
	directory__has("file", "first");
	assert_only("file ");
}

static void devices_are_written_to_in_place(void **state)
{
	struct stat before, after;

	(void)state;
	assert_int_equal(stat("/dev/null", &before), 0);
	assert_int_equal(write_draft("/dev/null", "x", 0), 0);
	assert_int_equal(stat("/dev/null", &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void links_and_directories_are_refused(void **state)
{
	(void)state;
	assert_int_equal(write_draft("file", "first", 0), 0);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(link("file", "other"), 0);
	assert_int_equal(mkdir("directory", 0755), 0);
	assert_int_equal(write_draft("link", "x", 0), -ELOOP);
	assert_int_equal(write_draft("other", "x", 0), -EEXIST);
	assert_int_equal(write_draft("directory", "x", 0), -EISDIR);
	assert_int_equal(write_draft("no/such", "x", 0), -ENOENT);
	directory__has("file", "first");
}

/* Killed, with no time to clean up. */
static void nothing_is_left_by_who_is_killed(void **state)
{
	struct draft draft;
	int status;
	pid_t child;

	(void)state;
	assert_int_equal(write_draft("file", "first", 0), 0);
	child = fork();
	if (child == 0) {
		draft__open(&draft, "file");
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	for (int i = 0; i < 1000 && system("ls | grep -q part") == 0; i++)
		usleep(10000);
	assert_only("file ");
	directory__has("file", "first");
}

static void nothing_is_left_without_a_keeper(void **state)
{
	struct draft draft;

	(void)state;
	assert_int_equal(write_draft("file", "first", 0), 0);
	fork_error = ENOMEM;
	assert_int_equal(draft__open(&draft, "file"), -ENOMEM);
	fork_error = 0;
	assert_int_equal(draft__close(&draft, -ENOMEM), -ENOMEM);
	assert_only("file ");
	directory__has("file", "first");
}

/* The rest is about sudo, and needs root. */

static void sudo_file_belongs_to_caller(void **state)
{
	(void)state;
	directory__sudo(12345, 23456);
	assert_int_equal(chmod(".", 0777), 0);
	assert_int_equal(write_draft("file", "x", 0), 0);
	directory__owned("file", 12345, 23456);
	assert_int_equal(chmod(".", 0755), 0); /* only root may write here */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write_draft("roots", "y", 0), 0);
		directory__owned("roots", 12345, 23456);
	}
	assert_int_equal(write_draft("roots", "z", -EIO), -EIO);
	directory__has("roots", "y");
	assert_only("file roots ");
}

static void sudo_does_not_take_others_files(void **state)
{
	(void)state;
	directory__sudo(12345, 23456);
	assert_int_equal(chmod(".", 0777), 0);
	unsetenv("SUDO_UID");
	assert_int_equal(write_draft("other", "mine", 0), 0);
	setenv("SUDO_UID", "12345", 1);
	assert_int_equal(write_draft("other", "x", 0), -EEXIST);
	directory__has("other", "mine");
	assert_only("other ");
}

/* As who traces does, in between. */
static int give_up_rights_and_write(void)
{
	struct draft draft;

	if (draft__open(&draft, "file") || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return 1;
	return files__write_all(draft.fd, "all", 3) || draft__close(&draft, 0);
}

static void is_there_though_rights_were_given_up(void **state)
{
	int status;
	pid_t child;

	(void)state;
	directory__sudo(12345, 23456);
	child = fork();
	if (child == 0)
		_exit(give_up_rights_and_write());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	directory__owned("file", 12345, 23456);
	directory__has("file", "all");
	assert_only("file ");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, directory__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_there_when_it_is_whole),
		TEST(replaces_what_was_there),
		TEST(leaves_what_was_there_when_writing_fails),
		TEST(devices_are_written_to_in_place),
		TEST(links_and_directories_are_refused),
		TEST(nothing_is_left_by_who_is_killed),
		TEST(nothing_is_left_without_a_keeper),
		TEST(sudo_file_belongs_to_caller),
		TEST(is_there_though_rights_were_given_up),
		TEST(sudo_does_not_take_others_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
