/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread sleeps between holds, with its mask set to the one CPU before it is woken: so it wakes
 * there and nowhere else, and needs not be moved.
 *
 *	IDLE -> ASKED		holder__take()
 *	ASKED -> HOLDS		the thread, as soon as it runs
 *	ASKED -> IDLE		holder__take(), which has lost patience
 *	HOLDS -> IDLE		holder__release(), or the thread, after HOLDER_MOST_NS
 */
#include "attach/holder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/clock.h"

#define PATIENCE_NS (1000 * NS_PER_US)
#define REHEARSALS 7

enum { IDLE, ASKED, HOLDS };

struct holder {
	pthread_t thread;
	sem_t begun, asked;
	int err; /* of its beginning */
	atomic_int state;
	atomic_bool ends, is_held; /* is_held: the thread is on the CPU that it was asked for */
	struct holds holds; /* the thread's, unless it sleeps */
	uint64_t since_ns;
};

/* ---------------------------------------------------------------- the thread */

static void count(struct holds *holds, uint64_t ns)
{
	holds->count++;
	holds->ns += ns;
	if (ns > holds->longest_ns)
		holds->longest_ns = ns;
}

/* It is the thread's own time that counts: who asked may have lost its own CPU meanwhile. */
static void hold(struct holder *holder)
{
	const uint64_t start = clock__monotonic_ns();
	int holds = HOLDS;

	while (atomic_load(&holder->state) == HOLDS)
		if (clock__monotonic_ns() - start > HOLDER_MOST_NS)
			atomic_compare_exchange_strong(&holder->state, &holds, IDLE);
	count(&holder->holds, clock__monotonic_ns() - start);
}

static void *run(void *context)
{
	struct holder *holder = context;

	while (sem_wait(&holder->asked))
		;
	holder->err = privileges__renounce();
	sem_post(&holder->begun);
	for (;;) {
		int asked = ASKED;

		while (sem_wait(&holder->asked))
			;
		if (atomic_load(&holder->ends))
			return NULL;
		atomic_store(&holder->is_held, true);
		if (atomic_compare_exchange_strong(&holder->state, &asked, HOLDS))
			hold(holder);
		atomic_store(&holder->is_held, false);
	}
}

static int start(struct holder *holder)
{
	const struct sched_param priority = { .sched_priority = 1 };
	sigset_t all, before;
	pthread_attr_t how;
	int err;

	/* Signals are for the thread that looks. */
	sigfillset(&all);
	pthread_attr_init(&how);
	pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&how, SCHED_FIFO);
	pthread_attr_setschedparam(&how, &priority);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&holder->thread, &how, run, holder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	return err;
}

static void destroy(struct holder *holder)
{
	sem_destroy(&holder->begun);
	sem_destroy(&holder->asked);
	free(holder);
}

int holder__new(struct holder **out)
{
	struct holder *holder = calloc(1, sizeof(*holder));
	int err;

	if (!holder)
		return -ENOMEM;
	sem_init(&holder->begun, 0, 0);
	sem_init(&holder->asked, 0, 0);
	err = start(holder);
	if (err) {
		destroy(holder);
		return err;
	}
	*out = holder;
	return 0;
}

int holder__begin(struct holder *holder)
{
	sem_post(&holder->asked);
	while (sem_wait(&holder->begun))
		;
	return holder->err;
}

void holder__free(struct holder *holder)
{
	if (!holder)
		return;
	atomic_store(&holder->ends, true);
	/* Once to begin, if it has not yet, and once to see that it ends. */
	sem_post(&holder->asked);
	sem_post(&holder->asked);
	pthread_join(holder->thread, NULL);
	destroy(holder);
}

/* ---------------------------------------------------------------- who looks */

/* The thread is asleep whenever nothing is held: a mask that it gets then holds when it wakes. */
static int choose_cpu(struct holder *holder, uint32_t cpu)
{
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	err = -pthread_setaffinity_np(holder->thread, bytes, set);
	CPU_FREE(set);
	return err;
}

static void ask(struct holder *holder)
{
	atomic_store(&holder->state, ASKED);
	holder->since_ns = clock__monotonic_ns();
	sem_post(&holder->asked);
}

static bool has_come(struct holder *holder)
{
	int asked = ASKED;

	while (clock__monotonic_ns() - holder->since_ns < PATIENCE_NS)
		if (atomic_load(&holder->state) != ASKED)
			return true;
	return !atomic_compare_exchange_strong(&holder->state, &asked, IDLE);
}

int holder__take(struct holder *holder, uint32_t cpu)
{
	int err;

	if (cpu >= INT32_MAX || (int)cpu == sched_getcpu())
		return -EBUSY;
	err = choose_cpu(holder, cpu);
	if (err)
		return err == -ENOMEM ? err : -EINVAL;
	ask(holder);
	return has_come(holder) ? 0 : -EBUSY;
}

/* Wait until it is off: what it has to do then is a few instructions, on a CPU that is its own. */
void holder__release(struct holder *holder)
{
	int holds = HOLDS;

	atomic_compare_exchange_strong(&holder->state, &holds, IDLE);
	while (atomic_load(&holder->is_held))
		;
}

uint64_t holder__rehearse(struct holder *holder)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t until_ns = clock__monotonic_ns() + NS_PER_S;
	unsigned int done = 0;
	uint64_t least = 0;

	/* Another CPU may be away for some milliseconds, where a host has it. */
	while (done < REHEARSALS && cpus > 1) {
		const uint32_t cpu = (uint32_t)((sched_getcpu() + 1) % cpus);
		const int err = holder__take(holder, cpu);
		uint64_t took;

		if (err == -EBUSY && clock__monotonic_ns() < until_ns)
			continue;
		if (err)
			break;
		done++;
		holder__release(holder);
		took = clock__monotonic_ns() - holder->since_ns;
		if (!least || took < least)
			least = took;
	}
	holder->holds = (struct holds){ 0 };
	return least;
}

struct holds holder__holds(const struct holder *holder)
{
	return holder->holds;
}
