/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping the world. A thread of the virtual machine is in one of two states:
 *
 *   running   may touch the heap; looks at safepoint__poll() often
 *   safe      does not touch the heap: waits, sleeps, is not started yet
 *
 * The collector's thread stops the world by a flag and waits until nobody runs. What a running
 * thread needs over a poll must lie in its frames (mutator.h): all else may have moved.
 */
#ifndef MINIVM_SAFEPOINT_H
#define MINIVM_SAFEPOINT_H

#include <stdbool.h>

extern bool safepoint_stop;

/* By a thread: becomes running (waits while the world stands still), becomes safe. */
void safepoint__enter(void);
void safepoint__leave(void);
void safepoint__park(void);

static inline void safepoint__poll(void)
{
	if (__builtin_expect(__atomic_load_n(&safepoint_stop, __ATOMIC_RELAXED), 0))
		safepoint__park();
}

/* By the collector's thread: returns when nobody runs; lets them run again. */
void safepoint__stop_world(void);
void safepoint__start_world(void);

#endif
