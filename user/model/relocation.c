/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a collection is applied.
 *
 * A collector tells ranges: [old, old + length) lies at new now (spec S3), or lives where it is
 * (S4, which is old == new). It tells them while it works, from several threads, in any order.
 * Three questions decide whether a table of objects stays right over millions of them.
 *
 * WHEN. A range holds once the world that it was told in goes on, never before: until then the
 * object may be in both places or in none. So the unit is the transaction. Moves are applied at the
 * end of the pause that they were told in, deaths at the end of the collection. For one that stops
 * the world these are the same moment; a concurrent one ends many pauses later:
 *
 *	old collection   [ start ]................................[ finish ]
 *	young ones                  [ A ]       [ B ]      [ C ]
 *	                 condemned: what lies in                  dead: what was condemned
 *	                 the old generation NOW                   and is in no range
 *
 * What A, B and C promote in the meantime lies in the old generation too when it finishes, and
 * most collectors do not report it: it was born black, so to say. Absence from the ranges kills
 * only what was condemned, and that is a property of the object at the start, not of where it lies
 * at the end. So it is a mark on the object (enum object_state), it moves along with it, and
 * collections that overlap have a mark each.
 *
 * AT ONCE, OR ONE AFTER THE OTHER. Sliding compaction moves B onto where A was, while A moves away:
 *
 *	old   | A | . | B | C |         ranges  A -> A'   B -> A   C -> B
 *	new   | B | C |                 any order of the three gives the same, or else
 *	                                B -> A, A -> A' would take B along twice
 *
 * In a phase all ranges speak of the addresses before it, so nothing may be looked up in what it
 * made. We take the moving objects out of their chunks in one pass over the ranges, sorted by old
 * address, and put them aside where they go (chunk.arrivals); only when the pass is over do they
 * get in among what stayed there (objects__settle()). A chunk's memory is released as it is left,
 * so what is condemned is never there twice. Chains a -> b -> c exist between phases only: the next
 * one starts from the table that this one made.
 *
 * IS IT TRUE. A range is believed unless it contradicts something:
 *
 *   - told twice, or overlapping another one that moves by the same distance: no contradiction
 *   - overlapping another one that goes elsewhere: neither is believed, nor what overlaps them;
 *     what they cover is withdrawn
 *   - it wraps around, or begins in the heap and ends outside: what it covers and no other range
 *     does is withdrawn. (Left out as if it had not come, it would make its objects dead.)
 *   - it moves onto an object R that stays. If R is condemned and not yet in a range, R is dead: a
 *     compaction fills the space of the dead. If another collection, which still runs, has
 *     condemned R, it is dead as well: a concurrent sweep gives free what it has found, and a young
 *     collection promotes into it, long before the sweep is over and tells. Else R lives and the
 *     range is wrong, or R died unseen and the range is right: R and whatever lands in the range's
 *     place are withdrawn.
 *   - two objects land at one address: both are withdrawn.
 *
 * Each of them is counted and the first of a kind is kept with its numbers. Objects that we do not
 * know move as well; most ranges carry some. So it is ranges, not objects, that are checked against
 * what they land on.
 *
 * AFTER A LOSS. When a part of a collection's reports may be missing, those that came are true, and
 * yet nothing follows from them: an object seen going from a to b in one phase may have gone from b
 * to c in a phase that was lost. Absence means nothing anyway. So all that the collection condemned
 * is withdrawn, and all else stands: relocation__withdraw(). Withdrawn is not dead: the next heap
 * dump finds these objects again, under new ids.
 *
 * Not guaranteed: a range told of an object of which no object is known, lost with nothing noticed
 * by any counter, cannot be told from a range that never was.
 *
 * Cost: sorting the ranges (radix, skipped if they are in order), one visit of each condemned
 * object to mark it, one of each survivor, one of each dead. What is not condemned is not visited.
 */
#include "relocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spans.h"

#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)
#define RADIX_FROM 256 /* fewer are sorted by qsort */
#define NEAR_CHUNKS 16 /* of a span that few, each is looked up by itself */

/* ---------------------------------------------------------------- whom it concerns */

/* Objects from..to-1 of a chunk get a state. */
static int mark(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to,
		enum object_state state)
{
	const unsigned int bits = (r->some ? OBJECT_PERHAPS : (unsigned int)state) << (2 * r->slot);

	if (from == to)
		return 0;
	for (uint32_t i = from; i < to; i++)
		chunk->items[i].flags |= bits;
	return objects__hold(r->objects, chunk, r->slot, to - from);
}

