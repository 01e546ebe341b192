/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that looks 20 times a second at what is asked of the agent. gctrace asks by
 * semaphores, which the kernel raises and lowers: nothing wakes the thread, and a gctrace that was
 * killed has let go of all of them.
 */
#ifndef GCTRACE_AGENT_WATCHER_H
#define GCTRACE_AGENT_WATCHER_H

#include <stdbool.h>

#define WATCHER_LOOKS_A_SECOND 20

/* What is asked for now. */
struct requests {
	bool listens;	/* somebody hears batches */
	bool movement;	/* ranges that moved and survived */
	bool samples;	/* sampled allocations, and what becomes of them */
	bool dump;	/* a heap dump; falls when it is no longer wanted */
};

/* What does as it is asked, called at each look by the watcher's thread; it may take its time. */
typedef void requests_handler(const struct requests *now, const struct requests *before);

/* Once. False: no thread could be started. */
bool watcher__start(requests_handler *handler);

/* The handler is not called any more (but may be at work): the program ends. Any thread. */
void watcher__stop(void);

#endif
