/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's stack, read from outside, for who follows pointers through it: what was caught with
 * the registers first, then the target's memory as it is now, some pages at once, so that a stack
 * of fifty frames takes two or three system calls. What was read is read once: one walk sees one
 * state of it.
 */
#ifndef GCTRACE_TARGET_STACK_VIEW_H
#define GCTRACE_TARGET_STACK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct caught_thread;
struct remote;

#define STACK_VIEW_BYTES 8192

struct stack_view {
	const struct caught_thread *thread;
	struct remote *memory;
	uint64_t at;	   /* of bytes */
	size_t count;	   /* of bytes; 0: none yet */
	unsigned char bytes[STACK_VIEW_BYTES];
};

void stack_view__init(struct stack_view *view, const struct caught_thread *thread,
		      struct remote *memory);

/*
 * The 8-byte word at an address. 0 or negative errno, as remote__read(). *lasting becomes false
 * where it is not among what was caught.
 */
int stack_view__word(struct stack_view *view, uint64_t address, uint64_t *value, bool *lasting);

#endif