/* All objects from start up to and including `last`. */
static int mark_span(struct relocation *r, uint64_t start, uint64_t last, enum object_state state)
{
	struct objects *objects = r->objects;
	size_t i = objects__index(objects, 0, start >> CHUNK_SHIFT);

	for (; i < objects->sorted.count; i++) {
		struct chunk *chunk = objects->sorted.items[i];
		uint64_t base = chunk->number << CHUNK_SHIFT;
		uint32_t from, to = chunk->count;

		if (base > last)
			break;
		from = start > base ? chunk__index(chunk, start - base) : 0;
		if (last - base < CHUNK_BYTES - 1)
			to = chunk__index(chunk, last - base + 1);
		if (mark(r, chunk, from, to, state))
			return -ENOMEM;
	}
	return 0;
}

static int mark_place(struct relocation *r, const struct place *place, uint64_t mask)
{
	if (place->generation == PLACE_UNKNOWN)
		return mark_span(r, place->start, place->end - 1, OBJECT_PERHAPS);
	if (generation__is_in(mask, place->generation))
		return mark_span(r, place->start, place->end - 1, OBJECT_CONDEMNED);
	return 0;
}

int relocation__condemn(struct relocation *r, uint64_t mask)
{
	const struct places *places = r->before;
	uint64_t at = 0;

	if (objects__sort(r->objects))
		return -ENOMEM;
	if (mask == UINT64_MAX)
		return mark_span(r, 0, UINT64_MAX, OBJECT_CONDEMNED);
	if (!places->taken)
		return mark_span(r, 0, UINT64_MAX, OBJECT_PERHAPS);
	for (size_t i = 0; i < places->of.count; i++) {
		const struct place *place = &places->of.items[i];

		if (place->start > at && mark_span(r, at, place->start - 1, OBJECT_PERHAPS))
			return -ENOMEM;
		if (mark_place(r, place, mask))
			return -ENOMEM;
		at = place->end;
	}
	return mark_span(r, at, UINT64_MAX, OBJECT_PERHAPS);
}

/* ---------------------------------------------------------------- ranges in order */

static int by_old(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	if (left->old != right->old)
		return left->old < right->old ? -1 : 1;
	return left->length < right->length ? -1 : left->length > right->length;
}

static bool is_sorted(const struct range *ranges, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (ranges[i].old < ranges[i - 1].old)
			return false;
	return true;
}

static void distribute(const struct range *from, struct range *to, size_t count, uint64_t low,
		       unsigned int shift)
{
	size_t starts[RADIX_SIZE] = { 0 }, at = 0;

	for (size_t i = 0; i < count; i++)
		starts[(from[i].old - low) >> shift & (RADIX_SIZE - 1)]++;
	for (size_t i = 0; i < RADIX_SIZE; i++) {
		size_t in = starts[i];

		starts[i] = at;
		at += in;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[(from[i].old - low) >> shift & (RADIX_SIZE - 1)]++] = from[i];
}

static int sort_ranges(struct range *ranges, size_t count)
{
	uint64_t low = UINT64_MAX, high = 0;
	struct range *spare, *from = ranges, *to, *swap;

	if (is_sorted(ranges, count))
		return 0;
	if (count < RADIX_FROM) {
		qsort(ranges, count, sizeof(*ranges), by_old);
		return 0;
	}
	spare = to = malloc(count * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		low = ranges[i].old < low ? ranges[i].old : low;
		high = ranges[i].old > high ? ranges[i].old : high;
	}
	for (unsigned int shift = 0; shift < 64 && (high - low) >> shift; shift += RADIX_BITS) {
		distribute(from, to, count, low, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != ranges)
		memcpy(ranges, from, count * sizeof(*ranges));
	free(spare);
	return 0;
}

/* ---------------------------------------------------------------- ranges that make sense */

/* What a phase works with: ranges, sorted and disjoint, and what the others cover. */
struct phase {
	struct range *ranges;
	size_t count;
	struct spans broken;
	struct spans blamed; /* where nothing that lands is to be trusted */
};

static void note_odd(struct relocation *r, enum relocation_oddity kind, const struct range *range)
{
	if (r->odd.counts[kind]++ == 0 && range)
		r->odd.first[kind] = *range;
}

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

	return places__overrun(r->before, range->old, old_end) ||
	       (places__overrun(r->after, range->new_, new_end) &&
		places__overrun(r->before, range->new_, new_end));
}

/* True: it can be taken for itself. */
static bool makes_sense(struct relocation *r, struct phase *phase, const struct range *range,
			bool *no_memory)
{
	enum relocation_oddity kind;
	uint64_t end;

	if (range->length == 0) {
		note_odd(r, ODD_EMPTY, range);
		return false;
	}
	if (__builtin_add_overflow(range->old, range->length, &end) ||
	    __builtin_add_overflow(range->new_, range->length, &end))
		kind = ODD_WRAPPED;
	else if (overruns(r, range))
		kind = ODD_OVERRUN;
	else
		return true;
	note_odd(r, kind, range);
	*no_memory |= !add_span(&phase->broken, range->old, range->length);
	return false;
}

