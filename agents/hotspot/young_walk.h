/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over room that a young collection has just left, object by object.
 *
 *	mark | class | …	a copied object's mark is the address of its copy, and 3 in its
 *	-----------------	lowest bits; all else of it is as it was. One whose mark says
 *	address of copy 11	something else was not copied, and is dead.
 *
 * WHAT IS BELIEVED. A copy has to lie where objects lie now, and to be of the class that the old
 * object names; its size is its copy's. So what is told as moved has moved. What is wrong can only
 * be missing: where the size of a dead one leads astray the walk ends before the room does, or
 * beyond it, and says so.
 */
#ifndef GCTRACE_HOTSPOT_YOUNG_WALK_H
#define GCTRACE_HOTSPOT_YOUNG_WALK_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "heap_layout.h"

/* Generations, as they are told. */
enum young_generation { YOUNG_GENERATION, OLD_GENERATION };

struct young_walk {
	struct gctrace_writer *writer;
	const struct heap_part *now; /* all parts behind the collection */
	const char *why; /* it could not go on, in words that go on with "there was …"; NULL */

	/* The walk's own. */
	uint32_t generation;
	uint64_t old, new_, length; /* the range that may still grow */
	uint64_t check;		    /* the next address of young_check.h */
};

/*
 * Tells what has moved from a part: ranges of objects that lay side by side and do so now. Of one
 * that was old, the room between them is told too (REUSE), for the collection condemns young
 * objects only. False: `why`.
 */
bool young_walk__part(struct young_walk *walk, const struct heap_part *part);

#endif
