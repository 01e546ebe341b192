/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The helper that opens uprobes, where it cannot do its work: nobody waits for it for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/opener.h"

#define HANGS 60 /* seconds after which SIGALRM ends a process of the test */

/* Runs it in a process of its own; what it returned, or -1: it was ended by a signal. */
static int in_child(int (*what)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(HANGS);
		_exit(what());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A filter that kills whoever gives up capabilities, which of the two is the helper alone. */
static int start_forbidden(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_capset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(steps) / sizeof(steps[0]), steps };
	struct opener *opener;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 100;
	return -opener__new(&opener);
}

static void a_helper_that_ends_at_once(void **state)
{
	(void)state;
	assert_int_equal(in_child(start_forbidden), EPIPE);
}

/* What is asked of one that was killed meanwhile. */
static int ask_a_dead_one(void)
{
	struct opener_request request = { .tid = getpid() };
	struct opener *opener;
	siginfo_t info;
	pid_t helper = 0;
	char name[64];
	int err, fd;
	ssize_t n;

	if (opener__new(&opener))
		return 100;
	snprintf(name, sizeof(name), "/proc/self/task/%d/children", getpid());
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);
	if (n <= 0)
		return 101;
	name[n] = 0;
	helper = atoi(name);
	if (kill(helper, SIGKILL) || waitid(P_PID, (id_t)helper, &info, WEXITED | WNOWAIT))
		return 102;
	err = opener__open(opener, "/proc/self/exe", &request);
	opener__free(opener);
	return -err;
}

static void a_helper_that_was_killed(void **state)
{
	(void)state;
	if (getuid()) {
		print_message("skip: it needs root\n");
		skip();
	}
	assert_int_equal(in_child(ask_a_dead_one), EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_helper_that_ends_at_once),
		cmocka_unit_test(a_helper_that_was_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
