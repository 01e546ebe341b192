/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The symbols of old C libraries, so that the library loads in old images too. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#ifdef OLDEST
__asm__(".symver pthread_create, pthread_create@" OLDEST);
__asm__(".symver pthread_detach, pthread_detach@" OLDEST);
#endif

struct start {
	const char *name;
	void (*run)(void *context);
	void *context;
	atomic_int taken;
};

static void futex_wait(atomic_int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *enter(void *argument)
{
	struct start *given = argument;
	const struct start start = { given->name, given->run, given->context, 1 };

	atomic_store(&given->taken, 1); /* the starter goes on, and *given is gone */
	futex_wake(&given->taken);
	prctl(PR_SET_NAME, start.name);
	start.run(start.context);
	return NULL;
}

/* Signals that a process gets, as opposed to one of its threads. */
static void block_signals(sigset_t *before)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&set, own[i]);
	for (int i = SIGSYS + 1; i <= 64; i++)
		sigdelset(&set, i);
	sigprocmask(SIG_BLOCK, &set, before);
}

bool thread__start(const char *name, void (*run)(void *context), void *context)
{
	struct start start = { name, run, context, 0 };
	pthread_t thread;
	sigset_t before;

	block_signals(&before);
	const int failed = pthread_create(&thread, NULL, enter, &start);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return false;
	pthread_detach(thread);
	while (!atomic_load(&start.taken))
		futex_wait(&start.taken, 0);
	return true;
}

static void do_work(void *context)
{
	struct worker *worker = context;

	for (;;) {
		while (!atomic_load(&worker->posted))
			futex_wait(&worker->posted, 0);
		worker->work(worker->context);
		atomic_store(&worker->posted, 0);
	}
}

bool worker__start(struct worker *worker, const char *name)
{
	atomic_init(&worker->posted, 0);
	return thread__start(name, do_work, worker);
}

bool worker__post(struct worker *worker, void (*work)(void *context), void *context)
{
	if (!worker__is_idle(worker))
		return false;
	worker->work = work;
	worker->context = context;
	atomic_store(&worker->posted, 1);
	futex_wake(&worker->posted);
	return true;
}

bool worker__is_idle(const struct worker *worker)
{
	return !atomic_load(&worker->posted);
}
