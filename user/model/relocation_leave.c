/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking out what moves, and noting what stays: one pass over ranges and chunks. */
#include <errno.h>
#include <string.h>

#include "relocation_private.h"

static inline uint16_t one_more(uint16_t count)
{
	return count < OBJECT_COUNT_MOST ? count + 1 : count;
}

/* A range has it: what was condemned has survived. */
static inline void cover(struct object *object, unsigned int slot, bool last)
{
	const enum object_state state = object__state(object, slot);

	if (state == OBJECT_CONDEMNED || state == OBJECT_PERHAPS) {
		object->age = one_more(object->age);
		object__set_state(object, slot, last ? OBJECT_UNTOUCHED : OBJECT_COVERED);
	}
}

/* Objects of one chunk, in one range, that go to one chunk, from and into one generation each. */
struct run {
	struct object *first;
	uint32_t count;
	uint64_t distance;
	uint64_t to; /* where the first one goes */
};

static uint32_t with_state(const struct object *objects, uint32_t count, unsigned int slot)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += object__state(&objects[i], slot) != OBJECT_UNTOUCHED;
	return sum;
}

/* Accounts of a chunk for objects that leave it (from) or have come to it. */
static void release(struct chunk *chunk, const struct object *objects, uint32_t count)
{
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		if (chunk->held[slot])
			chunk->held[slot] -= with_state(objects, count, slot);
}

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

static int move_run(struct relocation *r, struct chunk *from, const struct run *run, uint32_t guess)
{
	struct chunk *to = objects__need(r->objects, run->to >> CHUNK_SHIFT);
	struct object *arrivals;
	unsigned int states = 0;

	if (!to || chunk__reserve(to, run->count, to->count && to != from ? 16 : guess) ||
	    objects__touch(r->objects, to))
		return -ENOMEM;
	release(from, run->first, run->count);
	arrivals = to->arrivals + to->arrival_count;
	memcpy(arrivals, run->first, run->count * sizeof(*arrivals));
	for (uint32_t i = 0; i < run->count; i++) {
		struct object *object = &arrivals[i];

		cover(object, r->slot, r->last);
		object->offset = (uint16_t)(object->offset + run->distance);
		object->moves = one_more(object->moves);
		states |= object->flags & OBJECT_STATES;
	}
	to->unsorted |= to->arrival_count > 0 && arrivals[-1].offset >= arrivals[0].offset;
	to->arrival_count += run->count;
	return states ? hold(r, to, arrivals, run->count) : 0;
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
	struct place source = places__at(r->before, from), target = places__at(r->after, to);
	uint64_t left = CHUNK_BYTES - (to & (CHUNK_BYTES - 1));

	survivors->from = source.generation;
	survivors->to = target.generation;
	span = left < span ? left : span;
	span = source.end - from < span ? source.end - from : span;
	return target.end - to < span ? target.end - to : span;
}

/* Objects of a chunk from `first` on that a range has. Returns how many were dealt with. */
static int take_run(struct relocation *r, struct chunk *chunk, uint32_t first,
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
		return move_run(r, chunk, &run, chunk->count);
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

/* Take out what moves; *at: the first range that does not end before the chunk. */
static int pass_chunk(struct relocation *r, const struct phase *phase, struct chunk *chunk,
		      size_t *at)
{
	const uint64_t base = chunk->number << CHUNK_SHIFT;
	const struct range *ranges = phase->ranges;
	uint32_t i = 0, kept = 0, next;
	uint64_t address;

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
		if (take_run(r, chunk, i, &ranges[*at], &next))
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

int phase__take_out(struct relocation *r, const struct phase *phase)
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
