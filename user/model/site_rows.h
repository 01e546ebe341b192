/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What there is of each group of sampled allocations (site_groups.h) at one moment, those with the
 * most bytes alive first; or the samples themselves, the oldest first.
 */
#ifndef MODEL_SITE_ROWS_H
#define MODEL_SITE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "site_groups.h"
#include "sites.h"

/* Ages 0, 1, 2-3, 4-7, ...; the last one: 2^(SITE_AGES - 2) and more. */
#define SITE_AGES 16

unsigned int site_age__place(uint64_t age);
/* The lowest age of a place. */
uint64_t site_age__from(unsigned int place);

struct site_row {
	uint32_t group;
	uint32_t key;	       /* node or type */
	uint32_t type;	       /* of the spot with the most bytes alive, or else allocated */
	bool mixed;	       /* it has others, too */
	bool varies;	       /* objects of one of its types have any size: arrays */
	struct estimate live;  /* of those that are old enough */
	struct estimate old;   /* of these, in the old generation */
	struct estimate allocated, died;
	struct estimate promoted, decided; /* of what was allocated: sites.h */
	uint64_t oldest;       /* age of the oldest that lives */
	struct estimate *ages; /* SITE_AGES, of the living by age; NULL: not taken */
};

/*
 * What lives compared with the heap in use (sites.h): more than that, and what was allocated since,
 * does not live. Where even the low end of what the samples say is above it, they are wrong.
 */
struct site_limit {
	double most;	    /* bytes that may live; INFINITY: not known, or contradicted */
	struct bounded then; /* alive, of what was there when `in_use` was */
	uint64_t in_use;
	bool known, contradicted;
};

struct site_rows {
	VEC(struct site_row) of;
	VEC(struct estimate) ages;
	VEC(uint32_t) objects; /* indices of living samples: see site_rows__objects() */
	VEC(uint32_t) row_of;  /* row + 1, by group */
	VEC(double) most;      /* by row: bytes of the spot that gave it its type */
	struct estimate live, allocated; /* of all of them, whatever their age */
	struct site_limit limit;
};

/*
 * All groups of which something lives that survived `age` collections; with 0 also those of which
 * nothing lives any more. The groups must have been updated. What was there before is gone. All
 * zero is none. 0 or -ENOMEM, as all of these.
 */
int site_rows__take(struct site_rows *rows, const struct sites *sites,
		    const struct site_groups *groups, uint64_t age);

/* The ages of the first `count` rows. */
int site_rows__take_ages(struct site_rows *rows, const struct sites *sites,
			 const struct site_groups *groups, size_t count);

/* The samples that are at least so old, the oldest first, of one age the largest first. */
int site_rows__objects(struct site_rows *rows, const struct sites *sites,
		       const struct site_groups *groups, uint64_t age);

void site_rows__free(struct site_rows *rows);

#endif
