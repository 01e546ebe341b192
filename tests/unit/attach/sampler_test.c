/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process of which most threads wait, in the kernel and for ever: a walk and a visit have to find
 * the same ones at the same place, also while others come and go.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/sampler.h"
#include "bench.h"
#include "victim.h"

#define WAITING 300
#define SPINNING 2
#define LEAST_STACK (64 << 10)

#ifdef SYS_pause
#define PAUSES_IN SYS_pause
#else
#define PAUSES_IN SYS_ppoll
#endif

/* ---------------------------------------------------------------- a process with threads */

static int news[2]; /* a byte of each thread that waits, or -, and none comes after it */

static void *wait_for_ever(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "waits %u", (unsigned int)(uintptr_t)number);
	prctl(PR_SET_NAME, name);
	if (write(news[1], "w", 1) == 1)
		for (;;)
			pause();
	return NULL;
}

static void *spin(void *unused)
{
	for (volatile unsigned long turns = 0;; turns++)
		;
	return unused;
}

static void *end_at_once(void *unused)
{
	return unused;
}

static void *start_others(void *unused)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, end_at_once, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static void *replace_the_image(void *unused)
{
	usleep(100000);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl("/bin/sleep", "sleep", "1000", NULL);
	return unused;
}

static bool make(unsigned int count, void *(*run)(void *))
{
	pthread_attr_t small;
	pthread_t thread;
	bool made = true;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, LEAST_STACK);
	for (unsigned int i = 0; i < count && made; i++)
		made = !pthread_create(&thread, &small, run, (void *)(uintptr_t)i);
	pthread_attr_destroy(&small);
	return made;
}

