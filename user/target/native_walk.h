/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Native stacks by the chain of frame pointers: a guess. Code that was built without them has
 * something else in the register, and functions without a frame of their own are missing; what is
 * found are addresses of code, each of which is behind some call.
 */
#ifndef GCTRACE_TARGET_NATIVE_WALK_H
#define GCTRACE_TARGET_NATIVE_WALK_H

struct caught_thread;
struct maps;
struct remote;
struct walk;

/* Frames of FRAME_NATIVE, the first one at the thread's ip. 0 or -ENOMEM. */
int native_walk__run(const struct caught_thread *thread, const struct maps *maps,
		     struct remote *memory, struct walk *walk);

#endif
