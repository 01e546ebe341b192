/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/remote.h"

/* A child that does `act` and then waits to be killed; act may be NULL. */
static pid_t child_with(void (*act)(void))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (act)
			act();
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct process *must_open(pid_t pid)
{
	struct buf why = BUF_INIT;
	struct process *process;

	if (process__open(pid, &process, &why))
		fail_msg("%s", buf__str(&why));
	return process;
}

/* Refused with this errno, for a reason that holds this word and is one safe line. */
static void assert_refused(pid_t pid, int err, const char *word)
{
	struct buf why = BUF_INIT;
	struct process *process = (void *)1;

	assert_int_equal(process__open(pid, &process, &why), err);
	assert_null(process);
	if (!strstr(buf__str(&why), word))
		fail_msg("%s: not in: %s", word, buf__str(&why));
	for (size_t i = 0; i < why.len; i++)
		assert_true((unsigned char)why.data[i] >= ' ');
	buf__free(&why);
	assert_int_equal(process__open(pid, &process, NULL), err);
}

static void opens_a_child(void **state)
{
	pid_t pid = child_with(NULL);
	struct process *process = must_open(pid), *self = must_open(getpid());
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(process->pid, pid);
	assert_int_equal(process->parent, getpid());
	assert_int_equal(process->uid, getuid());
	assert_int_equal(process->egid, getegid());
	assert_string_equal(process->exe, self->exe);
	assert_string_equal(process->comm, self->comm);
	assert_string_equal(process->root, "/");
	assert_true(process->start_ticks >= self->start_ticks && self->start_ticks > 0);
	assert_int_equal(process->cmdline_len, self->cmdline_len);
	assert_int_equal(process__inner_pid(process), pid);
	assert_false(process->other_mount_ns || process->other_pid_ns || process->other_user_ns);
	assert_false(process->is_32bit);
	assert_true(process__alive(process));
	process__describe(process, &text);
	assert_non_null(strstr(buf__str(&text), process->comm));
	buf__free(&text);
	end_child(pid);
	assert_false(process__alive(process));
	assert_int_equal(process__read(process, "maps", &text), -ESRCH);
	process__free(process);
	process__free(self);
	process__free(NULL);
	buf__free(&text);
}

#define OWN_BYTES (UINT64_C(32) << 20)

static void have_memory(void)
{
	char *own = malloc(OWN_BYTES);

	for (uint64_t at = 0; own && at < OWN_BYTES; at += 4096)
		own[at] = 1;
	__asm__ volatile("" : : "r"(own) : "memory");
}

static void tells_memory_of_its_own(void **state)
{
	pid_t pid = child_with(NULL), rich_pid = child_with(have_memory);
	struct process *process = must_open(pid), *rich = must_open(rich_pid);

	(void)state;
	assert_true(process__own_memory(process) > 0);
	assert_true(process__own_memory(rich) >= process__own_memory(process) + OWN_BYTES / 2);
	end_child(pid);
	end_child(rich_pid);
	assert_int_equal(process__own_memory(process), 0);
	process__free(process);
	process__free(rich);
}

static void a_pidfd_tells_its_end(void **state)
{
	pid_t pid = child_with(NULL);
	struct process *process = must_open(pid);
	struct pollfd poll_fd = { .fd = process->pidfd, .events = POLLIN };

	(void)state;
	assert_true(process->pidfd >= 0);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(poll(&poll_fd, 1, 20000), 1);
	end_child(pid);
	process__free(process);
}

static void hostile_comm(void)
{
	prctl(PR_SET_NAME, "x) Z 1\n\x1b[31m)");
}

static void a_hostile_name_fools_nobody(void **state)
{
	pid_t pid = child_with(hostile_comm);
	struct process *process = must_open(pid);
	struct buf text = BUF_INIT;

	(void)state;
	assert_string_equal(process->comm, "x) Z 1\n\x1b[31m)");
	assert_int_equal(process->parent, getpid());
	assert_true(process__alive(process));
	process__describe(process, &text);
	assert_null(strchr(buf__str(&text), '\n'));
	assert_null(strchr(buf__str(&text), '\x1b'));
	assert_non_null(strstr(buf__str(&text), "(x) Z 1\\n\\x1b[31m))"));
	buf__free(&text);
	process__free(process);
	end_child(pid);
}

