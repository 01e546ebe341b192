/* SPDX-License-Identifier: BSD-2-Clause */
/* What has arrived in a chunk, in among what is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chunk.h"

#define FEW 24 /* arrivals that are cheaper to insert one by one */

/*
 * Sorting by offset, of which there are 65,536: a bit for each, and the number of bits below it is
 * the place to go. No comparison, and each object is copied once.
 */
struct ranks {
	uint64_t bits[CHUNK_BYTES / 64];
	uint16_t below[CHUNK_BYTES / 64];
};

/* False: two of them have the same offset. */
static bool rank(struct ranks *ranks, const struct object *objects, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = UINT64_C(1) << (objects[i].offset & 63);
		uint64_t *word = &ranks->bits[objects[i].offset >> 6];

		if (*word & bit)
			return false;
		*word |= bit;
	}
	return true;
}

/* Without the instruction, which not every x86-64 has, the compiler would call a function. */
static inline uint32_t count_bits(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static void sum_up(struct ranks *ranks)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < CHUNK_BYTES / 64; i++) {
		ranks->below[i] = (uint16_t)sum;
		sum += count_bits(ranks->bits[i]);
	}
}

static void place(const struct ranks *ranks, struct object *to, const struct object *objects,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t below = (UINT64_C(1) << (objects[i].offset & 63)) - 1;
		const uint32_t word = objects[i].offset >> 6;

		to[ranks->below[word] + count_bits(ranks->bits[word] & below)] = objects[i];
	}
}

/* Items and arrivals, whatever their order. 1: done; 0: some share an offset; -ENOMEM. */
static int merge_by_rank(struct chunk *chunk)
{
	struct ranks ranks;
	struct object *items;
	uint32_t alloc;

	memset(ranks.bits, 0, sizeof(ranks.bits));
	if (!rank(&ranks, chunk->items, chunk->count) ||
	    !rank(&ranks, chunk->arrivals, chunk->arrival_count))
		return 0;
	alloc = chunk__room(chunk->count + chunk->arrival_count);
	items = malloc((size_t)alloc * sizeof(*items));
	if (!items)
		return -ENOMEM;
	sum_up(&ranks);
	place(&ranks, items, chunk->items, chunk->count);
	place(&ranks, items, chunk->arrivals, chunk->arrival_count);
	free(chunk->items);
	free(chunk->arrivals);
	chunk->items = items;
	chunk->alloc = alloc;
	chunk->count += chunk->arrival_count;
	chunk->arrivals = NULL;
	return 1;
}

/* ---------------------------------------------------------------- a run out of order */

#define LATE 64 /* arrivals that a run may have come behind of */

void chunk__put_in_order(struct chunk *chunk, uint32_t count)
{
	struct object run[LATE], *arrivals = chunk->arrivals;
	const uint32_t before = chunk->arrival_count - count;
	uint32_t at = before;

	if (chunk->unsorted || count > LATE) {
		chunk->unsorted = true;
		return;
	}
	while (at > 0 && before - at < LATE && arrivals[at - 1].offset >= arrivals[before].offset)
		at--;
	/* Not in between two of them, nor behind too many. */
	if ((at > 0 && arrivals[at - 1].offset >= arrivals[before].offset) ||
	    arrivals[chunk->arrival_count - 1].offset >= arrivals[at].offset) {
		chunk->unsorted = true;
		return;
	}
	memcpy(run, &arrivals[before], count * sizeof(*run));
	memmove(&arrivals[at + count], &arrivals[at], (before - at) * sizeof(*run));
	memcpy(&arrivals[at], run, count * sizeof(*run));
}

int object__by_offset(const void *a, const void *b)
{
	const struct object *left = a, *right = b;

	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* The arrivals become the items, in the memory that they have. */
static void adopt(struct chunk *chunk)
{
	const bool is_wasteful =
		chunk->arrival_alloc - chunk->arrival_count > chunk->arrival_count / 16;

	free(chunk->items);
	chunk->items = chunk->arrivals;
	chunk->alloc = chunk->arrival_alloc;
	chunk->count = chunk->arrival_count;
	chunk->arrivals = NULL;
	if (is_wasteful)
		chunk__shrink(chunk, chunk->count);
}

/* From behind, so that each object is moved once. */
static int merge(struct chunk *chunk)
{
	uint32_t old = chunk->count, new_ = chunk->arrival_count, at = old + new_;
	struct object *items = realloc(chunk->items, (size_t)at * sizeof(*items));

	if (!items)
		return -ENOMEM;
	chunk->items = items;
	chunk->count = chunk->alloc = at;
	while (new_ > 0) {
		if (old > 0 && items[old - 1].offset > chunk->arrivals[new_ - 1].offset)
			items[--at] = items[--old];
		else
			items[--at] = chunk->arrivals[--new_];
	}
	free(chunk->arrivals);
	chunk->arrivals = NULL;
	return 0;
}

/* Arrivals that came out of order, or by the thousand. 1: they are in. */
static int merge_many(struct chunk *chunk)
{
	if (!chunk->unsorted && chunk->count == 0)
		return 0;
	return chunk->arrival_count > FEW ? merge_by_rank(chunk) : 0;
}

static int merge_few(struct chunk *chunk)
{
	if (chunk->unsorted)
		qsort(chunk->arrivals, chunk->arrival_count, sizeof(struct object),
		      object__by_offset);
	if (chunk->count > 0)
		return merge(chunk);
	adopt(chunk);
	return 0;
}

int chunk__merge(struct chunk *chunk, bool *may_share)
{
	int done = merge_many(chunk);

	*may_share = done == 0 && (chunk->unsorted || chunk->count > 0);
	if (done == 0)
		done = merge_few(chunk);
	chunk->arrival_count = chunk->arrival_alloc = 0;
	chunk->unsorted = false;
	return done < 0 ? done : 0;
}
