/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/patience.h"
#include "base/clock.h"
#include "target/process.h"

static struct process *start(void)
{
	struct process *process;
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	assert_int_equal(process__open(pid, &process, NULL), 0);
	return process;
}

static void end(struct process *process)
{
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
	process__free(process);
}

static void the_young_are_waited_for_longer_than_the_old(void **state)
{
	struct process *process = start();
	const uint64_t young = patience__for(process, -1).until_ns;
	uint64_t old;

	(void)state;
	process->start_ticks = 0;
	old = patience__for(process, -1).until_ns;
	assert_true(young > clock__monotonic_ns() + NS_PER_S);
	assert_true(old < young);
	process->start_ticks = UINT64_MAX / NS_PER_S; /* of a clock that is ahead of ours */
	assert_true(patience__for(process, -1).until_ns >= young);
	end(process);
}

static void the_dead_are_not_waited_for(void **state)
{
	struct process *process = start();
	struct patience patience = patience__for(process, -1);

	(void)state;
	assert_true(patience__wait(&patience));
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
	assert_false(patience__wait(&patience));
	process__free(process);
}

static void a_stop_ends_it(void **state)
{
	struct process *process = start();
	struct patience patience;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	patience = patience__for(process, pipes[0]);
	assert_true(patience__wait(&patience));
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_false(patience__wait(&patience));
	close(pipes[0]);
	close(pipes[1]);
	end(process);
}

static void it_has_an_end(void **state)
{
	struct process *process = start();
	struct patience patience = patience__for(process, -1);

	(void)state;
	patience.until_ns = clock__monotonic_ns();
	assert_false(patience__wait(&patience));
	end(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_young_are_waited_for_longer_than_the_old),
		cmocka_unit_test(the_dead_are_not_waited_for),
		cmocka_unit_test(a_stop_ends_it),
		cmocka_unit_test(it_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