static void no_such_process(void **state)
{
	pid_t pid = child_with(NULL);

	(void)state;
	end_child(pid);
	assert_refused(pid, -ESRCH, "there is no process");
	assert_refused(0, -EINVAL, "not the id");
	assert_refused(-5, -EINVAL, "not the id");
}

static void *stay(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

static void a_thread_is_no_process(void **state)
{
	volatile pid_t tid = 0;
	pthread_t thread;
	char process[32];

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, stay, (void *)&tid), 0);
	while (!tid)
		sched_yield();
	snprintf(process, sizeof(process), "give it %d", getpid());
	assert_refused(tid, -EINVAL, process);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void a_zombie_has_ended(void **state)
{
	pid_t pid = child_with(hostile_comm);
	siginfo_t info;

	(void)state;
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_refused(pid, -ESRCH, "zombie");
	end_child(pid);
}

static void a_kernel_thread_is_no_program(void **state)
{
	struct stat st;

	(void)state;
	/* Nobody's executable: in containers, process 2 may be anything. */
	if (access("/proc/2/comm", F_OK) || stat("/proc/2/exe", &st) == 0 || errno == EACCES)
		SKIP("process 2 is no kernel thread here, or hidden from us");
	assert_refused(2, -ENOTSUP, "thread of the kernel");
}

static void not_ours(void **state)
{
	pid_t pid, tester;
	int status;

	(void)state;
	if (!fixture__is_root())
		skip();
	pid = child_with(NULL);
	tester = fork();
	assert_true(tester >= 0);
	if (tester == 0) {
		struct buf why = BUF_INIT;
		struct process *process;
		int err;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		err = process__open(pid, &process, &why);
		_exit(err == -EACCES && strstr(buf__str(&why), "CAP_SYS_PTRACE") ? 0 : 2);
	}
	assert_int_equal(waitpid(tester, &status, 0), tester);
	assert_int_equal(status, 0);
	end_child(pid);
}

/* Strict mode allows nothing but read, write and exit: it reads for ever. */
static void become_strict(int input)
{
	char byte;

	if (prctl(PR_SET_SECCOMP, 1) == 0)
		while (read(input, &byte, 1) != 0)
			;
	syscall(SYS_exit, 0);
}

static void tells_seccomp(void **state)
{
	enum process_seccomp seccomp = PROCESS_SECCOMP_NONE;
	int input[2];
	pid_t pid;

	(void)state;
	if (prctl(PR_GET_SECCOMP) != 0)
		SKIP("we are under seccomp ourselves, or this kernel has none");
	assert_int_equal(pipe(input), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		become_strict(input[0]);
	while (seccomp == PROCESS_SECCOMP_NONE) {
		struct process *process = must_open(pid);

		seccomp = process->seccomp;
		process__free(process);
	}
	assert_int_equal(seccomp, PROCESS_SECCOMP_STRICT);
	end_child(pid);
	close(input[0]);
	close(input[1]);
}

static void new_user_ns(void)
{
	if (unshare(CLONE_NEWUSER))
		_exit(1);
}

static void tells_namespaces(void **state)
{
	struct process *process;
	pid_t pid;
	int status;

	(void)state;
	if (!fixture__is_root())
		skip();
	pid = fork();
	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) != 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		SKIP("user namespaces are not permitted here");
	pid = child_with(new_user_ns);
	process = must_open(pid);
	assert_true(process->other_user_ns);
	assert_false(process->other_mount_ns || process->other_pid_ns);
	process__free(process);
	end_child(pid);
}

static char findme[32]; /* ours alone: the same test may run elsewhere on this host */

static void named(void)
{
	prctl(PR_SET_NAME, findme);
}

