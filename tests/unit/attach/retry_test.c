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
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

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

/* What is said on stderr meanwhile. */
struct ear {
	FILE *file;
	int before;
};

static void listen_in(struct ear *ear)
{
	fflush(stderr);
	ear->file = tmpfile();
	ear->before = dup(STDERR_FILENO);
	assert_true(ear->file && ear->before >= 0);
	assert_true(dup2(fileno(ear->file), STDERR_FILENO) >= 0);
}

/* Messages are wrapped, at a place that hangs on the length of paths. */
static void unwrap(char *text)
{
	static const char wrap[] = "\ngctrace:   ";
	char *at = text;

	while ((at = strstr(at, wrap))) {
		*at++ = ' ';
		memmove(at, at + strlen(wrap) - 1, strlen(at + strlen(wrap) - 1) + 1);
	}
}

/* Ends it. How often were these words said? */
static size_t heard(struct ear *ear, const char *words)
{
	static char text[65536];
	size_t count = 0;

	fflush(stderr);
	dup2(ear->before, STDERR_FILENO);
	close(ear->before);
	rewind(ear->file);
	text[fread(text, 1, sizeof(text) - 1, ear->file)] = '\0';
	fclose(ear->file);
	unwrap(text);
	for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
		count++;
	return count;
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
	listen_in(&ear);
	one_in = 2;
	session__want(bench.session, bench.target, LEVEL_ALL);
	failed = bench.target->failed;
	assert_int_equal(heard(&ear, "could not be attached"), with == EMFILE ? 1 : failed);
	assert_true(failed > 0);
	assert_int_equal(bench.target->attached + failed, all);

	listen_in(&ear);
	one_in = 1;
	session__rescan(bench.session);
	assert_int_equal(heard(&ear, "attached"), 0);
	assert_int_equal(bench.target->failed, failed);

	listen_in(&ear);
	one_in = 0;
	assert_int_equal(session__rescan(bench.session), 0);
	assert_int_equal(session__rescan(bench.session), 0);
	assert_int_equal(heard(&ear, "attached now"), 1);
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
