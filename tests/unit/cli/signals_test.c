/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/ending.h"
#include "cli/signals.h"
#include "cli/status.h"

static bool readable(int fd)
{
	struct pollfd poll_fd = { fd, POLLIN, 0 };

	return poll(&poll_fd, 1, 0) == 1;
}

/*
 * Each test runs in a child, because handlers are installed for good; in a session without a
 * terminal, so that a hangup means the same wherever the tests run. Its result is the
 * number of the first wrong thing.
 */
#define CHECK(condition)                  \
	do {                              \
		if (!(condition))         \
			_exit(__LINE__ % 250 + 1); \
	} while (0)

static int in_child(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setsid();
		alarm(300);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/*
 * For bodies that are asked to stop more than once, within the time in which that counts as once:
 * one that a busy machine held up for longer is killed, and gets another try.
 */
static int in_quick_child(void (*body)(void))
{
	uint64_t began;
	int status;

	do {
		began = clock__monotonic_ns();
		status = in_child(body);
	} while (WIFSIGNALED(status) && clock__monotonic_ns() - began >= 200 * NS_PER_MS);
	return status;
}

static void body_descriptors(void)
{
	CHECK(signals__fd() == -1 && signals__stop_fd() == -1);
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	CHECK(!readable(signals__fd()) && !readable(signals__stop_fd()));
	raise(SIGHUP);
	raise(SIGWINCH);
	CHECK(readable(signals__fd()) && !readable(signals__stop_fd()));
	CHECK(signals__take() == (SIGNALS_RESCAN | SIGNALS_RESIZE));
	CHECK(signals__take() == 0 && !readable(signals__fd()) && !signals__stopping());
	raise(SIGINT);
	raise(SIGINT); /* as timeout(1) does */
	raise(SIGTERM);
	CHECK(readable(signals__fd()) && readable(signals__stop_fd()) && signals__stopping());
	CHECK(signals__take() == SIGNALS_STOP);
	CHECK(signals__take() == 0 && signals__stopping() && readable(signals__stop_fd()));
}

static void signals_become_readable(void **state)
{
	(void)state;
	assert_int_equal(in_quick_child(body_descriptors), 0);
}

static void body_sent(void)
{
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	CHECK(signals__take_sent() == 0);
	kill(getpid(), SIGTERM);
	CHECK(signals__take_sent() == SIGTERM);
	CHECK(signals__take_sent() == 0 && signals__stopping());
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGINT);
	CHECK(signals__take_sent() == SIGINT && signals__take_sent() == SIGTERM);
	kill(getpid(), SIGHUP);
	CHECK(signals__take_sent() == 0);
}

static void what_was_sent_is_told_once(void **state)
{
	(void)state;
	assert_int_equal(in_quick_child(body_sent), 0);
}

static void body_closed_pipe(void)
{
	int pipes[2];

	CHECK(signals__prepare() == 0 && pipe(pipes) == 0);
	close(pipes[0]);
	CHECK(write(pipes[1], "x", 1) == -1 && errno == EPIPE);
}

static void closed_pipe_does_not_kill(void **state)
{
	(void)state;
	assert_int_equal(in_child(body_closed_pipe), 0);
}

static void body_interrupt_write(void)
{
	char *bytes = calloc(1, 1 << 20);
	int pipes[2];
	pid_t parent = getpid();

	CHECK(signals__prepare() == 0 && signals__install() == 0 && pipe(pipes) == 0);
	if (fork() == 0) {
		while (kill(parent, SIGTERM) == 0) /* until it was in write() at last */
			usleep(1000);
		_exit(0);
	}
	CHECK(write(pipes[1], bytes, 1 << 20) < 1 << 20);
	free(bytes);
}

static void blocked_write_returns(void **state)
{
	(void)state;
	assert_int_equal(in_quick_child(body_interrupt_write), 0);
}

static void body_second(void)
{
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	raise(SIGINT);
	usleep(300000);
	raise(SIGINT);
}

