/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites that cannot be attached: told once each (for want of descriptors, once for all), counted,
 * tried again at each look, and told once when they are there. The kernel's answers come by our own
 * syscall(), which all of gctrace and libbpf calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "ear.h"

static unsigned int one_in; /* of so many attempts to attach one fails; 0: none */
static unsigned int attempts;
static int error; /* with which */

static bool fails(long number, long command)
{
	if (number != SYS_perf_event_open && (number != SYS_bpf || command != BPF_LINK_CREATE))
		return false;
	return one_in && __atomic_add_fetch(&attempts, 1, __ATOMIC_RELAXED) % one_in == 0;
}

/* Instead of the C library's. No call of gctrace's has more than five arguments. */
long syscall(long number, ...)
{
	long (*next)(long number, ...) = NULL;
	void *found = dlsym(RTLD_NEXT, "syscall");
	long a[5];
	va_list list;

	memcpy(&next, &found, sizeof(next));
	va_start(list, number);
	for (int i = 0; i < 5; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (fails(number, a[0])) {
		errno = error;
		return -1;
	}
	return next(number, a[0], a[1], a[2], a[3], a[4]);
}

static size_t sites_of(const struct session_options *options)
{
	struct bench bench;
	size_t sites;

	bench__start(&bench, options, LEVEL_ALL);
	sites = bench.target->attached;
	bench__end(&bench);
	return sites;
}

static void tried_again(bool old, int with)
{
	const struct session_options options = { .as_before_6 = old };
	const size_t all = sites_of(&options);
	struct bench bench;
	struct ear ear;
	size_t failed;

	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	error = with;
	ear__open(&ear);
	one_in = 2;
	session__want(bench.session, bench.target, LEVEL_ALL);
	failed = bench.target->failed;
	assert_int_equal(ear__close(&ear, "could not be attached"), with == EMFILE ? 1 : failed);
	assert_true(failed > 0);
	assert_int_equal(bench.target->attached + failed, all);

	ear__open(&ear);
	one_in = 1;
	session__rescan(bench.session);
	assert_int_equal(ear__close(&ear, "attached"), 0);
	assert_int_equal(bench.target->failed, failed);

	ear__open(&ear);
	one_in = 0;
	assert_int_equal(session__rescan(bench.session), 0);
	assert_int_equal(session__rescan(bench.session), 0);
	assert_int_equal(ear__close(&ear, "attached now"), 1);
	assert_int_equal(bench.target->failed, 0);
	assert_int_equal(bench.target->attached, all);
	assert_int_equal(bench.target->unattached, failed);
	assert_int_equal(bench.target->missed, 0);
	bench__do(&bench, VICTIM_GC_START, 10, 0);
	assert_int_equal(bench.tape.count, 10);
	session__detach(bench.session, NULL);
	assert_int_equal(victim__do(&bench.victim, VICTIM_SEMAPHORES, 0, 0), 0);
	bench__end(&bench);
}

static void failed_sites_are_tried_again(void **state)
{
	(void)state;
	if (!bench__has_root())
		skip();
	tried_again(true, EMFILE);
	tried_again(false, EMFILE);
	tried_again(true, ENOSPC);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failed_sites_are_tried_again),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("sites that fail", tests, NULL, NULL);
}
