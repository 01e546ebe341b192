/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of a Java thread, from a frame's pc, sp and fp outwards. x86-64.
 *
 *	interpreted   fp is the frame's: slots below it hold the Method and the bytecode, the word
 *	              at it the caller's fp, the next one the return address
 *	compiled      fp is any value: the frame's size is known, return address and the caller's fp
 *	              stand at its end
 *	entry         C++ called Java here: the next frame is the one where Java called C++, which
 *	              the entry frame has kept
 */
#ifndef GCTRACE_TARGET_JVM_FRAMES_H
#define GCTRACE_TARGET_JVM_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct caught_thread;
struct jvm_code;
struct jvm_layout;
struct jvm_memory;
struct jvm_methods;
struct jvm_scopes;
struct jvm_thread;
struct walk;

/* Of a thread's stack, what was read last: the walk goes through it from page to page. */
struct jvm_stack {
	uint64_t at;
	bool is_there;
	unsigned char bytes[4096];
};

/* What a walk reads from, and with: all of it the caller's. */
struct jvm_frames {
	const struct jvm_layout *layout;
	struct jvm_memory *memory;
	struct jvm_code *code;
	struct jvm_methods *methods;
	const struct jvm_scopes *scopes;
	struct jvm_stack *stack; /* nothing in it as a walk begins */
	const struct caught_thread *caught;
	const struct jvm_thread *thread;
	struct walk *walk;
};

/* A thread that has left Java code: from its anchor. 0, -E2BIG (walk__push) or -ENOMEM. */
int jvm_frames__from_anchor(const struct jvm_frames *frames);

/*
 * A thread whose ip is in generated code: from its registers. guessed: they are not those of the
 * moment. The same.
 */
int jvm_frames__from_registers(const struct jvm_frames *frames, bool guessed);

#endif
