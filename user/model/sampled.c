/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampled.h"

#include <math.h>

#include "gctrace/wire.h"

#define YOUNG 1
#define YOUNG_AND_OLD 3
#define MOST_AGES 16 /* HotSpot's largest MaxTenuringThreshold is 15 */

/* Nobody asks here where it was made, and what it is: all of them stand in one spot. */
static int see_allocation(struct sampled *sampled, const struct event *event)
{
	struct event plain = *event;

	plain.alloc.stack = plain.alloc.class_ = 0;
	return sites__event(&sampled->sites, &plain);
}

int sampled__event(struct sampled *sampled, const struct event *event)
{
	if (event->kind == EVENT_OBJECT_ALLOC)
		return see_allocation(sampled, event);
	/* It may have been a remark. */
	if (event->kind == EVENT_LOSS)
		sampled->mixed = SAMPLED_MIXED;
	return sites__event(&sampled->sites, event);
}

void sampled__free(struct sampled *sampled)
{
	sites__free(&sampled->sites);
}

/* ---------------------------------------------------------------- what kind it is */

static bool is_whole(const struct collection *collection)
{
	return !collection->partial && !collection->incomplete && !collection->cut_off;
}

/* The program stood still, and its pools say that it came to its end. */
static bool is_young(const struct collection *collection)
{
	return collection->generations == YOUNG && !collection->concurrent &&
	       collection->condemned.bytes.known;
}

/*
 * Those beside the program find the dead of all. Not of generations: HotSpot's ZGC keeps alive
 * what a weak handle refers to as long as only the young one is collected, samples with it.
 */
static bool is_other(const struct collection *collection)
{
	if (collection->concurrent)
		return collection->generations == EVENT_UNKNOWN &&
		       collection->how & GCTRACE_HOW_COMPACTING &&
		       collection->after_bytes != EVENT_UNKNOWN;
	return collection->generations == YOUNG_AND_OLD && collection->condemned.bytes.known;
}

static bool may_be_mixed(const struct sampled *sampled, const struct collection *collection)
{
	return collection->condemned.bytes.estimated && sampled->mixed;
}

/* ---------------------------------------------------------------- limits */

static uint64_t whole_bytes(double bytes)
{
	return bytes < 0 ? 0 : bytes > 1e18 ? UINT64_C(1000000000000000000) : (uint64_t)bytes;
}

static struct amount amount_of(const struct sampled *sampled, const struct estimate *estimate,
			       uint64_t left)
{
	const struct bounds bounds = estimate__bytes(estimate, &sampled->sites.sampler);
	const uint64_t low = whole_bytes(floor(bounds.low));
	uint64_t high = whole_bytes(ceil(bounds.high));

	if (__builtin_add_overflow(high, left, &high))
		high = UINT64_MAX;
	return amount__between(low, whole_bytes(estimate->bytes), high);
}

static uint64_t within(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/*
 * What pools are sure of holds in all cases: where samples contradict it, it is they that are
 * wrong.
 */
static void narrow(struct amount *known, struct amount by_samples)
{
	const uint64_t low = by_samples.low > known->low ? by_samples.low : known->low;
	const uint64_t high = by_samples.high < known->high ? by_samples.high : known->high;

	if (!known->known)
		*known = by_samples;
	else if (known->estimated && low <= high)
		*known = amount__between(low, within(known->value, low, high), high);
}

/* Those that live and were there when it began: of collections of all. */
static struct estimate living(const struct sampled *sampled, uint64_t gc)
{
	const struct sites *sites = &sampled->sites;
	struct estimate sum = { 0 };

	for (size_t i = 0; i < sites->living.of.count; i++) {
		const struct living *sample = &sites->living.of.items[i];

		if (sample->gc < gc)
			estimate__add(&sum, sample->size, sample->weight);
	}
	return sum;
}

static void judge_young(const struct sampled *sampled, struct collection *collection,
			const struct site_turn *turn)
{
	const uint64_t left = may_be_mixed(sampled, collection) ? sampled->left_all
								: sampled->left_young;

	narrow(&collection->moved.bytes, amount_of(sampled, &turn->reached, left));
	narrow(&collection->survived.bytes, amount_of(sampled, &turn->reached, left));
	narrow(&collection->promoted.bytes, amount_of(sampled, &turn->promoted, left));
	narrow(&collection->dead.bytes, amount_of(sampled, &turn->died, left));
}

static void judge_other(const struct sampled *sampled, struct collection *collection,
			const struct site_turn *turn)
{
	const struct estimate alive = living(sampled, turn->gc);
	const uint64_t left = sampled->left_all;

	narrow(&collection->moved.bytes, amount_of(sampled, &turn->moved, left));
	narrow(&collection->dead.bytes, amount_of(sampled, &turn->died, left));
	if (sampled->sites.generations)
		narrow(&collection->promoted.bytes, amount_of(sampled, &turn->promoted, left));
	/* What is born beside one that runs lives, too, and was not condemned. */
	if (!collection->concurrent)
		narrow(&collection->survived.bytes, amount_of(sampled, &alive, left));
}

/* ---------------------------------------------------------------- what was there before */

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t young_after(const struct collection *collection)
{
	uint64_t bytes = collection->after_bytes;

	for (size_t i = 0; i < collection->pool_count; i++) {
		const struct collection_pool *pool = &collection->pools[i];

		if (pool->old && !pool->outside && pool->after != EVENT_UNKNOWN)
			bytes -= less(bytes, pool->after);
	}
	return bytes;
}

static void keep_count(struct sampled *sampled, const struct collection *collection, bool by_turn)
{
	if (collection->after_bytes == EVENT_UNKNOWN)
		return;
	if (!sampled->begun) {
		sampled->begun = by_turn;
		sampled->left_young = young_after(collection);
		sampled->left_all = collection->after_bytes;
		return;
	}
	sampled->left_all = less(sampled->left_all, collection->after_bytes);
	sampled->left_young = less(sampled->left_young, young_after(collection));
	if (collection->generations != YOUNG || collection->concurrent)
		return;
	if (++sampled->young >= MOST_AGES)
		sampled->left_young = 0;
	sampled->mixed -= sampled->mixed > 0;
}

void sampled__judge(struct sampled *sampled, struct collection *collection,
		    const struct site_turn *turn)
{
	const bool is_sure = turn && !turn->is_doubted && !sampled->sites.doubted &&
			     sampled->begun && is_whole(collection);

	if (is_sure && is_young(collection))
		judge_young(sampled, collection, turn);
	else if (is_sure && is_other(collection))
		judge_other(sampled, collection, turn);
	if (text__is(collection->what, "remark"))
		sampled->mixed = SAMPLED_MIXED;
	keep_count(sampled, collection, turn != NULL);
}
