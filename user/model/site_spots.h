/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SPOTS of sampled allocations (sites.h): a stack and a type each, what one allocation in the
 * program's text makes, and what became of its samples.
 *
 * A stack is known by the node that it ends at (stacks.h), since one that a producer has forgotten
 * has another id when it comes again. As long as nothing was told of it, it is known by its id; it
 * is settled when all stacks were told again: then either it was told, or it will not be any more.
 * What is settled may be put together with another spot that its node has.
 */
#ifndef MODEL_SITE_SPOTS_H
#define MODEL_SITE_SPOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "estimate.h"
#include "hash_slots.h"
#include "stacks.h"

struct site_spot {
	uint64_t untold; /* id of a stack of which nothing was told when it was made; 0: none */
	uint64_t size;	 /* of the last sample */
	uint32_t node;	 /* stacks.h; see site_spot__node() */
	uint32_t type;	 /* types.h */
	uint32_t round;	 /* of stacks.h, when it was made: what `untold` needs */
	bool varies;	 /* samples of it have different sizes */
	/* Another one has its samples: `node` is its index, `type` the next free one + 1. */
	bool is_free;
	struct estimate allocated;
	struct estimate died;
	/* Of those that were allocated under our eyes and are decided, by generation: */
	struct estimate promoted, died_young;
};

/* All zero is none. A VEC, of which the free ones are no spots. */
struct site_spots {
	VEC(struct site_spot); /* its items, count, alloc */
	struct hash_slots by_key;
	struct memory memory; /* of those, without a limit */
	uint32_t free;	      /* the first, + 1 */
	uint32_t untold;      /* so many, at most */
};

/* That of this type, and of the stack of this id, which is noted as used; new if need be. */
int site_spots__find(struct site_spots *spots, struct stacks *stacks, uint64_t stack,
		     uint32_t type, uint32_t *index);

/*
 * Those of which nothing was told so far; those that are older than `rounds` rounds will not be
 * told any more. Samples of one that is free then are another one's. 0 or -ENOMEM.
 */
int site_spots__settle(struct site_spots *spots, const struct stacks *stacks, uint32_t rounds);

/* Where its stack ends, by what was told until now. */
static inline uint32_t site_spot__node(const struct site_spot *spot, const struct stacks *stacks)
{
	return spot->untold ? stacks__node(stacks, spot->untold) : spot->node;
}

void site_spots__free(struct site_spots *spots);

#endif
