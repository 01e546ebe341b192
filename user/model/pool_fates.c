/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool_fates.h"

#define YOUNG 1
#define YOUNG_AND_OLD 3

/* What the heap held, and of that outside of the old pool; all of it was told. */
struct fill {
	uint64_t heap_before, heap_after;
	uint64_t old_before, old_after;
	uint64_t young_before, young_after;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* What is allocated in is empty after each young collection that came to its end. */
static bool was_emptied(const struct pools *pools)
{
	for (size_t i = 0; i < pools->of.count; i++)
		if (pools->of.items[i].fresh && pools->of.items[i].after != 0)
			return false;
	return true;
}

static bool take_fill(const struct pools *pools, const struct collection *collection,
		      struct fill *fill)
{
	const struct collection_pool *old = pools__old(pools);

	if (!old || old->before == EVENT_UNKNOWN || old->after == EVENT_UNKNOWN ||
	    collection->before_bytes == EVENT_UNKNOWN || collection->after_bytes == EVENT_UNKNOWN)
		return false;
	*fill = (struct fill){
		.heap_before = collection->before_bytes,
		.heap_after = collection->after_bytes,
		.old_before = old->before,
		.old_after = old->after,
		.young_before = less(collection->before_bytes, old->before),
		.young_after = less(collection->after_bytes, old->after),
	};
	return true;
}

/* Objects behind each other, and none of the old ones freed. */
static void weigh_exact(const struct fill *fill, struct pool_fates *fates)
{
	const uint64_t grown = less(fill->old_after, fill->old_before);
	const uint64_t survived = fill->young_after + grown;

	if (fill->old_after < fill->old_before || survived > fill->young_before)
		return;
	fates->survived = fates->moved = amount__exact(survived);
	fates->promoted = amount__exact(grown);
	fates->dead = amount__exact(fill->young_before - survived);
}

static void weigh_buffered(const struct fill *fill, struct pool_fates *fates)
{
	const uint64_t grown = less(fill->old_after, fill->old_before);
	const uint64_t survived = fill->young_after + grown;

	/* Buffers may need more room than there was. */
	if (fill->old_after < fill->old_before || survived > fill->young_before)
		return;
	fates->survived = fates->moved = amount__between(0, survived, survived);
	fates->promoted = amount__between(0, grown, grown);
	fates->dead = amount__between(fill->young_before - survived, fill->young_before - survived,
				      fill->young_before);
}

/* Old regions may be condemned as well: it is not told whether, nor which. */
static void weigh_mixed(const struct fill *fill, struct pool_fates *fates)
{
	const uint64_t freed = less(fill->heap_before, fill->heap_after);
	const uint64_t grown = less(fill->old_after, fill->old_before);
	const uint64_t survived = fill->young_after + grown;

	fates->condemned = amount__between(fill->young_before, fill->young_before,
					   fill->heap_before);
	fates->dead = amount__between(freed, freed, fill->heap_before);
	if (fill->old_after < fill->old_before || survived > fill->young_before)
		return;
	fates->survived = amount__between(0, survived, fill->heap_after);
	fates->moved = amount__between(0, survived, fill->heap_after);
	fates->promoted = amount__between(0, grown, fill->young_before);
}

/* All is condemned. What lives is no more than what is in use; it may have stayed where it was. */
static void weigh_full(const struct fill *fill, struct pool_fates *fates)
{
	const uint64_t freed = less(fill->heap_before, fill->heap_after);

	fates->condemned = amount__exact(fill->heap_before);
	if (fill->heap_after > fill->heap_before)
		return;
	fates->survived = amount__between(0, fill->heap_after, fill->heap_after);
	fates->dead = amount__between(freed, freed, fill->heap_before);
}

static void weigh_young(const struct fill *fill, enum event_pools tell, struct pool_fates *fates)
{
	fates->condemned = amount__exact(fill->young_before);
	if (tell == EVENT_POOLS_EXACT)
		weigh_exact(fill, fates);
	else if (tell == EVENT_POOLS_BUFFERED)
		weigh_buffered(fill, fates);
	else
		weigh_mixed(fill, fates);
}

struct pool_fates pool_fates__of(const struct pools *pools, const struct collection *collection,
				 enum event_pools tell)
{
	struct pool_fates fates = { .condemned = { .known = false } };
	struct fill fill;

	if (tell == EVENT_POOLS_NOTHING || collection->concurrent || collection->partial ||
	    !take_fill(pools, collection, &fill))
		return fates;
	if (collection->generations == YOUNG_AND_OLD)
		weigh_full(&fill, &fates);
	else if (collection->generations == YOUNG && was_emptied(pools))
		weigh_young(&fill, tell, &fates);
	return fates;
}
