/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the generations of a heap lie, as its producer last said.
 *
 * A generation has any number of parts. What is said of a generation for a collection replaces
 * what was said of it for the one before, and what is said after a collection replaces what
 * was said before it.
 */
#ifndef MODEL_GENERATIONS_H
#define MODEL_GENERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "spans.h"

#define GENERATION_PARTS 65536 /* more are not kept: then nothing is known to be promoted */

struct generation_part {
	uint64_t generation;
	uint64_t start, end;
	uint64_t gc; /* said for this collection */
	bool after;
	uint64_t order; /* in which it was said */
};

struct generations {
	VEC(struct generation_part) parts; /* unless sealed, with some that were replaced */
	uint64_t noted;
	bool sealed; /* sorted by start, each of them holds */
	bool overflowed;
	size_t found; /* where the last address lay: the next one is likely to lie there, too */
	uint64_t oldest; /* highest number ever said; valid when `told` */
	bool told;
};

/* What holds now, sorted by start; where that is too much, `overflowed`. */
void generations__seal(struct generations *generations);

/* A part, start + the larger of used and reserved. 0 or -ENOMEM. */
int generations__note(struct generations *generations, uint64_t gc, bool after,
		      uint64_t generation, uint64_t start, uint64_t bytes);

/*
 * Of these addresses, how many bytes lie in generations older than `than`, and how many in
 * any generation at all. The spans are sealed; parts that overlap are counted once each.
 */
struct generation_shares {
	uint64_t older, any;
};
struct generation_shares generations__shares(struct generations *generations,
					     const struct spans *sealed, uint64_t than);

/* Does this address lie in a generation older than `than`, by what was said so far? */
bool generations__is_older(struct generations *generations, uint64_t address, uint64_t than);

void generations__free(struct generations *generations);

#endif
