/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a collection's reports of ranges add up to.
 *
 * Reports are counted by source generation, width of a length and phase: a strand each. At the
 * end, of each generation the wider form wins (the same report may come in both), and what was
 * told in several phases is one object that moved several times: where sources of a later phase
 * lie on destinations of earlier ones, they survive only once.
 *
 * Strands keep their destinations as spans, within a bound (tally.c). Where that does not do,
 * figures that need them are estimates with their limits; sums of bytes are always exact.
 */
#ifndef MODEL_TALLY_H
#define MODEL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collection.h"
#include "generations.h"
#include "spans.h"

struct strand {
	uint64_t generation;
	uint32_t width; /* 4 or 8 */
	uint32_t phase; /* UINT32_MAX: of a sweep, after all moves */
	uint64_t moved, stayed, swept; /* bytes */
	struct spans to;	       /* where they lie afterwards */
	uint64_t beside, beside_older; /* not in there, for want of room; of that, promoted as
					  the generations lay when it was reported */
	struct spans from;	       /* where they lay; of moves in phases above 0 only */
};

struct tally {
	VEC(struct strand) strands;
	uint64_t overlong; /* ranges that wrap around: not counted */
	bool beyond;	   /* sums that do not fit, or more strands than are kept */
	bool crowded;	   /* keeps no spans: too many others do; set before the first report */
};

/* Ranges of EVENT_MOVED or EVENT_SURVIVING. 0 or -ENOMEM. */
int tally__report(struct tally *tally, const struct event *report,
		  struct generations *generations);

/* 4 or 8: the form that counts for this generation; 0: nothing was reported. */
uint32_t tally__width(const struct tally *tally, uint64_t generation);

struct tally_figures {
	struct amount moved, stayed, survived;
	struct amount promoted; /* not known where the generations' places are not */
};
void tally__figures(struct tally *tally, struct generations *generations,
		    struct tally_figures *figures);

/* What survived of the generations of a mask. */
struct amount tally__survived(struct tally *tally, struct generations *generations, uint64_t mask);

void tally__free(struct tally *tally);

#endif
