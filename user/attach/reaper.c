/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/reaper.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "attach/link.h"

struct task {
	struct task *next;
	struct links links;
};

struct reaper {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool started, ending, busy;
	struct task *first;
};

static void *run(void *argument)
{
	struct reaper *reaper = argument;
	struct task *task;

	pthread_mutex_lock(&reaper->lock);
	for (;;) {
		task = reaper->first;
		if (!task && reaper->ending)
			break;
		if (!task) {
			pthread_cond_wait(&reaper->changed, &reaper->lock);
			continue;
		}
		reaper->first = task->next;
		reaper->busy = true;
		pthread_mutex_unlock(&reaper->lock);
		links__free(&task->links);
		free(task);
		pthread_mutex_lock(&reaper->lock);
		reaper->busy = false;
		pthread_cond_broadcast(&reaper->changed);
	}
	pthread_mutex_unlock(&reaper->lock);
	return NULL;
}

struct reaper *reaper__new(void)
{
	struct reaper *reaper = calloc(1, sizeof(*reaper));

	if (reaper) {
		pthread_mutex_init(&reaper->lock, NULL);
		pthread_cond_init(&reaper->changed, NULL);
	}
	return reaper;
}

void reaper__wait(struct reaper *reaper)
{
	pthread_mutex_lock(&reaper->lock);
	while (reaper->first || reaper->busy)
		pthread_cond_wait(&reaper->changed, &reaper->lock);
	pthread_mutex_unlock(&reaper->lock);
}

void reaper__free(struct reaper *reaper)
{
	if (!reaper)
		return;
	if (reaper->started) {
		pthread_mutex_lock(&reaper->lock);
		reaper->ending = true;
		pthread_cond_broadcast(&reaper->changed);
		pthread_mutex_unlock(&reaper->lock);
		pthread_join(reaper->thread, NULL);
	}
	pthread_cond_destroy(&reaper->changed);
	pthread_mutex_destroy(&reaper->lock);
	free(reaper);
}

/* The thread is made when it is needed first, with all signals left to the others. */
static bool start(struct reaper *reaper)
{
	sigset_t all, before;

	if (reaper->started)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	reaper->started = pthread_create(&reaper->thread, NULL, run, reaper) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return reaper->started;
}

void reaper__take(struct reaper *reaper, struct links *links)
{
	struct task *task = links->count && start(reaper) ? malloc(sizeof(*task)) : NULL;

	if (!task) {
		links__free(links);
		return;
	}
	task->links = *links;
	*links = (struct links)LINKS_INIT;
	pthread_mutex_lock(&reaper->lock);
	task->next = reaper->first;
	reaper->first = task;
	pthread_cond_broadcast(&reaper->changed);
	pthread_mutex_unlock(&reaper->lock);
}
