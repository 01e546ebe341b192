/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the ranges of a phase, which are to be believed. */
#include <errno.h>

#include "base/search.h"
#include "relocation_private.h"

static bool add_span(struct spans *spans, uint64_t start, uint64_t length)
{
	uint64_t end;

	if (__builtin_add_overflow(start, length, &end))
		end = UINT64_MAX;
	return end <= start || spans__add(spans, start, end);
}

static bool overruns(const struct relocation *r, const struct range *range)
{
	const uint64_t old_end = range->old + range->length, new_end = range->new_ + range->length;

	return generation_places__overrun(r->before, range->old, old_end) ||
	       (generation_places__overrun(r->after, range->new_, new_end) &&
		generation_places__overrun(r->before, range->new_, new_end));
}

/* True: it can be taken for itself. */
static bool makes_sense(struct relocation *r, struct phase *phase, const struct range *range,
			bool *no_memory)
{
	enum relocation_oddity kind;
	uint64_t end;

	if (range->length == 0) {
		relocation__note(r, ODD_EMPTY, range);
		return false;
	}
	if (__builtin_add_overflow(range->old, range->length, &end) ||
	    __builtin_add_overflow(range->new_, range->length, &end))
		kind = ODD_WRAPPED;
	else if (overruns(r, range))
		kind = ODD_OVERRUN;
	else
		return true;
	relocation__note(r, kind, range);
	*no_memory |= !add_span(&phase->broken, range->old, range->length);
	return false;
}

int phase__sift(struct relocation *r, struct phase *phase)
{
	bool no_memory = false;
	size_t kept = 0;

	for (size_t i = 0; i < phase->count; i++)
		if (makes_sense(r, phase, &phase->ranges[i], &no_memory))
			phase->ranges[kept++] = phase->ranges[i];
	phase->count = kept;
	return no_memory ? -ENOMEM : 0;
}

/*
 * Ranges from..to-1 hang together by overlaps up to `end`. Those that agree become one; those that
 * do not are broken. Returns how many are kept, at `at`.
 */
static size_t close_cluster(struct relocation *r, struct phase *phase, size_t at, size_t from,
			    size_t to, uint64_t end)
{
	struct range first = phase->ranges[from];
	bool agree = true;

	for (size_t i = from + 1; i < to; i++)
		agree &= range__distance(&phase->ranges[i]) == range__distance(&first);
	if (agree) {
		r->odd.repeated += to - from - 1;
		first.length = end - first.old;
		phase->ranges[at] = first;
		return at + 1;
	}
	for (size_t i = from; i < to; i++)
		relocation__note(r, ODD_CONTRADICTORY, &phase->ranges[i]);
	/* Cannot fail quietly: an overflowed set breaks everything (phase__withdraw_broken()). */
	spans__add(&phase->broken, first.old, end);
	return at;
}

void phase__untangle(struct relocation *r, struct phase *phase)
{
	size_t kept = 0, from = 0;

	while (from < phase->count) {
		uint64_t end = phase->ranges[from].old + phase->ranges[from].length;
		size_t to = from + 1;

		for (; to < phase->count && phase->ranges[to].old < end; to++) {
			const struct range *range = &phase->ranges[to];

			if (range->old + range->length > end)
				end = range->old + range->length;
		}
		if (to == from + 1)
			phase->ranges[kept++] = phase->ranges[from];
		else
			kept = close_cluster(r, phase, kept, from, to, end);
		from = to;
	}
	phase->count = kept;
}

static bool is_covered(const struct phase *phase, uint64_t address)
{
	const size_t begun = search__front(phase->ranges, phase->count, range,
					   range->old <= address);

	return begun > 0 &&
	       address - phase->ranges[begun - 1].old < phase->ranges[begun - 1].length;
}

static int withdraw_in(struct relocation *r, const struct phase *phase, struct chunk *chunk,
		       const struct span *span)
{
	uint64_t base = chunk->number << CHUNK_SHIFT;
	uint32_t i = span->start > base ? chunk__index(chunk, span->start - base) : 0;

	for (; i < chunk->count; i++) {
		struct object *object = &chunk->items[i];

		if (base + object->offset >= span->end)
			break;
		if (!is_covered(phase, base + object->offset) &&
		    relocation__hit(r, chunk, object, OBJECT_WITHDRAWN))
			return -ENOMEM;
	}
	return 0;
}

/* What only broken ranges cover. */
int phase__withdraw_broken(struct relocation *r, struct phase *phase)
{
	struct objects *objects = r->objects;
	size_t at = 0;

	if (phase->broken.overflowed)
		return -ENOMEM;
	spans__seal(&phase->broken);
	for (size_t i = 0; i < phase->broken.of.count; i++) {
		const struct span *span = &phase->broken.of.items[i];

		at = objects__index(objects, at, span->start >> CHUNK_SHIFT);
		for (size_t j = at; j < objects->sorted.count; j++) {
			struct chunk *chunk = objects->sorted.items[j];

			if (chunk->number > (span->end - 1) >> CHUNK_SHIFT)
				break;
			if (withdraw_in(r, phase, chunk, span))
				return -ENOMEM;
		}
	}
	return 0;
}
