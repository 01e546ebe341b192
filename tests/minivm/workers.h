/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's threads. Worker 0 is the collector's own thread; the others sleep until there
 * is something to do in a stopped world.
 */
#ifndef MINIVM_WORKERS_H
#define MINIVM_WORKERS_H

#include "heap.h"

struct gc;
struct reporter;

/* What one worker did and holds in the collection under way. No other thread looks at it. */
struct gc_worker {
	unsigned index;
	uint64_t *stack; /* entries: see trace.c */
	size_t depth, capacity;
	struct chunk young, old;    /* where it copies to */
	struct list slots;	    /* references from outside into the nursery that it found */
	struct usage copied;	    /* within the nursery */
	struct usage promoted;	    /* to the old space */
	struct usage marked;	    /* in the old space, what it promoted now included */
	struct usage moved, stayed; /* by compacting */
	struct usage survived;	    /* by sweeping */
	struct gc *gc;
	struct reporter *reporter;
	uint64_t bounds[2]; /* where its part of a compacted old space begins and ends */
	struct chunk *holes; /* in it, by address */
	size_t hole_count, hole_capacity;
} __attribute__((aligned(128)));

extern struct gc_worker *workers;
extern unsigned workers_count;

void workers__start(unsigned count);
void workers__stop(void);

/* Runs work(worker, context) in every worker, this thread as number 0; returns when all did. */
void workers__run(void (*work)(struct gc_worker *worker, void *context), void *context);

static inline void usage__add(struct usage *to, uint64_t bytes)
{
	to->objects++;
	to->bytes += bytes;
}

static inline void usage__sum(struct usage *to, const struct usage *from)
{
	to->objects += from->objects;
	to->bytes += from->bytes;
}

static inline void usage__less(struct usage *from, const struct usage *what)
{
	from->objects -= what->objects;
	from->bytes -= what->bytes;
}

#endif
