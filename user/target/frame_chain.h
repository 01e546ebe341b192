/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers by the chain of frame pointers, for runtimes whose compiled code keeps one: [fp] is the
 * caller's fp, [fp + 8] where it goes on. All that comes of it is a guess: functions that make no
 * frame are left out of it, and so are the callers of methods that make none.
 */
#ifndef GCTRACE_TARGET_FRAME_CHAIN_H
#define GCTRACE_TARGET_FRAME_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "stack_view.h"

struct frame;
struct walk;

struct frame_chain {
	struct stack_view view;
	struct walk *walk;

	/*
	 * What code is at ip: fills kind, ip, method and fields, FRAME_NATIVE for what is not the
	 * runtime's. is_caller: ip is behind a call. 0 or -ENOMEM.
	 */
	int (*describe)(void *state, uint64_t ip, bool is_caller, struct frame *frame);
	void *state;
};

/* A frame that is guessed. 0, -ENOMEM or -E2BIG. */
int frame_chain__push(struct frame_chain *chain, struct frame *frame, uint64_t sp);

/*
 * From a frame pointer outwards. Native frames count where managed ones called them, not those that
 * began the thread: when they are reached, the walk is whole. 0, -ENOMEM or -E2BIG.
 */
int frame_chain__follow(struct frame_chain *chain, uint64_t fp);

/*
 * Where the chain is broken (libc keeps none): from the thread's sp on, the first return address
 * into a method below which its frame pointer was saved, or so it looks; and its callers. The same.
 */
int frame_chain__search(struct frame_chain *chain);

#endif
