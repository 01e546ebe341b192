/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CoreCLR's own threads, by its published contract (clr_contract.h): which of the process's threads
 * run managed code, and for each where it left managed code last.
 *
 *	ThreadStore -> FirstThreadLink -> Thread.LinkNext -> ...
 *	Thread.Frame -> Frame -> Frame -> ... -> -1	what is between managed and native code, the
 *							latest first
 *
 * A Frame begins with a number that says what it is, then the next one. Three forms tell where
 * managed code goes on: InlinedCallFrame (a call out of managed code), the frames with a
 * TransitionBlock (managed code called a helper of the runtime, which saved its registers), and
 * those of a thread that the runtime has stopped in managed code (by its registers).
 */
#ifndef GCTRACE_TARGET_CLR_THREADS_H
#define GCTRACE_TARGET_CLR_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct clr_contract;
struct clr_threads;
struct remote;

struct clr_thread {
	uint64_t address;    /* of the runtime's Thread */
	pid_t tid;	     /* as the target numbers it */
	bool is_cooperative; /* it may touch managed objects: it is in managed code or VM */
};

/* Where managed code goes on when the native code that it called returns. */
struct clr_anchor {
	uint64_t ip, sp, fp;
	bool is_caller;	 /* ip is behind a call; else it is where the thread was stopped */
	bool is_guessed; /* a later Frame did not tell */
};

/* -ENOTSUP: the contract does not tell of threads; -ENOMEM. */
int clr_threads__new(const struct clr_contract *contract, struct remote *memory,
		     struct clr_threads **out);
void clr_threads__free(struct clr_threads *threads);

/* Read them anew. 0 or negative errno (-EPROTO: they make no sense now); then there are none. */
int clr_threads__refresh(struct clr_threads *threads);

/* NULL: it is not one of the runtime's. */
const struct clr_thread *clr_threads__find(const struct clr_threads *threads, pid_t tid);

/*
 * Is it the one that has stopped the others now, or is about to? That is who collects, where no
 * threads of the collector's own do. False as well where that cannot be read.
 */
bool clr_threads__is_stopper(struct clr_threads *threads, const struct clr_thread *thread);

/*
 * Its latest place in managed code, by its frames as they are now. 0; -ENOENT: none of its frames
 * tells; or negative errno of reading.
 */
int clr_threads__anchor(struct clr_threads *threads, const struct clr_thread *thread,
			struct clr_anchor *anchor);

#endif
