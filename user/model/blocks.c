/* SPDX-License-Identifier: BSD-2-Clause */
#include "blocks.h"

#include <errno.h>
#include <string.h>

#include "relocation.h"

static void add(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = EVENT_UNKNOWN;
}

/* NULL: no memory. Valid until the next one is asked for. */
static struct blocks_generation *generation_of(struct blocks *blocks, uint64_t generation)
{
	struct blocks_generation *items = blocks->generations.items;

	if (blocks->found < blocks->generations.count &&
	    items[blocks->found].generation == generation)
		return &items[blocks->found];
	for (size_t i = 0; i < blocks->generations.count; i++)
		if (items[i].generation == generation)
			return &items[blocks->found = i];
	if (vec__push(&blocks->generations,
		      (struct blocks_generation){ .generation = generation,
						  .spanned = EVENT_UNKNOWN }))
		return NULL;
	blocks->found = blocks->generations.count - 1;
	return &blocks->generations.items[blocks->found];
}

int blocks__spanned(struct blocks *blocks, uint64_t generation, uint64_t bytes)
{
	struct blocks_generation *of = generation_of(blocks, generation);

	if (!of)
		return -ENOMEM;
	if (of->spanned == EVENT_UNKNOWN)
		of->spanned = 0;
	add(&of->spanned, bytes);
	return 0;
}

/* ---------------------------------------------------------------- a phase */

static int push(struct block_list *list, uint64_t start, uint64_t end, uint64_t from)
{
	struct block *last = list->count > 0 ? &list->items[list->count - 1] : NULL;

	if (last && last->end == start && last->from == from) {
		last->end = end;
		return 0;
	}
	return vec__push(list, (struct block){ start, end, from });
}

static void note_distance(struct blocks *blocks, uint64_t old, uint64_t new_, uint64_t bytes)
{
	uint64_t far = new_ < old ? old - new_ : new_ - old;

	add(&blocks->distances[63 - __builtin_clzll(far)], bytes);
	if (new_ < old)
		add(&blocks->down, bytes);
	if (far > blocks->farthest)
		blocks->farthest = far;
}

/* Of a block in one place, how many bytes go down and stay in it. */
static uint64_t sliding(const struct generation_place *place, uint64_t start, uint64_t to,
			uint64_t bytes)
{
	uint64_t outside = to < place->start ? place->start - to : 0;

	if (place->generation == GENERATION_UNKNOWN || to >= start || outside >= bytes)
		return 0;
	return bytes - outside;
}

/* [start, end) of a range, in one generation; `again`: it lived already, as a block. */
static int take(struct blocks *blocks, const struct range *range, uint64_t start, uint64_t end,
		const struct block *again, struct generation_places *before)
{
	struct generation_place place = generation_places__at(before, start);
	uint64_t to = range->new_ + (start - range->old), bytes = end - start;
	struct blocks_generation *of =
		generation_of(blocks, again ? again->from : place.generation);

	if (!of)
		return -ENOMEM;
	if (!again)
		add(&of->survived, bytes);
	if (to == start) {
		if (!again)
			add(&of->stayed, bytes);
	} else {
		add(&of->moved, bytes);
		note_distance(blocks, start, to, bytes);
		add(&of->slid, sliding(&place, start, to, bytes));
	}
	return push(&blocks->landed, to, to + bytes, of->generation);
}

/* The same, cut where generations end. */
static int take_all(struct blocks *blocks, const struct range *range, uint64_t start, uint64_t end,
		    const struct block *again, struct generation_places *before)
{
	int err = 0;

	while (start < end && !err) {
		uint64_t cut = generation_places__at(before, start).end;

		cut = cut < end ? cut : end;
		err = take(blocks, range, start, cut, again, before);
		start = cut;
	}
	return err;
}

/* One range, over the blocks that live; *at: the one it may begin in, cut as far as it is used. */
static int leave(struct blocks *blocks, const struct range *range, size_t *at,
		 struct generation_places *before)
{
	uint64_t start = range->old, end = range->old + range->length, next;
	int err = 0;

