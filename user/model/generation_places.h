/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture of where the generations lay at one moment: taken of struct generations, which goes on
 * changing, when a collection starts and when it has ended.
 *
 * Sorted, without overlaps: where a producer says two generations of one address, nothing is known
 * of it, as of what lies between the parts. Parts of one generation that touch are one place; where
 * they do is kept, for what must not be taken to go on from one part (a region, a semispace) into
 * the next.
 */
#ifndef MODEL_GENERATION_PLACES_H
#define MODEL_GENERATION_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "generations.h"

#define GENERATION_UNKNOWN UINT64_MAX

struct generation_place {
	uint64_t start, end;
	uint64_t generation; /* GENERATION_UNKNOWN */
};

struct generation_places {
	VEC(struct generation_place) of;
	VEC(uint64_t) seams; /* in a place, where a part begins that touches the one below */
	size_t found;
	bool taken; /* a picture was taken, and it is whole */
};

/* Replaces what there was. 0 or -ENOMEM. */
int generation_places__take(struct generation_places *places,
			    struct generations *generations);
void generation_places__free(struct generation_places *places);

/* The place that an address is in; one of GENERATION_UNKNOWN reaches to its neighbours. */
struct generation_place generation_places__at(struct generation_places *places, uint64_t address);

/* Is there a seam in [from, to]? */
bool generation_places__has_seam(const struct generation_places *places, uint64_t from,
				 uint64_t to);

/*
 * Does [start, end) begin in what was told and end outside? `end` is above start. Parts that touch
 * are one.
 */
bool generation_places__overrun(struct generation_places *places, uint64_t start, uint64_t end);

#endif
