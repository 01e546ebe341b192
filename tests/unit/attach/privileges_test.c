/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * After privileges were given up: what is left of them, and that all that a session does later
 * still works. Each test is in a process of its own, since there is no way back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/request.h"
#include "base/clock.h"
#include "base/privileges.h"
#include "bench.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define KEPT                                                                              \
	(BIT(CAP_BPF) | BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_CHECKPOINT_RESTORE) | \
	 BIT(CAP_DAC_READ_SEARCH))

/* Assertions of cmocka don't reach out of a child: these end it with the line's number. */
#define CHECK(condition)                                                                     \
	do {                                                                                 \
		if (!(condition)) {                                                          \
			fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, \
				#condition, errno);                                          \
			_exit(1);                                                            \
		}                                                                            \
	} while (0)

static void in_a_child(void (*fn)(struct bench *bench), unsigned int levels, bool old)
{
	const struct session_options options = { .as_before_6 = old };
	struct bench bench;
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		unsetenv("SUDO_UID");
		unsetenv("SUDO_GID");
		bench__start(&bench, &options, levels);
		fn(&bench);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static uint64_t status_field_of(pid_t pid, const char *name)
{
	char value[256];

	CHECK(bench__status(pid, name, value, sizeof(value)) && *value);
	return strtoull(value, NULL, 16);
}

static uint64_t status_field(const char *name)
{
	return status_field_of(getpid(), name);
}

static void look_at_ourselves(struct bench *bench)
{
	CHECK(session__drop(bench->session) == 0);
	CHECK(status_field("CapEff:") == KEPT);
	CHECK(status_field("CapPrm:") == KEPT);
	CHECK(status_field("CapInh:") == 0);
	CHECK(status_field("CapBnd:") == 0);
	CHECK(status_field("CapAmb:") == 0);
	CHECK(status_field("NoNewPrivs:") == 1);
	CHECK(getuid() >= 61184 && getuid() <= 65519);
	CHECK(getuid() == privileges__id() && geteuid() == getuid() && getgid() == getuid());
	CHECK(prctl(PR_GET_DUMPABLE) == 0);
	CHECK(getgroups(0, NULL) == 0);
	CHECK(setuid(0) == -1);
	CHECK(open("/etc/gctrace-test", O_WRONLY | O_CREAT, 0600) == -1 && errno == EACCES);
}

/* Who called sudo could stop and debug what has their id: it is not ours. */
static void look_under_sudo(struct bench *bench)
{
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "12345", 1);
	CHECK(session__drop(bench->session) == 0);
	CHECK(getuid() == privileges__id() && getgid() == getuid());
}

static void we_are_not_who_called_sudo(void **state)
{
	NEEDS_ROOT;
	in_a_child(look_under_sudo, LEVEL_COLLECTIONS, false);
}

static void only_what_is_in_use_remains(void **state)
{
	NEEDS_ROOT;
	in_a_child(look_at_ourselves, LEVEL_COLLECTIONS, false);
	in_a_child(look_at_ourselves, LEVEL_COLLECTIONS, true);
}

/* ---- The helpers: one has what we gave up (opener.h), one has nothing (closer.h) ---- */

