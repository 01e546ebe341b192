/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that we start: what is told of them, and that they run on when they are let go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/launch.h"
#include "attach/limits.h"
#include "bench.h"
#include "ear.h"
#include "unit/directory.h"

/* What a watcher was told. */
struct heard {
	size_t started, execs, mapped, ended;
	pid_t pids[3]; /* of the first that were started */
	int status; /* of the last that ended */
};

static void started(void *context, pid_t pid)
{
	struct heard *heard = context;

	if (heard->started < sizeof(heard->pids) / sizeof(*heard->pids))
		heard->pids[heard->started] = pid;
	heard->started++;
}

static void execs(void *context, pid_t pid)
{
	struct heard *heard = context;

	(void)pid;
	heard->execs++;
}

static void mapped(void *context, pid_t pid)
{
	struct heard *heard = context;

	(void)pid;
	heard->mapped++;
}

static void ended(void *context, pid_t pid, int status)
{
	struct heard *heard = context;

	(void)pid;
	heard->ended++;
	heard->status = status;
}

static void nothing(void)
{
}

static void not_interrupted(void *context)
{
	(void)context;
	fail_msg("no signal was sent");
}

static struct launch *start(struct heard *heard, char *const arguments[])
{
	const struct launch_watcher watcher = { started, execs, mapped, ended, heard };
	struct launch *launch = NULL;

	*heard = (struct heard){ .status = -1 };
	assert_int_equal(launch__new(&launch, arguments, nothing, &watcher), 0);
	assert_non_null(launch);
	return launch;
}

#define start(heard, ...) start(heard, (char *[]){ __VA_ARGS__, NULL })

static void handle(struct launch *launch)
{
	poll(&(struct pollfd){ .fd = launch__fd(launch), .events = POLLIN }, 1, 100);
	assert_int_equal(launch__handle(launch), 0);
}

static int run_to_its_end(struct launch *launch)
{
	int status = -1;

	while (launch__alive(launch))
		handle(launch);
	assert_true(launch__ended(launch, &status));
	launch__free(launch);
	return status;
}

static bool has_state(pid_t pid, char state)
{
	char value[64];

	assert_true(bench__status(pid, "State:", value, sizeof(value)));
	return *value == state;
}

static pid_t tracer_of(pid_t pid)
{
	char value[64];

	assert_true(bench__status(pid, "TracerPid:", value, sizeof(value)));
	return atoi(value);
}

/* ---------------------------------------------------------------- from its start to its end */

static void the_program_and_its_children(void **state)
{
	struct heard heard;
	int status;

	NEEDS_ROOT;
	status = run_to_its_end(start(&heard, "sh", "-c", "/bin/true; /bin/true; exit 7"));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(heard.started, 3);
	assert_int_equal(heard.execs, 3);
	assert_int_equal(heard.ended, 3);
	assert_true(heard.mapped >= heard.execs); /* libc at least */
}

static void a_signal_passes_through(void **state)
{
	struct heard heard;
	int status;

	NEEDS_ROOT;
	status = run_to_its_end(start(&heard, "sh", "-c", "kill -USR1 $$"));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGUSR1);
	status = run_to_its_end(start(&heard, "sh", "-c", "trap 'exit 3' WINCH; kill -WINCH $$;"
							  " exit 4"));
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void what_cannot_be_started(void **state)
{
	struct heard heard = { 0 };
	const struct launch_watcher watcher = { started, execs, mapped, ended, &heard };
	char *const nowhere[] = { "/nowhere/at/all", NULL }, *const root[] = { "/", NULL };
	struct launch *launch = NULL;
	sigset_t mask;

	NEEDS_ROOT;
	assert_int_equal(launch__new(&launch, nowhere, nothing, &watcher), -ENOENT);
	assert_int_equal(launch__new(&launch, root, nothing, &watcher), -EACCES);
	assert_null(launch);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	assert_false(sigismember(&mask, SIGCHLD));
	launch__free(NULL);
}

