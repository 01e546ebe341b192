/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that do not do what they were made for: none is waited for without end. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/keeper.h"

/* As one whose user is the target's: that can stop it. */
static void one_that_is_stopped_is_killed(void **state)
{
	const pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(keeper__await(pid, 50 * NS_PER_MS), -ETIMEDOUT);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void one_that_ends_tells_how(void **state)
{
	const pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(7);
	status = keeper__await(pid, 300 * NS_PER_S);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static int stop(void *context, int socket)
{
	(void)context;
	(void)socket;
	raise(SIGSTOP);
	return 0;
}

static void one_that_says_nothing_is_left(void **state)
{
	struct keeper keeper;
	int word;

	(void)state;
	assert_int_equal(keeper__start(&keeper, stop, NULL), 0);
	assert_int_equal(keeper__hear_for(keeper.socket, &word, sizeof(word), 50 * NS_PER_MS),
			 -ETIMEDOUT);
	keeper__end(&keeper);
	kill(keeper.pid, SIGKILL);
}

static int answer(void *context, int socket)
{
	return keeper__say(socket, context, sizeof(int)) != sizeof(int);
}

static void one_that_answers_is_heard(void **state)
{
	struct keeper keeper;
	int word = 42, heard = 0;

	(void)state;
	assert_int_equal(keeper__start(&keeper, answer, &word), 0);
	assert_int_equal(keeper__hear_for(keeper.socket, &heard, sizeof(heard), 300 * NS_PER_S),
			 sizeof(heard));
	assert_int_equal(heard, 42);
	keeper__end(&keeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_stopped_is_killed),
		cmocka_unit_test(one_that_ends_tells_how),
		cmocka_unit_test(one_that_says_nothing_is_left),
		cmocka_unit_test(one_that_answers_is_heard),
	};

	return cmocka_run_group_tests_name("base/keeper", tests, NULL, NULL);
}
