/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of the agent's own in somebody else's process: it takes no signal that is meant for the
 * process (but all that are meant for a thread: faults, and those by which runtimes stop threads),
 * bears a name, and is never joined.
 *
 * A worker is such a thread that does what it is asked to, one thing after the other.
 */
#ifndef GCTRACE_AGENT_THREAD_H
#define GCTRACE_AGENT_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

/* name: at most 15 characters, outlives the thread. False: none could be started. */
bool thread__start(const char *name, void (*run)(void *context), void *context);

/* One piece of work at a time: worker__post() gives it, worker__is_idle() tells that it is done. */
struct worker {
	void (*work)(void *context);
	void *context;
	atomic_int posted; /* 1: there is work, or it is being done */
};

bool worker__start(struct worker *worker, const char *name);
/* By any thread, also in a pause: it does not wait. False: the last one is not done yet. */
bool worker__post(struct worker *worker, void (*work)(void *context), void *context);
bool worker__is_idle(const struct worker *worker);

#endif
