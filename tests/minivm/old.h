/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The old space: where promoted objects live, its holes, and the two ways to reclaim it.
 *
 * Objects lie in [heap.old, old.top), with fillers in the holes between them. Holes are kept in
 * bins by the logarithm of their size, linked through their second word, so those under 16 bytes
 * are lost until the space is swept or compacted again.
 *
 *   old_sweep.c     makes every run of dead words a hole; nothing moves
 *   old_compact.c   slides what lives to the low end, around pinned objects
 */
#ifndef MINIVM_OLD_H
#define MINIVM_OLD_H

#include <pthread.h>

#include "heap.h"

#define OLD_BINS 40

struct old {
	uint64_t top;
	struct usage usage;	       /* what the collector takes for alive */
	uint64_t bins[OLD_BINS];       /* first hole of at least 2^n words, 0: none */
	uint64_t last[OLD_BINS];       /* last one */
	uint64_t free_bytes;	       /* in bins */
	pthread_mutex_t lock;	       /* of bins and top */
	/*
	 * A sweep under way has dealt with [heap.old, swept); in [swept, sweep_end) only marked
	 * objects count, the others are not there any more, and nothing is allocated.
	 * At rest both are 0.
	 */
	uint64_t swept, sweep_end;
};

extern struct old old;

struct gc_worker;
struct gc;

void old__init(void);

/* A piece of at least min bytes, best of want; zeroes are not promised. Thread-safe. */
bool old__take(uint64_t min, uint64_t want, struct chunk *chunk);
/* Gives a piece back, or a new hole: a filler, in its bin if it is worth it. Thread-safe. */
void old__give(uint64_t start, uint64_t end);
/* Forgets all holes: before they are found anew. */
void old__drop_holes(void);

bool old__walk(heap__see *see, void *context);

/* Is it so scattered that only compacting helps? */
bool old__is_scattered(void);

/* ---- old_sweep.c ---- */

/* In a stopped world, by all workers: reclaims, and reports survivors. */
void old__sweep(struct gc *gc);
/* Concurrently: begin in a stopped world; step until that is false; report in a stopped world. */
void old__sweep_begin(void);
bool old__sweep_step(uint64_t bytes);
void old__sweep_report(struct gc *gc);

/* ---- old_compact.c ---- */

/* In a stopped world, by all workers: pinned ones (of any generation) stay. Reports moves. */
void old__compact(struct gc *gc, const struct list *pinned);

#endif
