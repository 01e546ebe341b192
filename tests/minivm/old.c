/* SPDX-License-Identifier: BSD-2-Clause */
#include "old.h"
#include "marks.h"
#include "options.h"

#include <string.h>

struct old old;

#define MIN_HOLE 16u
#define LOOK_AT 8 /* holes of a bin that may be too small */

static word *link_of(uint64_t hole)
{
	return (word *)(uintptr_t)(hole + 8);
}

static uint64_t bytes_of(uint64_t hole)
{
	return object__size((struct object *)(uintptr_t)hole);
}

static unsigned bin_of(uint64_t bytes)
{
	return 63 - (unsigned)__builtin_clzll(bytes >> 3);
}

void old__init(void)
{
	pthread_mutex_init(&old.lock, NULL);
	old.top = heap.old;
	marks__init();
}

/* With the lock held. */
static void put_hole(uint64_t start, uint64_t end)
{
	const unsigned bin = bin_of(end - start);

	*link_of(start) = 0;
	if (old.bins[bin])
		*link_of(old.last[bin]) = start;
	else
		old.bins[bin] = start;
	old.last[bin] = start;
	old.free_bytes += end - start;
}

void old__give(uint64_t start, uint64_t end)
{
	if (start == end)
		return;
	if (opt.verify)
		memset((void *)(uintptr_t)start, 0xdf, end - start);
	filler__write(start, end - start);
	if (end - start < MIN_HOLE)
		return;
	pthread_mutex_lock(&old.lock);
	put_hole(start, end);
	pthread_mutex_unlock(&old.lock);
}

void old__drop_holes(void)
{
	memset(old.bins, 0, sizeof(old.bins));
	memset(old.last, 0, sizeof(old.last));
	old.free_bytes = 0;
}

/* Takes a hole out of its bin; before: the one in front of it, 0 if it is the first. */
static uint64_t unlink_hole(unsigned bin, uint64_t before, uint64_t hole)
{
	if (before)
		*link_of(before) = *link_of(hole);
	else
		old.bins[bin] = *link_of(hole);
	if (old.last[bin] == hole)
		old.last[bin] = before;
	old.free_bytes -= bytes_of(hole);
	return hole;
}

static uint64_t find_in(unsigned bin, uint64_t min, unsigned most)
{
	uint64_t before = 0;

	for (uint64_t hole = old.bins[bin]; hole && most--; hole = *link_of(hole)) {
		if (bytes_of(hole) >= min)
			return unlink_hole(bin, before, hole);
		before = hole;
	}
	return 0;
}

/* A hole that takes all of `want`, else one that takes `min`, else 0. */
static uint64_t find_hole(uint64_t min, uint64_t want)
{
	uint64_t hole = 0;

	for (unsigned bin = bin_of(want) + 1; bin < OLD_BINS && !hole; bin++)
		hole = find_in(bin, want, 1);
	for (unsigned bin = bin_of(want); !hole; bin--) {
		hole = find_in(bin, min, LOOK_AT);
		if (bin == bin_of(min))
			break;
	}
	return hole;
}

static bool extend(uint64_t want, struct chunk *chunk)
{
	if (old.top + want > heap.old + heap.old_bytes)
		return false;
	*chunk = (struct chunk){ old.top, old.top + want };
	old.top += want;
	return true;
}

bool old__take(uint64_t min, uint64_t want, struct chunk *chunk)
{
	bool found = true;
	uint64_t hole;

	pthread_mutex_lock(&old.lock);
	hole = find_hole(min, want);
	if (hole) {
		const uint64_t end = hole + bytes_of(hole);
		const uint64_t cut = end - hole > want ? hole + want : end;

		*chunk = (struct chunk){ hole, cut };
		filler__write(cut, end - cut);
		if (end - cut >= MIN_HOLE)
			put_hole(cut, end);
	} else {
		found = extend(want, chunk);
	}
	pthread_mutex_unlock(&old.lock);
	return found;
}

/* Objects of [start, end) by their marks: what has no mark is not there any more. */
static bool walk_marked(uint64_t start, uint64_t end, heap__see *see, void *context)
{
	for (uint64_t at = marks__next_start(start, end); at < end;
	     at = marks__next_start(at + 8, end)) {
		if (!see(context, (struct object *)(uintptr_t)at))
			return false;
	}
	return true;
}

bool old__walk(heap__see *see, void *context)
{
	if (!old.sweep_end)
		return heap__walk_range(heap.old, old.top, see, context);
	return heap__walk_range(heap.old, old.swept, see, context) &&
	       walk_marked(old.swept, old.sweep_end, see, context) &&
	       heap__walk_range(old.sweep_end, old.top, see, context);
}

bool old__is_scattered(void)
{
	return old.top - heap.old > opt.heap + heap.young_bytes;
}