/* 0: so many threads are not to be had here. */
static pid_t start(unsigned int waiting, unsigned int others, void *(*run)(void *))
{
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(news), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!make(waiting, wait_for_ever) || !make(others, run))
			byte = '-';
		if (byte && write(news[1], &byte, 1) != 1)
			abort();
		wait_for_ever((void *)(uintptr_t)waiting);
	}
	for (unsigned int i = 0; i < waiting + 1 && byte != '-'; i++)
		assert_int_equal(read(news[0], &byte, 1), 1);
	close(news[0]);
	close(news[1]);
	if (byte != '-')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static pid_t start_some(unsigned int waiting, unsigned int others, void *(*run)(void *))
{
	const pid_t pid = start(waiting, others, run);

	assert_int_not_equal(pid, 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct sampler *sampler_of(pid_t pid, bool visits)
{
	const struct sampler_options options = { .pid = pid, .visits = visits };
	struct sampler *sampler;

	assert_int_equal(sampler__new(&options, &sampler), 0);
	return sampler;
}

/* How often it is there. */
static unsigned int count_of(const struct sweep *sweep, pid_t tid, const struct sampled **row)
{
	unsigned int count = 0;

	for (size_t i = 0; i < sweep->rows.count; i++) {
		if (sweep->rows.items[i].caught.tid != tid)
			continue;
		*row = &sweep->rows.items[i];
		count++;
	}
	return count;
}

/*
 * One that has written its byte is on its way to where it waits. All are there if they have not
 * been switched to between two sweeps, either.
 */
static void sweep_at_rest(struct sampler *sampler, size_t waiting, struct sweep *sweep)
{
	uint64_t switches = 0, before;
	size_t at_rest;

	do {
		before = switches;
		switches = at_rest = 0;
		assert_int_equal(sampler__sweep(sampler, sweep), 0);
		for (size_t i = 0; i < sweep->rows.count; i++) {
			const struct sampled *row = &sweep->rows.items[i];

			if (row->torn || row->state != SAMPLED_WAITS ||
			    row->caught.syscall != PAUSES_IN)
				continue;
			at_rest++;
			switches += row->switches;
		}
	} while (at_rest < waiting || switches != before);
}

/* Since Linux 6.7. */
static bool kernel_has_walks(void)
{
	struct btf *types = btf__load_vmlinux_btf();
	const bool has = btf__find_by_name_kind(types, "bpf_iter_task_next", BTF_KIND_FUNC) > 0;

	btf__free(types);
	return has;
}

/* ---------------------------------------------------------------- tests */

static void expect_same(const struct sampled *a, const struct sampled *b)
{
	assert_int_equal(a->kernel_tid, b->kernel_tid);
	assert_int_equal(a->caught.inner_tid, b->caught.inner_tid);
	assert_string_equal(a->comm, b->comm);
	if (a->state != SAMPLED_WAITS)
		return;
	assert_int_equal(b->state, SAMPLED_WAITS);
	assert_int_equal(b->caught.how, CAUGHT_OFF_CPU);
	assert_int_equal(a->caught.ip, b->caught.ip);
	assert_int_equal(a->caught.sp, b->caught.sp);
	assert_int_equal(a->caught.syscall, b->caught.syscall);
	assert_int_equal(a->switches, b->switches);
}

static void a_walk_finds_what_a_visit_finds(void **state)
{
	struct sweep sweeps[2] = { 0 };
	const struct sampled *other = NULL;
	pid_t pid;

	NEEDS_ROOT;
	pid = start_some(WAITING, SPINNING, spin);
	for (unsigned int visits = 0; visits < 2; visits++) {
		struct sampler *sampler = sampler_of(pid, visits);

		assert_int_equal(sampler__walks(sampler), !visits && kernel_has_walks());
		sweep_at_rest(sampler, WAITING + 1, &sweeps[visits]);
		assert_int_equal(sweeps[visits].rows.count, WAITING + 1 + SPINNING);
		sampler__free(sampler);
	}
	for (size_t i = 0; i < sweeps[0].rows.count; i++) {
		const struct sampled *row = &sweeps[0].rows.items[i];

		assert_int_equal(count_of(&sweeps[1], row->caught.tid, &other), 1);
		expect_same(row, other);
	}
	sweep__free(&sweeps[0]);
	sweep__free(&sweeps[1]);
	end(pid);
}

/* Who is there all the time is found in each sweep, once. */
static void others_come_and_go(void **state)
{
	NEEDS_ROOT;
	for (unsigned int visits = 0; visits < 2; visits++) {
		const pid_t pid = start_some(WAITING, SPINNING, start_others);
		struct sampler *sampler = sampler_of(pid, visits);
		struct sweep sweep = { 0 };

		for (unsigned int i = 0; i < 300; i++) {
			unsigned int stay = 0;

			assert_int_equal(sampler__sweep(sampler, &sweep), 0);
			for (size_t row = 0; row < sweep.rows.count; row++)
				stay += strncmp(sweep.rows.items[row].comm, "waits ", 6) == 0;
			assert_int_equal(stay, WAITING + 1);
		}
		sampler__free(sampler);
		sweep__free(&sweep);
		end(pid);
	}
}

/* In a child: a kernel's thread that polls for what is to be done, and sleeps after a moment. */
static void start_uring(void)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SQPOLL,
		.sq_thread_idle = 1,
	};
	char byte = 'u';

	if (syscall(SYS_io_uring_setup, 8, &params) < 0)
		byte = '-';
	if (write(news[1], &byte, 1) == 1)
		for (;;)
			pause();
	abort();
}

static const struct sampled *worker_of(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->rows.count; i++)
		if (strncmp(sweep->rows.items[i].comm, "iou-", 4) == 0)
			return &sweep->rows.items[i];
	return NULL;
}

/* It has no registers, and is in no system call, whether it polls or sleeps. */
static void a_worker_of_the_kernel(void **state)
{
	struct sweep sweep = { 0 };
	struct sampler *sampler;
	const struct sampled *row;
	char byte;
	pid_t pid;

	NEEDS_ROOT;
	assert_int_equal(pipe(news), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		start_uring();
	}
	assert_int_equal(read(news[0], &byte, 1), 1);
	close(news[0]);
	close(news[1]);
	if (byte == '-') {
		end(pid);
		skip(); /* no io_uring here */
	}
	sampler = sampler_of(pid, false);
	do {
		assert_int_equal(sampler__sweep(sampler, &sweep), 0);
		assert_int_equal(sweep.rows.count, 2);
		row = worker_of(&sweep);
		assert_non_null(row);
		assert_true(row->is_worker);
		assert_int_equal(row->caught.syscall, -1);
		assert_int_equal(row->caught.ip | row->caught.sp | row->caught.fp, 0);
		assert_true(count_of(&sweep, pid, &row) == 1 && !row->is_worker);
	} while (worker_of(&sweep)->state != SAMPLED_WAITS);
	sampler__free(sampler);
	sweep__free(&sweep);
	end(pid);
}