static bool is_named(pid_t pid, const char *name)
{
	char path[64], comm[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	CHECK(file);
	CHECK(fscanf(file, "%31s", comm) == 1);
	fclose(file);
	return strcmp(comm, name) == 0;
}

static pid_t child_named(pid_t parent, const char *name)
{
	pid_t pid, found = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	file = fopen(path, "r");
	CHECK(file);
	while (!found && fscanf(file, "%d", &pid) == 1)
		if (is_named(pid, name))
			found = pid;
	fclose(file);
	return found;
}

static unsigned int open_files(pid_t pid)
{
	unsigned int count = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	CHECK(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* Drops, says by a byte that it has, and waits to be killed. */
static void drop_and_wait(int ready)
{
	struct session *session;

	CHECK(session__new(&(struct session_options){ .as_before_6 = true }, &session) == 0);
	CHECK(session__drop(session) == 0);
	CHECK(write(ready, "", 1) == 1);
	for (;;)
		pause();
}

/* Also a zombie has gone: who inherited it may be in no hurry, as in a container. */
static bool is_gone(pid_t pid)
{
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 6000; i++) {
		FILE *file = fopen(path, "r");
		bool read = file && fgets(line, sizeof(line), file);

		if (file)
			fclose(file);
		if (!read || strstr(line, ") Z"))
			return true;
		usleep(10000);
	}
	return false;
}

static void has_little(pid_t helper, uint64_t capabilities)
{
	assert_true(helper > 0);
	assert_int_equal(status_field_of(helper, "CapPrm:"), capabilities);
	assert_int_equal(status_field_of(helper, "CapBnd:"), 0);
	assert_int_equal(status_field_of(helper, "NoNewPrivs:"), 1);
	assert_int_equal(open_files(helper), 4);
	kill(helper, SIGINT); /* the terminal's: it is for the parent */
	usleep(50000);
	assert_int_equal(kill(helper, 0), 0);
}

static void helpers_have_little_and_go_with_us(void **state)
{
	pid_t child, opener, closer;
	int ready[2];
	char byte;

	NEEDS_ROOT;
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0)
		drop_and_wait(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	opener = child_named(child, "gctrace-opener");
	closer = child_named(child, "gctrace-closer");
	has_little(opener, BIT(CAP_SYS_ADMIN) | BIT(CAP_PERFMON));
	has_little(closer, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(is_gone(opener));
	assert_true(is_gone(closer));
	close(ready[0]);
	close(ready[1]);
}

static uint64_t semaphores(struct bench *bench)
{
	return victim__do(&bench->victim, VICTIM_SEMAPHORES, 0, 0);
}

static void detach_later(struct bench *bench)
{
	CHECK(session__drop(bench->session) == 0);
	victim__do(&bench->victim, VICTIM_GC_START, 4, 0);
	tape__drain(&bench->tape, bench->session);
	CHECK(bench->tape.count == 4);
	CHECK(semaphores(bench));
	session__detach(bench->session, NULL);
	CHECK(semaphores(bench) == 0);
	session__free(bench->session);
}

static void detaching_works(void **state)
{
	NEEDS_ROOT;
	in_a_child(detach_later, LEVEL_COLLECTIONS, false);
	in_a_child(detach_later, LEVEL_COLLECTIONS, true);
}

/* Another image: everything is opened, read, loaded and attached anew. */
static void attach_to_next(struct bench *bench)
{
	uint64_t end = clock__monotonic_ns() + 60 * NS_PER_S;
	struct target *next;

	victim__do(&bench->victim, VICTIM_EXEC, 1, 0);
	while (!bench->target->successor && clock__monotonic_ns() < end)
		CHECK(session__poll(bench->session, 10) == 0);
	next = bench->target->successor;
	CHECK(next && next->on == LEVEL_COLLECTIONS && next->failed == 0);
	CHECK(next->modules.skipped.len == 0);
	victim__do(&bench->victim, VICTIM_GC_START, 4, 0);
	tape__drain(&bench->tape, bench->session);
	CHECK(bench->tape.count == 4);
	CHECK(session__want(bench->session, next, LEVEL_MOVES) == 0);
	CHECK(next->on == (LEVEL_COLLECTIONS | LEVEL_MOVES));
	CHECK(session__rescan(bench->session) == 0);
}

static void attach_later(struct bench *bench)
{
	CHECK(session__drop(bench->session) == 0);
	attach_to_next(bench);
}

static void attaching_and_rescanning_work(void **state)
{
	NEEDS_ROOT;
	in_a_child(attach_later, LEVEL_COLLECTIONS, false);
	in_a_child(attach_later, LEVEL_COLLECTIONS, true);
}

/* A copy of this program that only its owner may read; *path is the caller's. */
static void copy_ourselves(char *path)
{
	char bytes[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(to, bytes, n), n);
	assert_int_equal(fchmod(to, 0700), 0);
	close(from);
	close(to);
}

static void files_that_are_closed_to_others_and_deleted(void **state)
{
	char path[] = "/tmp/gctrace-test-XXXXXX";

	NEEDS_ROOT;
	copy_ourselves(path);
	setenv("VICTIM_COPY", path, 1);
	in_a_child(attach_later, LEVEL_COLLECTIONS, false);
	assert_int_equal(access(path, F_OK), -1);
	copy_ourselves(strcpy(path, "/tmp/gctrace-test-XXXXXX"));
	setenv("VICTIM_COPY", path, 1);
	in_a_child(attach_later, LEVEL_COLLECTIONS, true);
	assert_int_equal(access(path, F_OK), -1);
	unsetenv("VICTIM_COPY");
}

static void request_later(struct bench *bench)
{
	struct request *request;

	CHECK(session__drop(bench->session) == 0);
	CHECK(request__new(bench->session, bench->target, "dump", &request) == 0);
	CHECK(request__wait(request, NS_PER_S, NULL, NULL) == 0);
	CHECK(session__dump_begin(bench->session, bench->target) == 0);
	CHECK(request__raise(request) == 0);
	CHECK(semaphores(bench) & VICTIM_SEES_DUMP);
	CHECK(request__is_taken(request) == 1);
	victim__do(&bench->victim, VICTIM_OBJECT, 4, 0);
	tape__drain(&bench->tape, bench->session);
	CHECK(bench->tape.count == 1 && bench->tape.items[0].dump);
	request__free(request);
	CHECK(!(semaphores(bench) & VICTIM_SEES_DUMP));
	session__dump_end(bench->session);
	session__dump_release(bench->session);
}

static void requests_and_dumps_work(void **state)
{
	NEEDS_ROOT;
	in_a_child(request_later, LEVEL_DUMP, false);
	in_a_child(request_later, LEVEL_DUMP, true);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_in_use_remains),
		cmocka_unit_test(we_are_not_who_called_sudo),
		cmocka_unit_test(helpers_have_little_and_go_with_us),
		cmocka_unit_test(detaching_works),
		cmocka_unit_test(attaching_and_rescanning_work),
		cmocka_unit_test(files_that_are_closed_to_others_and_deleted),
		cmocka_unit_test(requests_and_dumps_work),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("privileges", tests, NULL, NULL);
}