static void asking_again_later_ends_at_once(void **state)
{
	int status = in_child(body_second);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

/* Whoever does not come to an end is ended, and says that something is lost. */
static void body_overdue(void)
{
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	raise(SIGTERM);
	for (;;)
		pause();
}

static void an_end_is_bounded(void **state)
{
	int status = in_child(body_overdue);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS_DATA_LOST);
}

/* Where no handler runs, as in a thread that the kernel keeps: the kernel ends it. */
static void body_deaf(void)
{
	sigset_t all;

	CHECK(signals__prepare() == 0 && signals__install() == 0);
	raise(SIGTERM);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;)
		pause();
}

static void an_end_without_handlers_is_bounded(void **state)
{
	int status = in_child(body_deaf);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* The time of -d: no signal, but an end all the same. */
static void body_planned(void)
{
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	signals__end_after(clock__monotonic_ns(), 0);
	CHECK(ending__now() == ENDING_NO);
	signals__end_after(clock__monotonic_ns(), UINT64_MAX);
	CHECK(ending__now() == ENDING_NO);
	signals__end_after(clock__monotonic_ns(), 10 * NS_PER_MS);
	while (ending__now() == ENDING_NO)
		usleep(1000);
	CHECK(readable(signals__stop_fd()) && readable(signals__fd()));
	CHECK(!signals__stopping() && signals__take() == 0);
	for (;;)
		pause();
}

static void a_planned_end_is_bounded(void **state)
{
	int status = in_child(body_planned);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS_DATA_LOST);
}

/* gctrace run: signals are for its program, and so is the time. */
static void body_outlive(void)
{
	signals__outlive();
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	raise(SIGTERM);
	CHECK(readable(signals__stop_fd()) && ending__now() == ENDING_NO);
	signals__end_after(clock__monotonic_ns(), 1);
	while (ending__now() != ENDING_LAST)
		usleep(1000);
	usleep(300000);
}

static void who_waits_for_a_program_is_not_ended(void **state)
{
	(void)state;
	assert_int_equal(in_child(body_outlive), 0);
}

static void body_restore(void)
{
	struct sigaction now;

	signal(SIGHUP, SIG_IGN);
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	signals__restore();
	CHECK(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
	CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	CHECK(sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
}

static void children_get_what_we_got(void **state)
{
	(void)state;
	assert_int_equal(in_child(body_restore), 0);
}

static void body_closed_descriptors(void)
{
	int fd;

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	CHECK(signals__prepare() == 0);
	fd = open("/dev/null", O_WRONLY);
	CHECK(fd > STDERR_FILENO);
	CHECK(write(STDOUT_FILENO, "x", 1) == -1 && errno == EBADF);
}

static void files_never_become_stdout(void **state)
{
	(void)state;
	assert_int_equal(in_child(body_closed_descriptors), 0);
}

/* A terminal that goes away: hang up its session's leader, as a lost connection does. */
static void body_hangup(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, tries = 0;

	CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR); /* becomes the controlling terminal */
	CHECK(slave >= 0);
	CHECK(signals__prepare() == 0 && signals__install() == 0);
	raise(SIGHUP);
	CHECK(signals__take() == SIGNALS_RESCAN);
	close(master);
	while (!signals__stopping() && tries++ < 10000)
		usleep(10000);
	CHECK(signals__stopping());
}

static void a_lost_terminal_stops(void **state)
{
	(void)state;
	assert_int_equal(in_child(body_hangup), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_become_readable),
		cmocka_unit_test(what_was_sent_is_told_once),
		cmocka_unit_test(closed_pipe_does_not_kill),
		cmocka_unit_test(blocked_write_returns),
		cmocka_unit_test(asking_again_later_ends_at_once),
		cmocka_unit_test(an_end_is_bounded),
		cmocka_unit_test(an_end_without_handlers_is_bounded),
		cmocka_unit_test(a_planned_end_is_bounded),
		cmocka_unit_test(who_waits_for_a_program_is_not_ended),
		cmocka_unit_test(children_get_what_we_got),
		cmocka_unit_test(files_never_become_stdout),
		cmocka_unit_test(a_lost_terminal_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