/* A child has it from us. */
static uint64_t own_image(void)
{
	struct sampler *sampler = sampler_of(getpid(), false);
	uint64_t image;

	assert_int_equal(sampler__find_image(sampler, &image), 0);
	assert_true(image > 0);
	sampler__free(sampler);
	return image;
}

/*
 * The first thread is another one then, under the same number, and of another image: also where a
 * sweep was just made.
 */
static void a_thread_replaces_the_image(void **state)
{
	NEEDS_ROOT;
	for (unsigned int visits = 0; visits < 2; visits++) {
		const pid_t pid = start_some(3, 1, replace_the_image);
		struct sampler *sampler = sampler_of(pid, visits);
		const struct sampled *row = NULL;
		struct sweep sweep = { 0 }, before = { 0 };
		const uint64_t image = own_image();
		uint64_t now;

		assert_int_equal(sampler__sweep(sampler, &before), 0);
		do {
			assert_int_equal(sampler__sweep(sampler, &sweep), 0);
			assert_in_range(sweep.rows.count, 1, 5);
			for (size_t i = 0; i < sweep.rows.count; i++)
				assert_in_range(sweep.rows.items[i].image, image, image + 1);
			/* The count and the name change one after the other. */
		} while (!count_of(&sweep, pid, &row) || row->image == image ||
			 strcmp(row->comm, "sleep") != 0);
		assert_int_equal(sampler__find_image(sampler, &now), 0);
		assert_int_equal(now, image + 1);
		assert_int_equal(count_of(&before, pid, &row), 1);
		assert_int_equal(sampler__look_again(sampler, &before), 0);
		/* On a busy machine the first sweep may have come too late. */
		assert_int_equal(before.is_past, row->image == image);
		assert_false(row->still && row->image == image);
		sweep__free(&before);
		assert_int_equal(sampler__sweep(sampler, &sweep), 0);
		assert_int_equal(sweep.rows.count, 1);
		assert_int_equal(sampler__walks(sampler), !visits && kernel_has_walks());
		sampler__free(sampler);
		sweep__free(&sweep);
		end(pid);
	}
}

/* The first thread has ended, and its number is still the process's. */
static void a_process_without_its_first_thread(void **state)
{
	const struct sampled *row = NULL;
	struct victim victim;

	NEEDS_ROOT;
	victim__start(&victim);
	victim__do(&victim, VICTIM_END_LEADER, 0, 0);
	for (unsigned int visits = 0; visits < 2; visits++) {
		struct sampler *sampler = sampler_of(victim.pid, visits);
		struct sweep sweep = { 0 };

		do
			assert_int_equal(sampler__sweep(sampler, &sweep), 0);
		while (count_of(&sweep, victim.pid, &row) && row->state != SAMPLED_ENDS);
		assert_true(sweep.rows.count >= 2);
		sampler__free(sampler);
		sweep__free(&sweep);
	}
	victim__end(&victim);
}

/* In sweeps, and in the look after one. */
static void more_threads_than_a_walk_has_room_for(void **state)
{
	const size_t waiting = SAMPLE_WALK_ROWS + 10;
	struct sweep sweep = { 0 };
	struct sampler *sampler;
	pid_t pid;

	NEEDS_ROOT;
	pid = start(waiting, 0, NULL);
	if (!pid)
		skip();
	sampler = sampler_of(pid, false);
	sweep_at_rest(sampler, waiting + 1, &sweep);
	assert_false(sampler__walks(sampler));
	assert_int_equal(sweep.rows.count, waiting + 1);
	assert_int_equal(sampler__look_again(sampler, &sweep), 0);
	for (size_t i = 0; i < sweep.rows.count; i++)
		assert_true(sweep.rows.items[i].still);
	sampler__free(sampler);
	sweep__free(&sweep);
	end(pid);
}

