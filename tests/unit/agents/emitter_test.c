/* SPDX-License-Identifier: BSD-2-Clause */
/* The emitter: more threads than writers tell at once, and everything arrives once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/common/emitter.h"
#include "agents/common/thread.h"
#include "listener.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define EACH 5000

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void *tell(void *number)
{
	const uint64_t first = (uint64_t)(uintptr_t)number * EACH;

	for (uint64_t i = 0; i < EACH; i++) {
		struct gctrace_writer *writer = emitter__take(1, 1);

		gctrace_write_survivor(writer, 1, 0, (first + i) * 16, 8);
		emitter__release(writer);
		if (i % 1000 == 0)
			emitter__flush_all();
	}
	return NULL;
}

static void all_arrives_once(void **state)
{
	static unsigned char seen[THREADS * EACH];
	pthread_t threads[THREADS];
	size_t count = 0;

	(void)state;
	listener__begin();
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, tell, (void *)i), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (const char *at = listener__told(); (at = strstr(at, "width=8 ")); at++, count++) {
		const unsigned long start = strtoul(at + strlen("width=8 "), NULL, 16);

		assert_true(start / 16 < THREADS * EACH);
		assert_int_equal(seen[start / 16]++, 0);
	}
	assert_int_equal(count, THREADS * EACH);
}

/* What somebody is at work on is told when he has finished. */
static void a_taken_writer_is_flushed_when_released(void **state)
{
	struct gctrace_writer *writer;

	(void)state;
	listener__begin();
	writer = emitter__take(7, 7);
	gctrace_write_survivor(writer, 7, 0, 0x1000, 8);
	assert_string_equal(listener__told(), ""); /* flushes all */
	emitter__release(writer);
	assert_non_null(strstr(listener__told(), "1000 -> 1000 + 8"));
}

/* SIGPIPE would be the end of the program that the agent is in. */
static void a_pipe_that_nobody_reads_harms_nobody(void **state)
{
	struct gctrace_writer *writer;
	sigset_t pending;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	emitter__to_descriptor(ends[1]);
	writer = emitter__take(9, 9);
	gctrace_write_survivor(writer, 9, 0, 0x1000, 8);
	emitter__release(writer);
	emitter__flush_all();
	emitter__to_descriptor(-1);
	close(ends[1]);
	assert_int_equal(sigpending(&pending), 0);
	assert_false(sigismember(&pending, SIGPIPE));
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &pending), 0);
	assert_false(sigismember(&pending, SIGPIPE));
}

static void the_lowest_free_one_is_taken(void **state)
{
	struct gctrace_writer *first, *second;

	(void)state;
	first = emitter__take(0, 0);
	second = emitter__take(0, 0);
	assert_ptr_not_equal(first, second);
	emitter__release(first);
	assert_ptr_equal(emitter__take(0, 0), first);
	emitter__release(second);
	emitter__release(first);
}

static void count(void *context)
{
	atomic_fetch_add((atomic_int *)context, 1);
}

static void a_worker_does_one_thing_after_the_other(void **state)
{
	static struct worker worker;
	static atomic_int done;

	(void)state;
	assert_true(worker__start(&worker, "test-worker"));
	for (int i = 1; i <= 100; i++) {
		assert_true(worker__post(&worker, count, &done));
		while (!worker__is_idle(&worker))
			nap();
		assert_int_equal(atomic_load(&done), i);
	}
}

static int get_memory(void **state)
{
	(void)state;
	return emitter__init(4) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrives_once),
		cmocka_unit_test(a_taken_writer_is_flushed_when_released),
		cmocka_unit_test(a_pipe_that_nobody_reads_harms_nobody),
		cmocka_unit_test(the_lowest_free_one_is_taken),
		cmocka_unit_test(a_worker_does_one_thing_after_the_other),
	};

	return cmocka_run_group_tests(tests, get_memory, NULL);
}
