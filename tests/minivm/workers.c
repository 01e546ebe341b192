/* SPDX-License-Identifier: BSD-2-Clause */
#include "workers.h"
#include "report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gc_worker *workers;
unsigned workers_count;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	pthread_t threads[8];
	uint64_t turn; /* grows with each piece of work */
	unsigned busy;
	bool stop;
	void (*work)(struct gc_worker *worker, void *context);
	void *context;
} crew = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER,
	   .done = PTHREAD_COND_INITIALIZER };

static void *run(void *argument)
{
	struct gc_worker *worker = argument;
	uint64_t seen = 0;
	char name[16];

	snprintf(name, sizeof(name), "minivm-gc-%u", worker->index);
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&crew.lock);
	for (;;) {
		while (crew.turn == seen && !crew.stop)
			pthread_cond_wait(&crew.wake, &crew.lock);
		if (crew.stop)
			break;
		seen = crew.turn;
		pthread_mutex_unlock(&crew.lock);
		crew.work(worker, crew.context);
		pthread_mutex_lock(&crew.lock);
		if (!--crew.busy)
			pthread_cond_signal(&crew.done);
	}
	pthread_mutex_unlock(&crew.lock);
	return NULL;
}

void workers__start(unsigned count)
{
	workers = aligned_alloc(128, count * sizeof(*workers));
	if (!workers)
		die("out of memory");
	memset(workers, 0, count * sizeof(*workers));
	workers_count = count;
	for (unsigned i = 0; i < count; i++) {
		workers[i].index = i;
		workers[i].reporter = &reporters[i];
	}
	for (unsigned i = 1; i < count; i++) {
		if (pthread_create(&crew.threads[i], NULL, run, &workers[i]))
			die("cannot start collector thread %u", i);
	}
}

void workers__stop(void)
{
	pthread_mutex_lock(&crew.lock);
	crew.stop = true;
	pthread_cond_broadcast(&crew.wake);
	pthread_mutex_unlock(&crew.lock);
	for (unsigned i = 1; i < workers_count; i++)
		pthread_join(crew.threads[i], NULL);
}

void workers__run(void (*work)(struct gc_worker *worker, void *context), void *context)
{
	pthread_mutex_lock(&crew.lock);
	crew.work = work;
	crew.context = context;
	crew.busy = workers_count - 1;
	crew.turn++;
	pthread_cond_broadcast(&crew.wake);
	pthread_mutex_unlock(&crew.lock);
	work(&workers[0], context);
	pthread_mutex_lock(&crew.lock);
	while (crew.busy)
		pthread_cond_wait(&crew.done, &crew.lock);
	pthread_mutex_unlock(&crew.lock);
}
