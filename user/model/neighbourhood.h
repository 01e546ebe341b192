/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies around an object of a heap graph: what it refers to, what that refers to, and so on,
 * and the same against the arrows, up to roots.
 *
 *	root --> a --> b --> [object] --> c --> d        two steps each way: a, b, c, d
 *	               |                  ^
 *	               '--> e             f              e and f are not in it: no way leads on
 *	                                                 over b or c in the other direction
 *
 * Of the neighbours of one object those are taken that keep the most alive, `most` each way; what
 * is left out is counted. All references between those taken are part of the picture.
 */
#ifndef MODEL_NEIGHBOURHOOD_H
#define MODEL_NEIGHBOURHOOD_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "heap.h"
#include "heap_referrers.h"
#include "memory.h"

#define NEIGHBOUR_NONE UINT32_MAX

enum neighbour_ways { NEIGHBOUR_REFERRED = 1, NEIGHBOUR_REFERS = 2 };

struct neighbour {
	uint32_t place; /* an object, or a root */
	uint32_t ways;	/* which lead to it from the middle: set of enum neighbour_ways */
	uint64_t more_references, more_referrers; /* to and from what is not here */
};

struct neighbourhood {
	VEC(struct neighbour) of; /* the one in the middle first */
	struct hash_slots slots;
	struct memory memory;
	struct heap_referrers *referrers;
};

/*
 * All zero to begin with. depth: steps each way; most: 0: all. What is not reached refers to
 * nobody here (heap_referrers.h), unless it is in the picture. 0, -ENOMEM or -EDQUOT.
 */
int neighbourhood__find(struct neighbourhood *around, struct heap *heap, uint32_t place,
			uint64_t depth, uint64_t most);
void neighbourhood__free(struct neighbourhood *around);

/* Its index; NEIGHBOUR_NONE: it is not here. */
uint32_t neighbourhood__index(const struct neighbourhood *around, uint32_t place);

#endif
