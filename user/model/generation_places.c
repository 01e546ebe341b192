/* SPDX-License-Identifier: BSD-2-Clause */
#include "generation_places.h"

#include <errno.h>

#include "base/search.h"

static int by_start(const void *a, const void *b)
{
	const struct generation_place *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/*
 * Neighbours of one generation become one; what is said twice differently, unknown. There is room
 * for a seam at each of them.
 */
static void untangle(struct generation_places *places)
{
	struct generation_place *items = places->of.items;
	size_t kept = 0;

	for (size_t i = 0; i < places->of.count; i++) {
		struct generation_place *last = kept > 0 ? &items[kept - 1] : NULL;
		struct generation_place now = items[i];

		if (!last || now.start > last->end ||
		    (now.start == last->end && now.generation != last->generation)) {
			items[kept++] = now;
			continue;
		}
		if (now.generation != last->generation)
			last->generation = GENERATION_UNKNOWN;
		else if (now.start == last->end)
			places->seams.items[places->seams.count++] = now.start;
		if (now.end > last->end)
			last->end = now.end;
	}
	places->of.count = kept;
}

int generation_places__take(struct generation_places *places, struct generations *generations)
{
	generations__seal(generations);
	vec__reset(&places->of);
	vec__reset(&places->seams);
	places->found = 0;
	places->taken = false;
	if (vec__reserve(&places->of, generations->parts.count) ||
	    vec__reserve(&places->seams, generations->parts.count))
		return -ENOMEM;
	for (size_t i = 0; i < generations->parts.count; i++) {
		const struct generation_part *part = &generations->parts.items[i];

		places->of.items[places->of.count++] =
			(struct generation_place){ part->start, part->end, part->generation };
	}
	vec__sort(&places->of, by_start);
	untangle(places);
	places->taken = generations->told && !generations->overflowed;
	return 0;
}

void generation_places__free(struct generation_places *places)
{
	vec__free(&places->of);
	vec__free(&places->seams);
	places->taken = false;
}

/* The last place that starts at or before the address; none: the first. */
static size_t before(const struct generation_places *places, uint64_t address)
{
	const size_t begun = search__front(places->of.items, places->of.count, place,
					   place->start <= address);

	return begun ? begun - 1 : 0;
}

struct generation_place generation_places__at(struct generation_places *places, uint64_t address)
{
	const struct generation_place *items = places->of.items;
	struct generation_place gap = { 0, UINT64_MAX, GENERATION_UNKNOWN };
	size_t i = places->found;

	if (places->of.count == 0)
		return gap;
	if (i >= places->of.count || address < items[i].start || address >= items[i].end)
		i = places->found = before(places, address);
	if (address >= items[i].start && address < items[i].end)
		return items[i];
	if (address < items[i].start) {
		gap.end = items[i].start;
		return gap;
	}
	gap.start = items[i].end;
	if (i + 1 < places->of.count)
		gap.end = items[i + 1].start;
	return gap;
}

bool generation_places__overrun(struct generation_places *places, uint64_t start, uint64_t end)
{
	struct generation_place at = generation_places__at(places, start);
	size_t i = places->found;

	if (places->of.count == 0 || start < places->of.items[i].start ||
	    start >= places->of.items[i].end)
		return false;
	while (at.end < end && i + 1 < places->of.count &&
	       places->of.items[i + 1].start == at.end)
		at = places->of.items[++i];
	return at.end < end;
}

bool generation_places__has_seam(const struct generation_places *places, uint64_t from, uint64_t to)
{
	const size_t low = search__front(places->seams.items, places->seams.count, seam,
					 *seam < from);

	return low < places->seams.count && places->seams.items[low] <= to;
}
