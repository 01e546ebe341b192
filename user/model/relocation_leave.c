/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking out what moves, and noting what stays: one pass over ranges and chunks. */
#include <errno.h>
#include <string.h>

#include "relocation_private.h"

/* Objects of one chunk, in one range, that go to one chunk, from and into one generation each. */
struct run {
	struct object *first;
	uint32_t count;
	uint64_t distance;
	uint64_t to; /* where the first one goes */
};

static inline uint16_t one_more(uint16_t count)
{
	return count + (count < OBJECT_COUNT_MOST);
}

/* A range has it: what was condemned has survived. */
static inline void cover(struct object *object, unsigned int slot, bool last)
{
	const unsigned int open = object__is_open(object, slot), state = 3 * open << (2 * slot);

	object->age += open & (object->age < OBJECT_COUNT_MOST);
	object->flags = (uint8_t)((object->flags & ~state) | (last ? 0 : state));
}
_Static_assert(OBJECT_UNTOUCHED == 0 && OBJECT_COVERED == 3, "cover() clears or sets both bits");

static uint32_t with_state(const struct object *objects, uint32_t count, unsigned int slot)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += object__state(&objects[i], slot) != OBJECT_UNTOUCHED;
	return sum;
}

/* The account of what has come to a chunk. */
static int hold(struct relocation *r, struct chunk *chunk, const struct object *objects,
		uint32_t count)
{
	uint32_t held;

	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++) {
		held = with_state(objects, count, slot);
		if (held && objects__hold(r->objects, chunk, slot, held))
			return -ENOMEM;
	}
	return 0;
}

/* That of what leaves one; it is counted here for the slots of others. */
static void release(const struct relocation *r, struct chunk *chunk, const struct run *run,
		    uint32_t held)
{
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		if (slot != r->slot && chunk->held[slot])
			chunk->held[slot] -= with_state(run->first, run->count, slot);
	chunk->held[r->slot] -= held;
}

/*
 * Copies them to where they will be sorted in. Returns how many had a state; *states: which ones
 * there are among them now.
 */
static uint32_t copy_run(const struct relocation *r, const struct run *run, struct object *arrivals,
			 unsigned int *states)
{
	const uint16_t distance = (uint16_t)run->distance;
	const unsigned int slot = r->slot;
	const bool last = r->last;
	unsigned int held = 0, after = 0;

	memcpy(arrivals, run->first, run->count * sizeof(*arrivals));
	for (uint32_t i = 0; i < run->count; i++) {
		struct object *object = &arrivals[i];

		held += object__state(object, slot) != OBJECT_UNTOUCHED;
		cover(object, slot, last);
		object->offset = (uint16_t)(object->offset + distance);
		object->moves = one_more(object->moves);
		after |= object->flags;
	}
	*states = after & OBJECT_STATES;
	return held;
}

/*
 * Room for how many, when something comes to a chunk for the first time? What leaves one chunk for
 * one other or two fills them. What scatters fills many, all of them slowly: were they given all
 * that they will need, there would be room for every object twice. So they get a half, and the rest
 * when as much was given back by those that were left.
 */
static uint32_t guess(struct phase *phase, const struct chunk *from, const struct chunk *to)
{
	if (to->arrival_alloc)
		return 0;
	if (to->count && to != from)
		return 16;
	return ++phase->opened > 2 ? from->count / 2 : from->count;
}

static int move_run(struct relocation *r, struct phase *phase, struct chunk *from,
		    const struct run *run)
{
	struct chunk *to = objects__need(r->objects, run->to >> CHUNK_SHIFT);
	struct object *arrivals;
	unsigned int states;

	if (!to || chunk__reserve(to, run->count, guess(phase, from, to)) ||
	    objects__touch(r->objects, to))
		return -ENOMEM;
	arrivals = to->arrivals + to->arrival_count;
	to->arrival_count += run->count;
	release(r, from, run, copy_run(r, run, arrivals, &states));
	if (states && hold(r, to, arrivals, run->count))
		return -ENOMEM;
	if (arrivals > to->arrivals && arrivals[-1].offset >= arrivals[0].offset)
		chunk__put_in_order(to, run->count);
	return 0;
}

static void keep_run(struct relocation *r, struct chunk *chunk, const struct run *run)
{
	if (chunk->held[r->slot])
		chunk->held[r->slot] -= with_state(run->first, run->count, r->slot);
	for (uint32_t i = 0; i < run->count; i++)
		cover(&run->first[i], r->slot, r->last);
	chunk->held[r->slot] += with_state(run->first, run->count, r->slot);
}

