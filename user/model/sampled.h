/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What samples add to a collection's figures: limits that hold in 95 of 100 cases, where pools give
 * none, or wide ones (pool_fates.h). Those that are exact stay what they are.
 *
 *	sampled__event(&sampled, event)			all of one target's samples
 *	sampled__judge(&sampled, collection, &turn)	when its samples have been told
 *	sampled__judge(&sampled, collection, NULL)	when they will not be
 *
 * every collection once, in their order.
 *
 * WHAT WAS THERE BEFORE the first collection that was judged was not sampled, or not all of it. It
 * may be among what any later one moves or frees, so all of it widens the upper limits:
 *
 *	of a young collection	what the young generation held after the first, as long as some of
 *				it can be there: none survives more than 15 of them without being
 *				promoted
 *	of all others		what the heap held after the first, and never more than it does now
 *
 * G1's young collections take old regions along (mixed), up to 8 of them behind a concurrent mark:
 * they count among the others behind a remark, and when the trace begins or something was lost,
 * where there may have been one.
 *
 * WHAT IS LOST: no limits are taken from samples until a list of all that live has come (sites.h),
 * nor by a turn that tells of samples which nobody knows.
 */
#ifndef MODEL_SAMPLED_H
#define MODEL_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"
#include "sites.h"

struct sampled {
	struct sites sites;
	bool begun;
	uint64_t left_young, left_all; /* bytes that were not sampled, at most */
	unsigned int young;	       /* young collections since */
	unsigned int mixed;	       /* so many more that may be mixed */
};

#define SAMPLED_MIXED 16 /* twice HotSpot's default of G1MixedGCCountTarget */

/* All zero is empty, but for these. */
#define SAMPLED_INIT { .sites = SITES_INIT, .mixed = SAMPLED_MIXED }

/* OBJECT_ALLOC, SAMPLES, LOSS; no others. 0 or -ENOMEM. */
int sampled__event(struct sampled *sampled, const struct event *event);

/* turn: what the samples tell of it, that of `sites` or several together; NULL: nothing. */
void sampled__judge(struct sampled *sampled, struct collection *collection,
		    const struct site_turn *turn);

void sampled__free(struct sampled *sampled);

#endif
