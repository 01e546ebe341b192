/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods and stacks that samples are made of, each kept once: a stack is a row of methods,
 * innermost first. Both are known by small numbers from 1, in the order in which they came; 0 is
 * none.
 */
#ifndef MODEL_CALL_STACKS_H
#define MODEL_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/text.h"

struct call_stacks;

/* What a method's key is a number of: the same number of two kinds is two methods. */
enum method_kind {
	METHOD_MANAGED,	/* a walker's number */
	METHOD_NATIVE,	/* the address where a function begins */
	METHOD_NAMELESS, /* an address, of a mapping or of its own */
	METHOD_KINDS
};

struct call_stacks *call_stacks__new(void); /* NULL: no memory */
void call_stacks__free(struct call_stacks *stacks);

/* Its number, new if need be: then *is_new, and its name is empty. 0 or -ENOMEM. */
int call_stacks__method(struct call_stacks *stacks, enum method_kind kind, uint64_t key,
			uint32_t *method, bool *is_new);

/*
 * The keys of this kind mean something else from now on: what had them keeps its number and its
 * name, and is not found by them any more.
 */
void call_stacks__forget_keys(struct call_stacks *stacks, enum method_kind kind);

/* A copy of the text. 0 or -ENOMEM. */
int call_stacks__set_name(struct call_stacks *stacks, uint32_t method, struct text name);
struct text call_stacks__name(const struct call_stacks *stacks, uint32_t method);
enum method_kind call_stacks__kind(const struct call_stacks *stacks, uint32_t method);
uint32_t call_stacks__method_count(const struct call_stacks *stacks); /* the last number */

/* The number of a stack, a copy of which is kept. count may be 0. 0 or -ENOMEM. */
int call_stacks__stack(struct call_stacks *stacks, const uint32_t *methods, size_t count,
		       uint32_t *stack);
const uint32_t *call_stacks__frames(const struct call_stacks *stacks, uint32_t stack,
				    size_t *count);
uint32_t call_stacks__stack_count(const struct call_stacks *stacks);

#endif