static int sift(struct relocation *r, struct phase *phase)
{
	bool no_memory = false;
	size_t kept = 0;

	for (size_t i = 0; i < phase->count; i++)
		if (makes_sense(r, phase, &phase->ranges[i], &no_memory))
			phase->ranges[kept++] = phase->ranges[i];
	phase->count = kept;
	return no_memory ? -ENOMEM : 0;
}

static uint64_t distance(const struct range *range)
{
	return range->new_ - range->old;
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
		agree &= distance(&phase->ranges[i]) == distance(&first);
	if (agree) {
		r->odd.repeated += to - from - 1;
		first.length = end - first.old;
		phase->ranges[at] = first;
		return at + 1;
	}
	for (size_t i = from; i < to; i++)
		note_odd(r, ODD_CONTRADICTORY, &phase->ranges[i]);
	/* Cannot fail quietly: an overflowed set breaks everything (withdraw_broken()). */
	spans__add(&phase->broken, first.old, end);
	return at;
}

static void untangle(struct relocation *r, struct phase *phase)
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
	size_t low = 0, high = phase->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (phase->ranges[middle].old <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address - phase->ranges[low - 1].old < phase->ranges[low - 1].length;
}

/* It leaves, and is taken out when the phase is settled. */
static int hit(struct relocation *r, struct chunk *chunk, struct object *object,
	       enum object_fate fate)
{
	if (object->flags & OBJECT_HIT)
		return 0;
	objects__leave(r->objects, chunk, object, fate);
	object->flags |= OBJECT_HIT;
	chunk->hit = true;
	return objects__touch(r->objects, chunk);
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
		    hit(r, chunk, object, OBJECT_WITHDRAWN))
			return -ENOMEM;
	}
	return 0;
}

/* What only broken ranges cover. */
static int withdraw_broken(struct relocation *r, struct phase *phase)
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

/* ---------------------------------------------------------------- taking out what moves */

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
	struct run run = { .first = &chunk->items[first], .distance = distance(range),
			   .to = from + distance(range) };
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
		if (distance(&ranges[*at]) == 0)
			keep(chunk, &kept, i, i + next);
		i += next;
	}
	keep(chunk, &kept, i, chunk->count);
	if (kept < chunk->count)
		chunk__shrink(chunk, kept);
	return 0;
}

static int take_out(struct relocation *r, const struct phase *phase)
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

/* ---------------------------------------------------------------- landing */

static bool is_condemned_elsewhere(const struct object *object, enum object_state state)
{
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		if (object__state(object, slot) == state)
			return true;
	return false;
}

/* Something moves onto an object. *live: it should not. */
static int land_on(struct relocation *r, struct chunk *chunk, struct object *object, bool *live)
{
	const enum object_state state = object__state(object, r->slot);

	if (state == OBJECT_CONDEMNED)
		return hit(r, chunk, object, OBJECT_DEAD);
	if (state == OBJECT_PERHAPS)
		return hit(r, chunk, object, OBJECT_WITHDRAWN);
	if (state == OBJECT_UNTOUCHED && is_condemned_elsewhere(object, OBJECT_CONDEMNED))
		return hit(r, chunk, object, OBJECT_DEAD);
	if (state == OBJECT_UNTOUCHED && is_condemned_elsewhere(object, OBJECT_PERHAPS))
		return hit(r, chunk, object, OBJECT_WITHDRAWN);
	*live = true;
	return hit(r, chunk, object, OBJECT_WITHDRAWN);
}

static int land_in(struct relocation *r, struct chunk *chunk, const struct range *range, bool *live)
{
	uint64_t base = chunk->number << CHUNK_SHIFT, last = range->new_ + range->length - 1;
	uint32_t i;

	if (chunk->count == 0)
		return 0;
	i = range->new_ > base ? chunk__index(chunk, range->new_ - base) : 0;
	for (; i < chunk->count && base + chunk->items[i].offset <= last; i++)
		if (land_on(r, chunk, &chunk->items[i], live))
			return -ENOMEM;
	return 0;
}

static int land(struct relocation *r, const struct range *range, bool *live)
{
	uint64_t first = range->new_ >> CHUNK_SHIFT;
	uint64_t last = (range->new_ + range->length - 1) >> CHUNK_SHIFT;
	struct objects *objects = r->objects;
	struct chunk *chunk;

	if (last - first < NEAR_CHUNKS) {
		for (uint64_t number = first; number <= last; number++) {
			chunk = objects__find(objects, number);
			if (chunk && land_in(r, chunk, range, live))
				return -ENOMEM;
		}
		return 0;
	}
	for (size_t i = objects__index(objects, 0, first); i < objects->sorted.count; i++) {
		chunk = objects->sorted.items[i];
		if (chunk->number > last)
			break;
		if (land_in(r, chunk, range, live))
			return -ENOMEM;
	}
	return 0;
}

