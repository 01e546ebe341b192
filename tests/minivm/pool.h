/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left to scan: a stack of 64-bit entries for each worker, and a pool through which those
 * that have much give to those that have nothing. What an entry means is trace.c's.
 */
#ifndef MINIVM_POOL_H
#define MINIVM_POOL_H

#include "workers.h"

/* Entries that a worker keeps to itself. */
#define POOL_KEEP 64

/* Hints, looked at without the lock: is anybody idle, is there something to take? */
struct pool_hints {
	unsigned idle;
	size_t count;
};

extern struct pool_hints pool_hints;

void pool__begin(unsigned users);
/* Gives the older half of a worker's stack: what lies deep is likely to lead to much. */
void pool__give(struct gc_worker *w);
/* Fills an empty stack; false: nobody has anything left. */
bool pool__take(struct gc_worker *w);
void pool__grow(struct gc_worker *w);

ALWAYS_INLINE bool pool__is_wanted(const struct gc_worker *w)
{
	return w->depth > POOL_KEEP && __atomic_load_n(&pool_hints.idle, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&pool_hints.count, __ATOMIC_RELAXED);
}

ALWAYS_INLINE void pool__push(struct gc_worker *w, uint64_t entry)
{
	if (w->depth == w->capacity)
		pool__grow(w);
	w->stack[w->depth++] = entry;
}

#endif