static bool holds(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void finds_by_name(void **state)
{
	struct buf why = BUF_INIT;
	pid_t one, other, pid, *pids;
	char number[20], part[32];
	size_t count;

	(void)state;
	snprintf(findme, sizeof(findme), "me-%d-it", getpid()); /* 15 bytes */
	snprintf(part, sizeof(part), "ME-%d-", getpid());
	one = child_with(named);
	other = child_with(named);
	assert_int_equal(process__find(findme, &pids, &count), 0);
	assert_int_equal(count, 2);
	assert_true(holds(pids, count, one) && holds(pids, count, other));
	assert_true(pids[0] < pids[1]);
	free(pids);
	assert_int_equal(process__find(NULL, &pids, &count), 0);
	assert_true(holds(pids, count, one));
	assert_false(holds(pids, count, getpid()));
	free(pids);

	assert_int_equal(process__resolve(findme, &pid, &why), -EEXIST);
	snprintf(number, sizeof(number), "\n  %d ", one);
	assert_non_null(strstr(buf__str(&why), number));
	buf__reset(&why);
	end_child(other);
	assert_int_equal(process__resolve(findme, &pid, &why), 0);
	assert_int_equal(pid, one);
	assert_int_equal(process__resolve(part, &pid, &why), -ENOENT);
	assert_non_null(strstr(buf__str(&why), number));
	buf__reset(&why);
	end_child(one);
	assert_int_equal(process__resolve(findme, &pid, &why), -ENOENT);
	assert_null(strstr(buf__str(&why), number));
	buf__free(&why);
}

/* It reads `input`, and goes by the first of its words. */
static pid_t child_of_words(int input, const char *name, const char *word, const char *last)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(input, STDIN_FILENO);
		execl("/bin/cat", name, "-", word, last, NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0); /* executed by now */
	close(ready[0]);
	return pid;
}

/* A line for each process, however much stands on its command line. */
static void several_of_a_name_have_a_line_each(void **state)
{
	static char words[1000];
	struct buf why = BUF_INIT;
	const char *line;
	pid_t one, other, pid;
	int input[2];

	(void)state;
	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	snprintf(findme, sizeof(findme), "long-%d", getpid());
	memset(words, 'w', sizeof(words) - 1);
	one = child_of_words(input[0], findme, words, "Main");
	other = child_of_words(input[0], findme, words, "Other");
	assert_int_equal(process__resolve(findme, &pid, &why), -EEXIST);
	for (line = buf__str(&why); (line = strchr(line, '\n')); line++)
		assert_true(strcspn(line + 1, "\n") <= 100);
	assert_non_null(strstr(buf__str(&why), "w Main"));
	assert_non_null(strstr(buf__str(&why), "w Other"));
	buf__free(&why);
	end_child(one);
	end_child(other);
	close(input[0]);
	close(input[1]);
}

static void resolves_numbers(void **state)
{
	struct buf why = BUF_INIT;
	pid_t pid;

	(void)state;
	assert_int_equal(process__resolve("1234", &pid, &why), 0);
	assert_int_equal(pid, 1234);
	assert_int_equal(process__resolve("0", &pid, &why), -EINVAL);
	assert_int_equal(process__resolve("99999999999999999999999", &pid, &why), -EINVAL);
	assert_int_equal(process__resolve("2147483648", &pid, &why), -EINVAL);
	assert_int_equal(process__resolve("", &pid, &why), -ENOENT);
	assert_int_equal(process__resolve("-1", &pid, &why), -EINVAL);
	buf__free(&why);
}

static void *go_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void end_main_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, go_on, NULL))
		_exit(1);
}

/* Its main thread has gone, and with it all that /proc/PID shows: other threads show it. */
static void a_process_without_its_main_thread(void **state)
{
	struct process *process, *before;
	struct maps maps = MAPS_INIT;
	int err, ready[2];
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		end_main_thread();
		if (read(ready[0], &byte, 1) == 1)
			syscall(SYS_exit, 0);
	}
	before = must_open(pid);
	assert_int_equal(write(ready[1], "x", 1), 1);
	/* It may still be there, or on its way out: "has ended while gctrace looked at it". */
	for (bool by_another = false; !by_another;) {
		err = process__open(pid, &process, NULL);
		by_another = err == 0 && process->firstfd >= 0;
		if (err == 0 && !by_another)
			process__free(process);
	}
	assert_int_equal(process->pid, pid);
	assert_int_equal(process->start_ticks, before->start_ticks);
	assert_string_equal(process->exe, before->exe);
	assert_int_equal(maps__read(&maps, process), 0);
	maps__free(&maps);
	process__free(process);
	if (before->pidfd >= 0)
		assert_true(process__alive(before));
	end_child(pid);
	assert_false(process__alive(before));
	process__free(before);
	close(ready[0]);
	close(ready[1]);
}