	while (start < end && !err) {
		struct block *live = *at < blocks->live.count ? &blocks->live.items[*at] : NULL;

		if (live && live->end <= start) {
			err = push(&blocks->spare, live->start, live->end, live->from);
			(*at)++;
			continue;
		}
		if (!live || live->start > start) {
			next = live && live->start < end ? live->start : end;
			err = take_all(blocks, range, start, next, NULL, before);
			start = next;
			continue;
		}
		if (live->start < start)
			err = push(&blocks->spare, live->start, start, live->from);
		next = live->end < end ? live->end : end;
		if (!err)
			err = take_all(blocks, range, start, next, live, before);
		live->start = start = next;
		*at += live->start == live->end;
	}
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct block *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static void sort_landed(struct block_list *landed)
{
	for (size_t i = 1; i < landed->count; i++) {
		if (landed->items[i].start < landed->items[i - 1].start) {
			vec__sort(landed, by_start);
			return;
		}
	}
}

/* What overlaps is there once. */
static int land(struct blocks *blocks, const struct block *block)
{
	const struct block_list *live = &blocks->live;
	uint64_t taken = live->count > 0 ? live->items[live->count - 1].end : 0;
	uint64_t start = block->start;

	if (start < taken) {
		blocks->clashes++;
		start = taken;
	}
	return start < block->end ? push(&blocks->live, start, block->end, block->from) : 0;
}

/* What stayed and what has landed become what lives. */
static int settle(struct blocks *blocks)
{
	const struct block_list *kept = &blocks->spare, *landed = &blocks->landed;
	size_t i = 0, j = 0;
	int err = 0;

	vec__reset(&blocks->live);
	while ((i < kept->count || j < landed->count) && !err) {
		bool first = j == landed->count || (i < kept->count &&
						    kept->items[i].start <= landed->items[j].start);

		err = land(blocks, first ? &kept->items[i++] : &landed->items[j++]);
	}
	vec__reset(&blocks->spare);
	vec__reset(&blocks->landed);
	return err;
}

int blocks__phase(struct blocks *blocks, const struct range *ranges, size_t count,
		  struct generation_places *before)
{
	size_t at = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = leave(blocks, &ranges[i], &at, before);
	for (; at < blocks->live.count && !err; at++) {
		const struct block *live = &blocks->live.items[at];

		err = push(&blocks->spare, live->start, live->end, live->from);
	}
	if (err)
		return err;
	sort_landed(&blocks->landed);
	return settle(blocks);
}

/* ---------------------------------------------------------------- the end */

static int note_hole(struct blocks *blocks, uint64_t generation, uint64_t bytes)
{
	struct blocks_generation *in = generation_of(blocks, generation);

	if (!in)
		return -ENOMEM;
	in->holes++;
	add(&in->hole_bytes, bytes);
	if (bytes > in->largest_hole)
		in->largest_hole = bytes;
	return 0;
}

/* All of these lie in one place; *last: where the one before ended. */
static int look_at(struct blocks *blocks, const struct blocks_end *end, const struct block *piece,
		   const struct generation_place *place, uint64_t *last)
{
	bool told = end->stopped && place->generation != GENERATION_UNKNOWN &&
		    generation__is_in(end->mask, place->generation);
	struct blocks_generation *of = generation_of(blocks, piece->from);
	uint64_t before = *last;

	*last = piece->end;
	if (!of)
		return -ENOMEM;
	if (piece->from != GENERATION_UNKNOWN && place->generation != GENERATION_UNKNOWN &&
	    place->generation > piece->from)
		add(&of->promoted, piece->end - piece->start);
	if (told && before > place->start && before < piece->start &&
	    !generation_places__has_seam(end->after, before, piece->start))
		return note_hole(blocks, place->generation, piece->start - before);
	return 0;
}

static void judge(struct blocks_generation *of, const struct blocks_end *end)
{
	of->holes_known = end->stopped && end->after->taken &&
			  of->generation != GENERATION_UNKNOWN &&
			  generation__is_in(end->mask, of->generation);
}

int blocks__conclude(struct blocks *blocks, const struct blocks_end *end)
{
	uint64_t last = 0;

	for (size_t i = 0; i < blocks->live.count; i++) {
		struct block piece = blocks->live.items[i];
		const uint64_t whole = piece.end;

		while (piece.start < whole) {
			struct generation_place place =
				generation_places__at(end->after, piece.start);

			piece.end = place.end < whole ? place.end : whole;
			if (look_at(blocks, end, &piece, &place, &last))
				return -ENOMEM;
			piece.start = piece.end;
		}
	}
	for (size_t i = 0; i < blocks->generations.count; i++)
		judge(&blocks->generations.items[i], end);
	return 0;
}

struct blocks_sums blocks__sums(const struct blocks *blocks)
{
	struct blocks_sums sums = { 0 };

	for (size_t i = 0; i < blocks->generations.count; i++) {
		const struct blocks_generation *of = &blocks->generations.items[i];

		add(&sums.survived, of->survived);
		add(&sums.moved, of->moved);
		add(&sums.stayed, of->stayed);
		add(&sums.slid, of->slid);
	}
	return sums;
}

uint64_t blocks__median_below(const struct blocks *blocks)
{
	uint64_t all = 0, sum = 0;

	for (unsigned int i = 0; i < BLOCKS_DISTANCES; i++)
		add(&all, blocks->distances[i]);
	if (all == 0)
		return 0;
	for (unsigned int i = 0; i < BLOCKS_DISTANCES - 1; i++) {
		add(&sum, blocks->distances[i]);
		if (sum >= all - all / 2)
			return UINT64_C(2) << i;
	}
	return EVENT_UNKNOWN;
}

int blocks__copy_figures(struct blocks *to, const struct blocks *from)
{
	if (vec__reserve(&to->generations, from->generations.count))
		return -ENOMEM;
	for (size_t i = 0; i < from->generations.count; i++)
		to->generations.items[i] = from->generations.items[i];
	to->generations.count = from->generations.count;
	memcpy(to->distances, from->distances, sizeof(to->distances));
	to->down = from->down;
	to->farthest = from->farthest;
	to->clashes = from->clashes;
	return 0;
}

void blocks__free(struct blocks *blocks)
{
	vec__free(&blocks->live);
	vec__free(&blocks->spare);
	vec__free(&blocks->landed);
	vec__free(&blocks->generations);
}
