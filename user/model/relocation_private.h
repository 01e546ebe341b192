/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of a relocation share:
 *
 *	relocation.c         how and why; what is condemned, the order of things, who dies
 *	relocation_sense.c   which ranges of a phase are believed
 *	relocation_leave.c   what they have is taken out
 *	relocation_land.c    what lay where they go to
 */
#ifndef MODEL_RELOCATION_PRIVATE_H
#define MODEL_RELOCATION_PRIVATE_H

#include "relocation.h"

/* What a phase works with: ranges, sorted and disjoint, and what the others cover. */
struct phase {
	struct range *ranges;
	size_t count;
	struct spans broken;
	struct spans blamed; /* where nothing that lands is to be trusted */
	uint32_t opened;     /* chunks that began to fill as the present one was left */
};

static inline uint64_t range__distance(const struct range *range)
{
	return range->new_ - range->old;
}

/* ---- relocation.c ---- */

/* Count an odd range (NULL: it is none), and keep the first of its kind. */
void relocation__note(struct relocation *relocation, enum relocation_oddity kind,
		      const struct range *range);

/* An object leaves, and is taken out when the phase is settled. 0 or -ENOMEM. */
int relocation__hit(struct relocation *relocation, struct chunk *chunk, struct object *object,
		    enum object_fate fate);

/* ---- in this order; each 0 or -ENOMEM ---- */

/* Ranges that cannot be taken for themselves go: to `broken`, but for empty ones. */
int phase__sift(struct relocation *relocation, struct phase *phase);
/* Sorted now: those that agree become one, those that contradict one another go to `broken`. */
void phase__untangle(struct relocation *relocation, struct phase *phase);
/* What only broken ranges cover is withdrawn. */
int phase__withdraw_broken(struct relocation *relocation, struct phase *phase);
/* What moves leaves its chunk, and arrives in another. */
int phase__take_out(struct relocation *relocation, struct phase *phase);
/* What did not move, and something has come onto it. */
int phase__land(struct relocation *relocation, struct phase *phase);

#endif