/* The same where it goes while it is looked at: the first read after that is by another. */
static void its_main_thread_goes_while_it_is_looked_at(void **state)
{
	struct maps maps = MAPS_INIT;
	struct process *process;
	struct remote memory;
	int ready[2], err;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		end_main_thread();
		if (read(ready[0], &byte, 1) == 1)
			syscall(SYS_exit, 0);
	}
	process = must_open(pid);
	assert_int_equal(process__look_by_living(process), 0);
	assert_int_equal(process->by, pid);
	remote__init(&memory, process->by);
	assert_int_equal(remote__read(&memory, (uintptr_t)findme, &byte, 1), 0);
	assert_false(memory.is_gone);
	assert_int_equal(write(ready[1], "x", 1), 1);
	while ((err = remote__read(&memory, (uintptr_t)findme, &byte, 1)) == 0)
		sched_yield();
	assert_int_equal(err, -ESRCH);
	assert_true(memory.is_gone);
	assert_int_equal(maps__read(&maps, process), 0);
	assert_int_equal(maps.count, 0);
	maps__free(&maps);
	assert_int_equal(process__look_by_living(process), 0);
	assert_int_not_equal(process->by, pid);
	remote__go_on_by(&memory, process->by);
	assert_int_equal(remote__read(&memory, (uintptr_t)findme, &byte, 1), 0);
	assert_false(memory.is_gone);
	assert_int_equal(maps__read(&maps, process), 0);
	assert_true(maps.count > 0);
	maps__free(&maps);
	assert_int_equal(process__look_by_living(process), 0);
	assert_int_equal(remote__read(&memory, (uintptr_t)findme, &byte, 1), 0);
	end_child(pid);
	assert_int_equal(process__look_by_living(process), -ESRCH);
	process__free(process);
	close(ready[0]);
	close(ready[1]);
}

static void opens_files_of_the_target(void **state)
{
	pid_t pid = child_with(NULL);
	struct process *process = must_open(pid);
	char path[300];
	int fd;

	fixture__write("file", "text");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("/", "up"), 0);
	snprintf(path, sizeof(path), "%s/file", (char *)*state);
	fd = process__open_file(process, path, O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	snprintf(path, sizeof(path), "../../../../../..%s/up/%s/file", (char *)*state,
		 (char *)*state);
	fd = process__open_file(process, path, O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	snprintf(path, sizeof(path), "%s/fifo", (char *)*state);
	assert_int_equal(process__open_file(process, path, O_RDONLY), -EINVAL);
	snprintf(path, sizeof(path), "%s", (char *)*state);
	assert_int_equal(process__open_file(process, path, O_RDONLY), -EINVAL);
	fd = process__open_file(process, path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(process__open_file(process, "/dev/null", O_RDONLY), -EINVAL);
	assert_int_equal(process__open_file(process, "/proc/self/exe", O_RDONLY), -ELOOP);
	process__free(process);
	end_child(pid);
}

/*
 * That a terminal was opened and closed again can be seen from its other end, which hangs up then;
 * that nobody has opened it so far is another thing.
 */
static void a_device_is_never_opened(void **state)
{
	int other_end = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), fd;
	struct pollfd end = { .fd = other_end };
	struct process *process = must_open(getpid());
	char name[64];

	(void)state;
	if (other_end < 0 || unlockpt(other_end) || ptsname_r(other_end, name, sizeof(name)) ||
	    access(name, R_OK)) {
		process__free(process);
		SKIP("there are no terminals here");
	}
	assert_int_equal(process__open_file(process, name, O_RDONLY), -EINVAL);
	assert_int_equal(process__open_file(process, name, O_RDONLY | O_DIRECTORY), -ENOTDIR);
	assert_int_equal(process__open_file(process, name, O_PATH), -EINVAL);
	assert_int_equal(poll(&end, 1, 0), 0);
	/* It would be seen. */
	fd = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(poll(&end, 1, 0), 1);
	close(other_end);
	process__free(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_a_child),
		cmocka_unit_test(tells_memory_of_its_own),
		cmocka_unit_test(a_pidfd_tells_its_end),
		cmocka_unit_test(a_hostile_name_fools_nobody),
		cmocka_unit_test(no_such_process),
		cmocka_unit_test(a_thread_is_no_process),
		cmocka_unit_test(a_zombie_has_ended),
		cmocka_unit_test(a_kernel_thread_is_no_program),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(tells_seccomp),
		cmocka_unit_test(tells_namespaces),
		cmocka_unit_test(finds_by_name),
		cmocka_unit_test(several_of_a_name_have_a_line_each),
		cmocka_unit_test(resolves_numbers),
		cmocka_unit_test(a_process_without_its_main_thread),
		cmocka_unit_test(a_device_is_never_opened),
		cmocka_unit_test(its_main_thread_goes_while_it_is_looked_at),
		cmocka_unit_test_setup_teardown(opens_files_of_the_target, fixture__enter,
						fixture__leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
