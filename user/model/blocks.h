/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ranges alone tell of one collection: bytes, without any object.
 *
 *	blocks__spanned()   where the producer tells it: how large a generation was before
 *	blocks__phase()     each phase, in their order
 *	blocks__conclude()  once, when the collection is over; then the figures stand
 *
 * A block is a piece of memory that is known to live, with the generation that it lay in when the
 * collection began. What a later phase moves on is the same block; what is reported twice is one.
 * Cost: one pass over ranges and blocks a phase, and sorting where destinations are out of order.
 *
 * Sums are bytes. EVENT_UNKNOWN: not told, or more than fits.
 */
#ifndef MODEL_BLOCKS_H
#define MODEL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "generation_places.h"
#include "stream/event.h"

#define BLOCKS_DISTANCES 64

struct block {
	uint64_t start, end; /* start < end */
	uint64_t from;	     /* generation that it lay in; GENERATION_UNKNOWN */
};

struct block_list VEC_OF(struct block);

/* Of what lay in a generation when the collection began. */
struct blocks_generation {
	uint64_t generation; /* GENERATION_UNKNOWN: where that is not known */
	uint64_t spanned;    /* before, if told: free memory inside may be a part of it */
	uint64_t survived;   /* counted once */
	uint64_t moved;	     /* once for each phase that moved it */
	uint64_t stayed;     /* was found alive where it was */
	uint64_t slid;	     /* of moved: down, inside of one part of a generation; where known */
	uint64_t promoted;   /* lies in an older one now; where both are known */

	/*
	 * A hole: what is not in use between two survivors next to each other in one part of this
	 * generation, as the collection leaves it. Not what is free below the first survivor of a
	 * part or above its last, nor what lies between parts: nothing keeps that from being used.
	 * Known where the generation was condemned by a collection that stopped the world:
	 * elsewhere who lives was not told.
	 */
	bool holes_known;
	uint64_t holes, hole_bytes, largest_hole;
};

struct blocks {
	struct block_list live; /* sorted, disjoint */
	struct block_list spare, landed;
	VEC(struct blocks_generation) generations; /* in the order in which they occurred */
	size_t found;
	uint64_t distances[BLOCKS_DISTANCES]; /* [n]: bytes that went 2^n far, but not 2^(n+1) */
	uint64_t down;			      /* bytes that went to lower addresses */
	uint64_t farthest;
	uint64_t clashes; /* destinations that overlap: counted once in all, figures in doubt */
};

/* All zero is empty. Each of these 0 or -ENOMEM. */
int blocks__spanned(struct blocks *blocks, uint64_t generation, uint64_t bytes);

/* Ranges that hold at the same time: sorted by old, disjoint, not wrapping. */
int blocks__phase(struct blocks *blocks, const struct range *ranges, size_t count,
		  struct generation_places *before);

struct blocks_end {
	uint64_t mask;	      /* generations condemned; UINT64_MAX: all */
	struct generation_places *after; /* where generations lie now */
	bool stopped;	      /* the world was stopped, and all that lives was told */
};
int blocks__conclude(struct blocks *blocks, const struct blocks_end *end);

/* Sum over generations; EVENT_UNKNOWN if it does not fit. */
struct blocks_sums {
	uint64_t survived, moved, stayed, slid;
};
struct blocks_sums blocks__sums(const struct blocks *blocks);

/* Half of the moved bytes went less far than this power of 2; 0: none moved. */
uint64_t blocks__median_below(const struct blocks *blocks);

/* All but the blocks themselves, into an empty one. 0 or -ENOMEM. */
int blocks__copy_figures(struct blocks *to, const struct blocks *from);

void blocks__free(struct blocks *blocks);

#endif
