/* SPDX-License-Identifier: BSD-2-Clause */
#include "generations.h"

#include "base/search.h"

static int by_start(const void *a, const void *b)
{
	const struct generation_part *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Generation by generation, what was said last first. */
static int by_generation(const void *a, const void *b)
{
	const struct generation_part *left = a, *right = b;

	if (left->generation != right->generation)
		return left->generation < right->generation ? -1 : 1;
	return left->order > right->order ? -1 : left->order < right->order;
}

static bool are_of_one_time(const struct generation_part *a, const struct generation_part *b)
{
	return a->generation == b->generation && a->gc == b->gc && a->after == b->after;
}

/* Of each generation keep what was said last, at one time. */
static void drop_outdated(struct generations *generations)
{
	struct generation_part *items = generations->parts.items, now = { .generation = 0 };
	size_t kept = 0;
	bool is_outdated = false;

	vec__sort(&generations->parts, by_generation);
	for (size_t i = 0; i < generations->parts.count; i++) {
		if (i == 0 || items[i].generation != now.generation)
			is_outdated = false;
		else
			is_outdated |= !are_of_one_time(&items[i], &now);
		now = items[i];
		if (!is_outdated)
			items[kept++] = now;
	}
	generations->parts.count = kept;
}

/* Nothing is in them: they only replaced what was said before. */
static void drop_empty(struct generations *generations)
{
	struct generation_part *items = generations->parts.items;
	size_t kept = 0;

	for (size_t i = 0; i < generations->parts.count; i++)
		if (items[i].start != items[i].end)
			items[kept++] = items[i];
	generations->parts.count = kept;
}

/* In their order again, so that those which came first are kept. */
static int by_order(const void *a, const void *b)
{
	const struct generation_part *left = a, *right = b;

	return left->order < right->order ? -1 : left->order > right->order;
}

static void drop_surplus(struct generations *generations)
{
	if (generations->parts.count <= GENERATION_PARTS)
		return;
	vec__sort(&generations->parts, by_order);
	generations->parts.count = GENERATION_PARTS;
	generations->overflowed = true;
}

/*
 * Parts are only put down as they come, in whatever order: what each replaces is looked for once
 * for many of them, so that a producer that never stops costs no more for each than one that does.
 */
int generations__note(struct generations *generations, uint64_t gc, bool after,
		      uint64_t generation, uint64_t start, uint64_t bytes)
{
	struct generation_part part = { generation, start, 0, gc, after, generations->noted++ };

	if (!generations->told || generation > generations->oldest)
		generations->oldest = generation;
	generations->told = true;
	if (__builtin_add_overflow(start, bytes, &part.end))
		part.end = UINT64_MAX;
	if (generations->parts.count >= 2 * GENERATION_PARTS) {
		drop_outdated(generations);
		drop_surplus(generations);
	}
	generations->sealed = false;
	return vec__push(&generations->parts, part);
}

void generations__seal(struct generations *generations)
{
	if (generations->sealed)
		return;
	drop_outdated(generations);
	drop_empty(generations);
	drop_surplus(generations);
	vec__sort(&generations->parts, by_start);
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

	generations__seal(generations);
	if (generations->parts.count == 0)
		return false;
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

	generations__seal(generations);
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