static void just_as_many_as_there_is_room_for(void **state)
{
	const size_t waiting = SAMPLE_WALK_ROWS - 1;
	struct sweep sweep = { 0 };
	struct sampler *sampler;
	pid_t pid;

	NEEDS_ROOT;
	pid = start(waiting, 0, NULL);
	if (!pid)
		skip();
	sampler = sampler_of(pid, false);
	assert_int_equal(sampler__sweep(sampler, &sweep), 0);
	assert_int_equal(sweep.rows.count, SAMPLE_WALK_ROWS);
	assert_int_equal(sampler__walks(sampler), kernel_has_walks());
	sampler__free(sampler);
	sweep__free(&sweep);
	end(pid);
}

static void only_the_threads_that_were_chosen(void **state)
{
	pid_t pid;

	NEEDS_ROOT;
	pid = start_some(3, 0, NULL);
	for (unsigned int visits = 0; visits < 2; visits++) {
		const struct sampler_options options = {
			.pid = pid, .tids = &pid, .tid_count = 1, .visits = visits,
		};
		struct sweep sweep = { 0 };
		struct sampler *sampler;

		assert_int_equal(sampler__new(&options, &sampler), 0);
		assert_int_equal(sampler__sweep(sampler, &sweep), 0);
		assert_int_equal(sweep.rows.count, 1);
		assert_int_equal(sweep.rows.items[0].caught.tid, pid);
		sampler__free(sampler);
		sweep__free(&sweep);
	}
	end(pid);
}

/* Each of them: the first one, which some kernels find where they find no other, and the rest. */
static void one_is_singled_out(void **state)
{
	struct sweep sweep = { 0 };
	struct sampler *sampler;
	pid_t pid;

	NEEDS_ROOT;
	pid = start_some(3, 0, NULL);
	sampler = sampler_of(pid, false);
	sweep_at_rest(sampler, 4, &sweep);
	for (size_t i = 0; i < sweep.rows.count; i++) {
		struct sampled row = sweep.rows.items[i];

		sampler__single_out(sampler, &row);
		row.caught.ip = row.caught.sp = 0;
		assert_int_equal(sampler__catch_one(sampler, &row), 0);
		assert_int_equal(row.caught.ip, sweep.rows.items[i].caught.ip);
		assert_int_equal(row.caught.sp, sweep.rows.items[i].caught.sp);
		assert_int_equal(sampler__look_again_at_one(sampler, &row), 0);
		assert_true(row.still);
	}
	sampler__let_be(sampler);
	sampler__free(sampler);
	sweep__free(&sweep);
	end(pid);
}

/* What a walk found before is not there any more. */
static void a_process_that_has_ended_has_no_threads(void **state)
{
	NEEDS_ROOT;
	for (unsigned int visits = 0; visits < 2; visits++) {
		const pid_t pid = start_some(3, 0, NULL);
		struct sampler *sampler = sampler_of(pid, visits);
		struct sweep sweep = { 0 };

		assert_int_equal(sampler__sweep(sampler, &sweep), 0);
		assert_int_equal(sweep.rows.count, 4);
		end(pid);
		assert_int_equal(sampler__sweep(sampler, &sweep), -ESRCH);
		sampler__free(sampler);
		sweep__free(&sweep);
	}
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_finds_what_a_visit_finds),
		cmocka_unit_test(others_come_and_go),
		cmocka_unit_test(a_thread_replaces_the_image),
		cmocka_unit_test(a_process_without_its_first_thread),
		cmocka_unit_test(a_worker_of_the_kernel),
		cmocka_unit_test(more_threads_than_a_walk_has_room_for),
		cmocka_unit_test(just_as_many_as_there_is_room_for),
		cmocka_unit_test(only_the_threads_that_were_chosen),
		cmocka_unit_test(one_is_singled_out),
		cmocka_unit_test(a_process_that_has_ended_has_no_threads),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
