/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of what a collection condemned, worked out of the pools before and after it. For
 * runtimes that tell nothing better, and only where the program stood still meanwhile.
 *
 *	before	eden, survivors | old		what the young pools held is condemned by a young
 *						collection;
 *	after	      survivors | old + grown	what they hold now, and what the old pool grew
 *						by, lives
 *
 * HOW SURE THAT IS depends on the collector (enum event_pools, stream/event.h):
 *
 * EXACT: objects lie behind each other, so pools count nothing but what survived (HotSpot's Serial,
 * young).
 *
 * BUFFERED: the collector's threads copy into buffers of their own. What stays free in those counts
 * as in use afterwards: the pools tell what survived at most, and what died at least (Parallel;
 * full collections of all, which leave some of the dead where they are).
 *
 * MIXED: besides that it may free something in the old pool, which then grew by less than was
 * promoted (G1: old regions, and large objects at any time).
 *
 * What a buffer's or a region's end wastes is not told: so a limit may be as far as 0 or all. Where
 * samples are taken they bring limits that say more (sampled.h).
 */
#ifndef MODEL_POOL_FATES_H
#define MODEL_POOL_FATES_H

#include <stdbool.h>

#include "collection.h"
#include "pools.h"

struct pool_fates {
	struct amount condemned, moved, survived, promoted, dead; /* bytes */
};

/* Nothing is known unless the collection was seen whole, and of that kind. */
struct pool_fates pool_fates__of(const struct pools *pools, const struct collection *collection,
				 enum event_pools tell);

#endif
