/* SPDX-License-Identifier: BSD-2-Clause */
#include "generations.h"

#include "base/search.h"

static int compare(const void *a, const void *b)
{
	const struct generation_part *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Drop what was said of this generation at another time than this one. */
static void drop_outdated(struct generations *generations, const struct generation_part *now)
{
	struct generation_part *items = generations->parts.items;
	size_t kept = 0;

	for (size_t i = 0; i < generations->parts.count; i++)
		if (items[i].generation != now->generation ||
		    (items[i].gc == now->gc && items[i].after == now->after))
			items[kept++] = items[i];
	generations->parts.count = kept;
}

/* The parts of one generation come together, so the last one tells mostly. */
static bool is_outdated(const struct generations *generations, const struct generation_part *now)
{
	const struct generation_part *last;

	if (generations->parts.count == 0)
		return false;
	last = &generations->parts.items[generations->parts.count - 1];
	return last->generation != now->generation || last->gc != now->gc ||
	       last->after != now->after || generations->sealed;
}

int generations__note(struct generations *generations, uint64_t gc, bool after,
		      uint64_t generation, uint64_t start, uint64_t bytes)
{
	struct generation_part part = { generation, start, 0, gc, after };

	if (!generations->told || generation > generations->oldest)
		generations->oldest = generation;
	generations->told = true;
	if (is_outdated(generations, &part))
		drop_outdated(generations, &part);
	if (bytes == 0)
		return 0;
	if (__builtin_add_overflow(start, bytes, &part.end))
		part.end = UINT64_MAX;
	if (generations->parts.count >= GENERATION_PARTS) {
		generations->overflowed = true;
		return 0;
	}
	generations->sealed = false;
	return vec__push(&generations->parts, part);
}

static void seal(struct generations *generations)
{
	if (!generations->sealed)
		vec__sort(&generations->parts, compare);
	generations->sealed = true;
}

/* The last part that starts at or before an address; none: 0. */
static size_t part_before(const struct generations *generations, uint64_t address)
{
	const size_t begun = search__front(generations->parts.items, generations->parts.count, part,
					   part->start <= address);

	return begun ? begun - 1 : 0;
}

static bool is_in(const struct generation_part *part, uint64_t address)
{
	return part->start <= address && address < part->end;
}

bool generations__is_older(struct generations *generations, uint64_t address, uint64_t than)
{
	const struct generation_part *parts = generations->parts.items;

	if (generations->parts.count == 0)
		return false;
	seal(generations);
	if (generations->found >= generations->parts.count ||
	    !is_in(&parts[generations->found], address))
		generations->found = part_before(generations, address);
	return is_in(&parts[generations->found], address) &&
	       parts[generations->found].generation > than;
}

struct generation_shares generations__shares(struct generations *generations,
					     const struct spans *sealed, uint64_t than)
{
	struct generation_shares shares = { 0, 0 };
	const struct span *span, *end = sealed->of.items + sealed->of.count;
	const struct span *first = sealed->of.items;

	seal(generations);
	for (size_t i = 0; i < generations->parts.count; i++) {
		const struct generation_part *part = &generations->parts.items[i];

		while (first < end && first->end <= part->start)
			first++;
		for (span = first; span < end && span->start < part->end; span++) {
			uint64_t from = span->start > part->start ? span->start : part->start;
			uint64_t to = span->end < part->end ? span->end : part->end;

			shares.any += to - from;
			if (part->generation > than)
				shares.older += to - from;
		}
	}
	return shares;
}

void generations__free(struct generations *generations)
{
	vec__free(&generations->parts);
}
