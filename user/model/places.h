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
#ifndef MODEL_PLACES_H
#define MODEL_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "generations.h"

#define PLACE_UNKNOWN UINT64_MAX

struct place {
	uint64_t start, end;
	uint64_t generation; /* PLACE_UNKNOWN */
};

struct places {
	VEC(struct place) of;
	VEC(uint64_t) seams; /* in a place, where a part begins that touches the one below */
	size_t found;
	bool taken; /* a picture was taken, and it is whole */
};

/* Replaces what there was. 0 or -ENOMEM. */
int places__take(struct places *places, const struct generations *generations);
void places__free(struct places *places);

/* The place that an address is in; one of PLACE_UNKNOWN reaches to its neighbours. */
struct place places__at(struct places *places, uint64_t address);

/* Is there a seam in [from, to]? */
bool places__has_seam(const struct places *places, uint64_t from, uint64_t to);

/*
 * Does [start, end) begin in what was told and end outside? `end` is above start. Parts that touch
 * are one.
 */
bool places__overrun(struct places *places, uint64_t start, uint64_t end);

#endif