/* We may have raised ours. */
static void the_program_has_the_limits_that_we_came_with(void **state)
{
	struct rlimit before;
	struct heard heard;

	NEEDS_ROOT;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 123, before.rlim_max }), 0);
	limits__raise();
	assert_int_equal(run_to_its_end(start(&heard, "sh", "-c", "test $(ulimit -n) = 123")), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* ---------------------------------------------------------------- letting go */

static void what_is_let_go_runs_on(void **state)
{
	struct launch *launch;
	struct heard heard;
	int status;
	pid_t pid;

	NEEDS_ROOT;
	launch = start(&heard, "sh", "-c", "sleep 1000; exit 5");
	while (heard.execs < 2)
		handle(launch);
	pid = launch__pid(launch);
	assert_int_equal(tracer_of(pid), getpid());
	launch__release(launch);
	assert_int_equal(launch__alive(launch), 0);
	assert_int_equal(tracer_of(pid), 0);
	assert_false(has_state(pid, 'T') || has_state(pid, 't'));
	assert_int_equal(kill(pid, SIGTERM), 0);
	status = launch__wait(launch, not_interrupted);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(kill(heard.pids[heard.started - 1], SIGKILL), 0); /* what it waited for */
	launch__free(launch);
}

/* A child of vfork() that lives until somebody opens the FIFO, and its parent after it. */
static int parent_of_vfork(const char *fifo)
{
	pid_t child = vfork();
	int status;

	if (child == 0)
		_exit(open(fifo, O_WRONLY | O_CLOEXEC) >= 0 ? 6 : 1);
	return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 1;
}

static void who_waits_for_the_kernel_holds_nobody_up(void **state)
{
	struct launch *launch;
	struct heard heard;
	int reader, status;

	NEEDS_ROOT;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	launch = start(&heard, "/proc/self/exe", "vfork", "fifo");
	while (heard.started < 2 || !has_state(launch__pid(launch), 'D'))
		handle(launch);
	launch__release(launch);
	assert_int_equal(launch__alive(launch), 1);
	assert_int_equal(tracer_of(launch__pid(launch)), getpid());
	reader = open("fifo", O_RDONLY | O_CLOEXEC);
	status = launch__wait(launch, not_interrupted);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 6);
	launch__free(launch);
	close(reader);
}

/* The program itself ends while a process that it made waits still. */
static void who_waits_for_the_kernel_is_told_of_once(void **state)
{
	char self[4096] = "";
	struct launch *launch;
	struct heard heard;
	struct ear ear;
	int reader, status;

	NEEDS_ROOT;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	launch = start(&heard, "sh", "-c", "\"$0\" vfork \"$1\" & wait", self, "fifo");
	while (heard.started < 3 || !has_state(heard.pids[1], 'D'))
		handle(launch);
	ear__open(&ear);
	launch__release(launch);
	kill(launch__pid(launch), SIGTERM);
	status = launch__wait(launch, not_interrupted);
	assert_int_equal(launch__alive(launch), 1);
	launch__free(launch);
	assert_int_equal(ear__close(&ear, "wait for the kernel"), 1);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	reader = open("fifo", O_RDONLY | O_CLOEXEC);
	close(reader);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_and_its_children),
		cmocka_unit_test(a_signal_passes_through),
		cmocka_unit_test(what_cannot_be_started),
		cmocka_unit_test(the_program_has_the_limits_that_we_came_with),
		cmocka_unit_test(what_is_let_go_runs_on),
		cmocka_unit_test_setup_teardown(who_waits_for_the_kernel_holds_nobody_up,
						directory__enter, directory__leave),
		cmocka_unit_test_setup_teardown(who_waits_for_the_kernel_is_told_of_once,
						directory__enter, directory__leave),
	};

	if (argc == 3 && strcmp(argv[1], "vfork") == 0)
		return parent_of_vfork(argv[2]);
	return cmocka_run_group_tests_name("programs that we start", tests, NULL, NULL);
}