static bool is_in_spans(const struct spans *sealed, uint64_t address)
{
	size_t low = 0, high = sealed->of.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sealed->of.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < sealed->of.items[low - 1].end;
}

/* Whatever landed where a range was wrong. */
static int withdraw_blamed(struct relocation *r, struct phase *phase)
{
	struct objects *objects = r->objects;

	if (phase->blamed.overflowed)
		return -ENOMEM;
	spans__seal(&phase->blamed);
	for (size_t i = 0; i < objects->touched.count; i++) {
		struct chunk *chunk = objects->touched.items[i];

		for (uint32_t j = 0; j < chunk->arrival_count; j++) {
			struct object *object = &chunk->arrivals[j];

			if (is_in_spans(&phase->blamed, chunk__address(chunk, object)) &&
			    hit(r, chunk, object, OBJECT_WITHDRAWN))
				return -ENOMEM;
		}
	}
	return 0;
}

static int land_all(struct relocation *r, struct phase *phase)
{
	for (size_t i = 0; i < phase->count; i++) {
		const struct range *range = &phase->ranges[i];
		bool live = false;

		if (distance(range) == 0)
			continue;
		if (land(r, range, &live))
			return -ENOMEM;
		if (!live)
			continue;
		note_odd(r, ODD_ONTO_LIVE, range);
		if (!spans__add(&phase->blamed, range->new_, range->new_ + range->length))
			return -ENOMEM;
	}
	return phase->blamed.of.count ? withdraw_blamed(r, phase) : 0;
}

/* ---------------------------------------------------------------- the whole */

int relocation__phase(struct relocation *r, struct range *ranges, size_t count)
{
	struct phase phase = { .ranges = ranges, .count = count,
			       .broken = { .limit = SIZE_MAX }, .blamed = { .limit = SIZE_MAX } };
	int err = objects__sort(r->objects);

	if (!err)
		err = sift(r, &phase);
	if (!err)
		err = sort_ranges(phase.ranges, phase.count);
	if (!err) {
		untangle(r, &phase);
		err = withdraw_broken(r, &phase);
	}
	if (!err && r->phase)
		err = r->phase(r->context, phase.ranges, phase.count);
	if (!err)
		err = take_out(r, &phase);
	if (!err)
		err = land_all(r, &phase);
	if (!err)
		err = objects__settle(r->objects, &r->odd.counts[ODD_CLASH]);
	spans__free(&phase.broken);
	spans__free(&phase.blamed);
	return err;
}

static enum object_fate fate_of(enum object_state state, bool known)
{
	return known && state == OBJECT_CONDEMNED ? OBJECT_DEAD : OBJECT_WITHDRAWN;
}

/* `known`: what is in no range is dead, what is in one lives. Else nothing is known of any. */
static void end_chunk(struct relocation *r, struct chunk *chunk, bool known)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < chunk->count && chunk->held[r->slot]; i++) {
		struct object *object = &chunk->items[i];
		enum object_state state = object__state(object, r->slot);

		if (state == OBJECT_UNTOUCHED || (known && state == OBJECT_COVERED)) {
			chunk->held[r->slot] -= state != OBJECT_UNTOUCHED;
			object__set_state(object, r->slot, OBJECT_UNTOUCHED);
			continue;
		}
		objects__leave(r->objects, chunk, object, fate_of(state, known));
		object->flags |= OBJECT_HIT;
	}
	for (uint32_t i = 0; i < chunk->count; i++)
		if (!(chunk->items[i].flags & OBJECT_HIT))
			chunk->items[kept++] = chunk->items[i];
	chunk__shrink(chunk, kept);
}

static int end(struct relocation *r, bool known)
{
	struct chunks *held = &r->objects->held[r->slot];

	for (size_t i = 0; i < held->count; i++) {
		if (held->items[i]->held[r->slot])
			end_chunk(r, held->items[i], known);
		held->items[i]->listed[r->slot] = false;
	}
	vec__reset(held);
	objects__trim(r->objects);
	return 0;
}

int relocation__bury(struct relocation *r)
{
	return end(r, true);
}

int relocation__withdraw(struct relocation *r)
{
	return end(r, false);
}

int relocation__withdraw_all(struct objects *objects)
{
	int err = objects__sort(objects);

	for (size_t i = 0; i < objects->sorted.count; i++) {
		struct chunk *chunk = objects->sorted.items[i];

		for (uint32_t j = 0; j < chunk->count; j++)
			objects__leave(objects, chunk, &chunk->items[j], OBJECT_WITHDRAWN);
		chunk__shrink(chunk, 0);
	}
	return err;
}
