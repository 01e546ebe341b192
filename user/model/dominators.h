/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Immediate dominators of a heap graph; see dominators.c for how.
 *
 * An object is dominated by another if every way from the roots to it leads through that one: so
 * it would go if the other went.
 */
#ifndef MODEL_DOMINATORS_H
#define MODEL_DOMINATORS_H

#include "heap_rows.h"
#include "memory.h"

#define DOMINATORS_ROUNDING (UINT64_C(1) << 18) /* to whole pages */

/*
 * By depth first number: 0 is the root above all, and every dominator has a lower number than
 * what it dominates. The number of a row stands in it (ROW_NUMBER); ROW_NONE: not reached. The
 * two scratch areas are the caller's as they are, so that memory need not be given back and taken
 * again.
 */
struct dominators {
	uint32_t count;	  /* rows reached */
	uint32_t room;	  /* entries in each of: */
	uint32_t *idom;	  /* of 0: 0 */
	uint32_t *narrow; /* scratch */
	uint64_t *wide;	  /* scratch */
};

/*
 * How many bytes it takes to begin with, besides the 4 for each row of idom: whoever has them at
 * hand (memory__keep()) spares them being cleared.
 */
static inline uint64_t dominators__narrow_and_wide(const struct heap_rows *rows)
{
	return rows->count * UINT64_C(12) + DOMINATORS_ROUNDING;
}

/* Each row's number must be ROW_NONE. 0, -ENOMEM or -EDQUOT. */
int dominators__find(struct dominators *dominators, struct heap_rows *rows, struct memory *memory);

/* All zero is legal. */
void dominators__free(struct dominators *dominators, struct memory *memory);

#endif
