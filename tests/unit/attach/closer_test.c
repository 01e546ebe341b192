/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The helper that closes descriptors: when closer__close() comes back nobody has them any more,
 * however many ask at once and whoever else holds our end of its socket, and it ends with us.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/closer.h"
#include "bench.h"

#define ASKING 16
#define ROUNDS 50

/* Closes the writing end by the helper; is there anybody left who could write? */
static void *close_pipes(void *closer)
{
	uintptr_t left = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int ends[2];
		char byte;

		if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
			return (void *)(uintptr_t)1000;
		closer__close(closer, &ends[1], 1);
		left += read(ends[0], &byte, 1) != 0;
		close(ends[0]);
	}
	return (void *)left;
}

static void what_is_closed_is_closed_everywhere(void **state)
{
	struct closer *closer;
	pthread_t threads[ASKING];

	NEEDS_ROOT;
	closer = closer__new();
	assert_non_null(closer);
	for (size_t i = 0; i < ASKING; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, close_pipes, closer), 0);
	for (size_t i = 0; i < ASKING; i++) {
		void *left;

		pthread_join(threads[i], &left);
		assert_null(left);
	}
	closer__free(closer);
}

static void without_a_helper_it_is_closed_too(void **state)
{
	(void)state;
	assert_null(close_pipes(NULL));
}

/* A child that was made later has a copy of our end of the socket: nobody waits for that one. */
static void another_child_does_not_keep_it(void **state)
{
	struct closer *closer;
	pid_t other;

	NEEDS_ROOT;
	closer = closer__new();
	other = fork();
	if (other == 0)
		for (;;)
			pause();
	alarm(60);
	closer__free(closer);
	alarm(0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void one_that_was_killed_is_done_without(void **state)
{
	struct closer *closer;
	siginfo_t info;

	NEEDS_ROOT;
	closer = closer__new();
	assert_non_null(closer);
	kill(closer__pid(closer), SIGKILL);
	waitid(P_PID, (id_t)closer__pid(closer), &info, WEXITED | WNOWAIT);
	assert_null(close_pipes(closer));
	closer__free(closer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_closed_is_closed_everywhere),
		cmocka_unit_test(without_a_helper_it_is_closed_too),
		cmocka_unit_test(another_child_does_not_keep_it),
		cmocka_unit_test(one_that_was_killed_is_done_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
