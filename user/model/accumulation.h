/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of the bytes that an object retains: do they fall apart into many pieces, or go on
 * as a few large ones?
 *
 *	queue ---- node ---- node ---- node ---- ...       the structure: queue and nodes
 *	            |         |         |
 *	          order     order     order                its pieces: what the structure holds
 *
 * A list's nodes dominate each other, and so do a tree's: what is retained falls slowly from one to
 * the next, and no node has many children. So an object is looked at with its whole STRUCTURE: the
 * objects below it that are reached over nothing but
 *
 *	the types between it and the next of its own type, if its heaviest way leads from one to the
 *	next at least ACCUMULATION_REPEATS times within ACCUMULATION_PERIOD steps each (a node of a
 *	list that refers to the next, or by way of another object; a node of a tree);
 *	of a collection of the platform (owner.h) collections, their parts and arrays.
 *
 * What the structure dominates directly are its PIECES. The structure of most objects is the object
 * alone. No memory is needed but two counts for each type.
 */
#ifndef MODEL_ACCUMULATION_H
#define MODEL_ACCUMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "heap.h"

#define ACCUMULATION_PERIOD 6
#define ACCUMULATION_REPEATS 3

#define ACCUMULATION_STEPS 4

/* For one heap; all zero to begin with. */
struct accumulation {
	const struct heap *heap;
	uint64_t *bytes, *counts; /* of pieces, by type */
	bool *inside;		  /* types of the structure */
	bool collections;	  /* they belong to it */

	/* Of the object looked at last. */
	bool repeats;		/* its own type does */
	bool wide;		/* a piece must be half of it all to be a large one */
	uint64_t structure;	/* objects in it */
	uint64_t structure_bytes;
	uint64_t large;		/* bytes of the large pieces */
	uint32_t of;		/* type of most bytes of the other pieces; UINT32_MAX: none */
	uint64_t of_bytes, of_count;
	uint32_t steps[ACCUMULATION_STEPS]; /* its types, as most of it lies below the object */
	size_t step_count;
};

int accumulation__init(struct accumulation *accumulation, const struct heap *heap);
void accumulation__free(struct accumulation *accumulation);

/* The counts alone, for others who add up by type: none, and one object more. */
void accumulation__begin(struct accumulation *accumulation);
void accumulation__count(struct accumulation *accumulation, uint32_t place);

/* Called for each large piece: nonzero ends it. */
typedef int accumulation_large(void *context, uint32_t piece);

/* Looks at an object: pieces of at least `least` bytes are large. 0, or what `large` returned. */
int accumulation__look(struct accumulation *accumulation, uint32_t place, uint64_t least,
		       accumulation_large *large, void *context);

#endif
