/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * minivm: a small virtual machine with a real generational heap, built with gctrace's probes as
 * any runtime would be. It is what `make demo` traces and what tests compare gctrace with.
 *
 *   options, classes       what is asked for; what the program's objects look like
 *   heap, nursery, old*,   where objects are
 *     large, marks
 *   mutator, safepoint     the program's threads; how they are stopped
 *   program, load          what they do
 *   roots, weak, remset    what refers into the heap, and how firmly
 *   workers, pool, trace,  the collector
 *     collection, collector,
 *     background
 *   report*, samples,      what is told through probes
 *     dump, requests
 *   truth*, verify         what is told to tests, and the self-check
 */
#include "background.h"
#include "classes.h"
#include "collector.h"
#include "dump.h"
#include "load.h"
#include "options.h"
#include "program.h"
#include "report.h"
#include "requests.h"
#include "roots.h"
#include "safepoint.h"
#include "truth_write.h"
#include "verify.h"
#include "vm.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **arguments;
static pthread_t main_thread;

void vm__finished(void)
{
	pthread_kill(main_thread, SIGUSR2);
}

/* The truth of the new image goes into a file of its own. */
static char *with_suffix(const char *path)
{
	char *longer = get_memory(NULL, strlen(path) + sizeof(".exec"));

	strcpy(longer, path);
	return strcat(longer, ".exec");
}

static size_t copy_argument(char **to, char **from)
{
	to[0] = from[0];
	if (!strncmp(from[0], "--truth=", 8)) {
		to[0] = with_suffix(from[0]);
	} else if (!strcmp(from[0], "--truth") && from[1]) {
		to[1] = with_suffix(from[1]);
		return 2;
	}
	return 1;
}

void vm__exec(void)
{
	size_t count = 0, n = 0;
	char **words;

	while (arguments[count])
		count++;
	words = get_memory(NULL, (count + 1) * sizeof(*words));
	for (size_t i = 0; i < count;) {
		if (!strcmp(arguments[i], "--exec")) {
			i += 2;
		} else if (!strncmp(arguments[i], "--exec=", 7)) {
			i++;
		} else {
			size_t done = copy_argument(words + n, arguments + i);

			n += done;
			i += done;
		}
	}
	words[n] = NULL;
	truth__flush();
	execv("/proc/self/exe", words);
	die("cannot execute /proc/self/exe: %s", strerror(errno));
}

static void wanted_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
}

/* Until the end: a signal, the last collection, or --duration. SIGUSR1 asks for a collection. */
static void wait_for_end(void)
{
	const uint64_t end = opt.duration_ns ? now_ns() + opt.duration_ns : 0;
	sigset_t set;

	wanted_signals(&set);
	for (;;) {
		const uint64_t now = now_ns(), left = end > now ? end - now : 0;
		const struct timespec t = { .tv_sec = (time_t)(left / 1000000000u),
					    .tv_nsec = (long)(left % 1000000000u) };
		int got;

		if (end && !left)
			return;
		got = end ? sigtimedwait(&set, NULL, &t) : sigwaitinfo(&set, NULL);
		if (got == SIGUSR1)
			collector__request(GCTRACE_REASON_EXPLICIT);
		else if (got > 0)
			return;
	}
}

static void initialize(void)
{
	sigset_t set;

	wanted_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	main_thread = pthread_self();
	if (opt.names == NAMES_HOSTILE)
		pthread_setname_np(main_thread, "\x1b[31mminivm) \xff\n");
	classes__init(opt.names == NAMES_HOSTILE);
	heap__init();
	remset__init();
	roots__init();
	report__init((unsigned)opt.gc_threads, (unsigned)opt.threads + 2);
	mutators__init();
	workers__start((unsigned)opt.gc_threads);
	load__init();
	dump__init();
	verify__init();
	truth__open();
	background__init();
	collections__init();
	collector__start();
	requests__start();
}

/* What the program's main thread does before it waits. It counts as the process's first one. */
static void *start_program(void *unused)
{
	(void)unused;
	while (opt.await_sampler && !gctrace_wants_object__alloc())
		sleep_ns(1000000);
	mutator__adopt(&mutators[0]);
	mutators[0].tid = (uint64_t)getpid();
	mutator__push(&mutators[0], METHOD_START, 0);
	program__start(&mutators[0], opt.threads);
	safepoint__leave();
	for (unsigned i = 1; i < mutators_count - 1; i++)
		mutator__start(&mutators[i], load__run);
	if (!opt.deterministic)
		mutator__start(&mutators[mutators_count - 1], load__run_finalizers);
	return NULL;
}

/*
 * Who adopts a mutator may stand still for good: the last collection may be over before the
 * program has begun. This thread has to hear of that, and of signals.
 */
static void start_program_aside(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, start_program, NULL))
		die("cannot start the program");
	pthread_detach(thread);
}

int main(int argc, char **argv)
{
	arguments = argv;
	options__parse(argc, argv);
	if (opt.print_truth)
		return truth__print(opt.print_truth);
	initialize();
	if (!opt.quiet) {
		printf("minivm: pid %d\n", getpid());
		fflush(stdout);
	}
	start_program_aside();
	wait_for_end();
	collector__stop();
	requests__stop();
	truth__close();
	if (!opt.quiet)
		printf("minivm: %llu collections\n", (unsigned long long)collections__finished());
	return 0;
}