/* How far beyond its first object a run may go: `span` bytes at most. */
static uint64_t reach(struct relocation *r, struct survivors *survivors, uint64_t from, uint64_t to,
		      uint64_t span)
{
	struct generation_place source = generation_places__at(r->before, from),
				target = generation_places__at(r->after, to);
	uint64_t left = CHUNK_BYTES - (to & (CHUNK_BYTES - 1));

	survivors->from = source.generation;
	survivors->to = target.generation;
	span = left < span ? left : span;
	span = source.end - from < span ? source.end - from : span;
	return target.end - to < span ? target.end - to : span;
}

/* Objects of a chunk from `first` on that a range has. Returns how many were dealt with. */
static int take_run(struct relocation *r, struct phase *phase, struct chunk *chunk, uint32_t first,
		    const struct range *range, uint32_t *taken)
{
	uint64_t from = chunk__address(chunk, &chunk->items[first]);
	struct survivors survivors = { .first = &chunk->items[first], .slot = r->slot };
	struct run run = { .first = &chunk->items[first], .distance = range__distance(range),
			   .to = from + range__distance(range) };
	uint64_t end = chunk->items[first].offset + reach(r, &survivors, from, run.to,
							  range->old + range->length - from);
	uint32_t i = first + 1;

	while (i < chunk->count && chunk->items[i].offset < end)
		i++;
	*taken = run.count = survivors.count = i - first;
	survivors.moved = run.distance != 0;
	if (r->survived)
		r->survived(r->context, &survivors);
	if (run.distance != 0)
		return move_run(r, phase, chunk, &run);
	keep_run(r, chunk, &run);
	return 0;
}

static void keep(struct chunk *chunk, uint32_t *kept, uint32_t from, uint32_t to)
{
	if (*kept != from)
		memmove(&chunk->items[*kept], &chunk->items[from],
			(to - from) * sizeof(*chunk->items));
	*kept += to - from;
}

/* Index of the first object at or above an address, from `i` on. */
static uint32_t skip_to(const struct chunk *chunk, uint32_t i, uint64_t address)
{
	const uint64_t offset = address - (chunk->number << CHUNK_SHIFT);

	while (i < chunk->count && chunk->items[i].offset < offset)
		i++;
	return i;
}

#define AHEAD 8		  /* ranges whose objects are on their way */
#define LINE 64		  /* bytes of the cache's */
#define ARRIVING_BYTES 256 /* of a range's objects, where it begins to write */

/* Memory far from the last range's is slow to come: have it brought. */
static void bring(struct relocation *r, const struct range *range)
{
	const struct chunk *to = objects__find(r->objects, range->new_ >> CHUNK_SHIFT);
	uintptr_t at;

	if (!to || !to->arrivals || range__distance(range) == 0)
		return;
	at = (uintptr_t)(to->arrivals + to->arrival_count);
	for (unsigned int i = 0; i < ARRIVING_BYTES; i += LINE)
		__builtin_prefetch((const void *)(at + i), 1);
}

/* Take out what moves; *at: the first range that does not end before the chunk. */
static int pass_chunk(struct relocation *r, struct phase *phase, struct chunk *chunk, size_t *at)
{
	const uint64_t base = chunk->number << CHUNK_SHIFT;
	const struct range *ranges = phase->ranges;
	uint32_t i = 0, kept = 0, next;
	uint64_t address;

	phase->opened = 0;
	if (ranges[*at].old > base)
		i = kept = chunk__index(chunk, ranges[*at].old - base);
	while (i < chunk->count) {
		address = base + chunk->items[i].offset;
		while (*at < phase->count && ranges[*at].old + ranges[*at].length <= address)
			(*at)++;
		if (*at == phase->count || ranges[*at].old > base + CHUNK_BYTES - 1)
			break;
		if (ranges[*at].old > address) {
			next = skip_to(chunk, i, ranges[*at].old);
			keep(chunk, &kept, i, next);
			i = next;
			continue;
		}
		if (*at + AHEAD < phase->count)
			bring(r, &ranges[*at + AHEAD]);
		if (take_run(r, phase, chunk, i, &ranges[*at], &next))
			return -ENOMEM;
		if (range__distance(&ranges[*at]) == 0)
			keep(chunk, &kept, i, i + next);
		i += next;
	}
	keep(chunk, &kept, i, chunk->count);
	if (kept < chunk->count)
		chunk__shrink(chunk, kept);
	return 0;
}

int phase__take_out(struct relocation *r, struct phase *phase)
{
	struct objects *objects = r->objects;
	size_t i = 0, at = 0;

	while (at < phase->count) {
		const struct range *range = &phase->ranges[at];
		struct chunk *chunk;

		i = objects__index(objects, i, range->old >> CHUNK_SHIFT);
		if (i == objects->sorted.count)
			break;
		chunk = objects->sorted.items[i];
		if (chunk->number > (range->old + range->length - 1) >> CHUNK_SHIFT) {
			at++;
			continue;
		}
		if (pass_chunk(r, phase, chunk, &at))
			return -ENOMEM;
		i++;
	}
	return 0;
}
