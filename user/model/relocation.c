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
 * ROOM THAT IS GIVEN AWAY. A concurrent sweep gives room to new objects before it has told whose it
 * was. Where a collection promotes into it, that shows by its ranges (above). Two things do not:
 *
 *   - The program itself allocates there. The producer says where and when that begins
 *     (EVENT_REUSE), and what lies there is withdrawn: relocation__forget(). That may begin before
 *     it: where two of the dead were neighbours, and the first new object is somewhat longer than
 *     what it takes the place of, the second begins inside of what lay there, with a gap before it.
 *   - A region that was found empty becomes one of another generation. What it had been condemned
 *     for lies then where its collection does not collect. So when a collection of that generation
 *     condemns, such objects are withdrawn: what its ranges tell of that place is of others.
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
 * What time there is goes into memory, so objects are copied once where their order allows it: a
 * range that comes a little late is put in its place at once (chunk__put_in_order()), and arrivals
 * in order become the chunk as they are.
 */
#include "relocation.h"

#include <errno.h>

#include "ranges.h"
#include "relocation_private.h"

/* ---------------------------------------------------------------- whom it concerns */

/* What is done with objects from..to-1 of a chunk. */
typedef int objects_visitor(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to);

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

static int condemn(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to)
{
	return mark(r, chunk, from, to, OBJECT_CONDEMNED);
}

static int condemn_perhaps(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to)
{
	return mark(r, chunk, from, to, OBJECT_PERHAPS);
}

static int forget(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to)
{
	int err = 0;

	for (uint32_t i = from; i < to && !err; i++)
		err = relocation__hit(r, chunk, &chunk->items[i], OBJECT_WITHDRAWN);
	return err;
}

/* The same, of those that a collection in one of the slots `given_away` has condemned. */
static int forget_given_away(struct relocation *r, struct chunk *chunk, uint32_t from, uint32_t to)
{
	int err = 0;

	for (uint32_t i = from; i < to && !err; i++) {
		struct object *object = &chunk->items[i];
		bool is_given_away = false;

		for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
			is_given_away |= r->given_away >> slot & 1 &&
					 object__is_open(object, slot);
		if (is_given_away)
			err = relocation__hit(r, chunk, object, OBJECT_WITHDRAWN);
	}
	return err;
}

/* All objects from start up to and including `last`. */
static int visit_span(struct relocation *r, uint64_t start, uint64_t last, objects_visitor *visit)
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
		if (visit(r, chunk, from, to))
			return -ENOMEM;
	}
	return 0;
}

/* In which slots are collections that do not collect this generation? */
static unsigned int slots_without(const struct relocation *r, uint64_t generation)
{
	unsigned int slots = 0;

	for (unsigned int slot = 0; r->masks && slot < OBJECT_SLOTS; slot++)
		slots |= (unsigned int)!generation__is_in(r->masks[slot], generation) << slot;
	return slots;
}

static int condemn_place(struct relocation *r, const struct generation_place *place, uint64_t mask)
{
	const uint64_t last = place->end - 1;

	if (place->generation == GENERATION_UNKNOWN)
		return visit_span(r, place->start, last, condemn_perhaps);
	if (!generation__is_in(mask, place->generation))
		return 0;
	r->given_away = slots_without(r, place->generation);
	if (visit_span(r, place->start, last, condemn))
		return -ENOMEM;
	return r->given_away ? visit_span(r, place->start, last, forget_given_away) : 0;
}

static int condemn_places(struct relocation *r, uint64_t mask)
{
	const struct generation_places *places = r->before;
	uint64_t at = 0;

	for (size_t i = 0; i < places->of.count; i++) {
		const struct generation_place *place = &places->of.items[i];

		if (place->start > at && visit_span(r, at, place->start - 1, condemn_perhaps))
			return -ENOMEM;
		if (condemn_place(r, place, mask))
			return -ENOMEM;
		at = place->end;
	}
	return visit_span(r, at, UINT64_MAX, condemn_perhaps);
}

int relocation__condemn(struct relocation *r, uint64_t mask)
{
	if (objects__sort(r->objects))
		return -ENOMEM;
	if (mask == UINT64_MAX)
		return visit_span(r, 0, UINT64_MAX, condemn);
	if (!r->before->taken)
		return visit_span(r, 0, UINT64_MAX, condemn_perhaps);
	if (condemn_places(r, mask))
		return -ENOMEM;
	return objects__settle(r->objects, &r->odd.counts[ODD_CLASH]);
}

/* ---------------------------------------------------------------- what is not known any more */

/* What of the span lies in [start, end). */
static int forget_between(struct relocation *r, uint64_t start, uint64_t end,
			  const struct span *span)
{
	const uint64_t first = start > span->start ? start : span->start;
	const uint64_t last = (end < span->end ? end : span->end) - 1;

	return first <= last ? visit_span(r, first, last, forget) : 0;
}

/* The last object that begins before an address, and its chunk; NULL: there is none. */
static struct object *object_before(const struct objects *objects, uint64_t address,
				    struct chunk **chunk)
{
	const uint64_t number = address >> CHUNK_SHIFT;
	size_t i = objects__index(objects, 0, number);
	uint32_t count = 0;

	if (i < objects->sorted.count && objects->sorted.items[i]->number == number) {
		*chunk = objects->sorted.items[i];
		count = chunk__index(*chunk, address & (CHUNK_BYTES - 1));
	}
	while (!count && i > 0) {
		*chunk = objects->sorted.items[--i];
		count = (*chunk)->count;
	}
	return count ? &(*chunk)->items[count - 1] : NULL;
}

/* What begins before the span and reaches into it. Of what does not overlap, one can. */
static int forget_reaching(struct relocation *r, uint64_t mask, const struct span *span)
{
	struct chunk *chunk;
	struct object *object = object_before(r->objects, span->start, &chunk);
	struct generation_place place;
	uint64_t address;

	if (!object)
		return 0;
	address = chunk__address(chunk, object);
	if (objects__size(r->objects, object) <= span->start - address)
		return 0;
	place = generation_places__at(r->before, address);
	if (r->before->taken && place.generation != GENERATION_UNKNOWN &&
	    !generation__is_in(mask, place.generation))
		return 0;
	return relocation__hit(r, chunk, object, OBJECT_WITHDRAWN);
}

static int forget_in(struct relocation *r, uint64_t mask, const struct span *span)
{
	const struct generation_places *places = r->before;
	uint64_t at = 0;

	if (mask == UINT64_MAX || !places->taken)
		return visit_span(r, span->start, span->end - 1, forget);
	for (size_t i = 0; i < places->of.count; i++) {
		const struct generation_place *place = &places->of.items[i];

		if (place->generation == GENERATION_UNKNOWN ||
		    generation__is_in(mask, place->generation))
			continue;
		if (forget_between(r, at, place->start, span))
			return -ENOMEM;
		at = place->end;
	}
	return forget_between(r, at, UINT64_MAX, span);
}

int relocation__forget(struct relocation *r, uint64_t mask, const struct span *span)
{
	if (objects__sort(r->objects) || forget_reaching(r, mask, span) ||
	    forget_in(r, mask, span))
		return -ENOMEM;
	return objects__settle(r->objects, &r->odd.counts[ODD_CLASH]);
}

/* ---------------------------------------------------------------- a phase */

void relocation__note(struct relocation *r, enum relocation_oddity kind, const struct range *range)
{
	if (r->odd.counts[kind]++ == 0 && range)
		r->odd.first[kind] = *range;
}

int relocation__hit(struct relocation *r, struct chunk *chunk, struct object *object,
		    enum object_fate fate)
{
	if (object->flags & OBJECT_HIT)
		return 0;
	objects__leave(r->objects, chunk, object, fate);
	object->flags |= OBJECT_HIT;
	chunk->hit = true;
	return objects__touch(r->objects, chunk);
}

int relocation__phase(struct relocation *r, struct range *ranges, size_t count)
{
	struct phase phase = { .ranges = ranges, .count = count,
			       .broken = { .limit = SIZE_MAX }, .blamed = { .limit = SIZE_MAX } };
	int err = objects__sort(r->objects);

	if (!err)
		err = phase__sift(r, &phase);
	if (!err)
		err = ranges__sort(phase.ranges, phase.count);
	if (!err) {
		phase__untangle(r, &phase);
		err = phase__withdraw_broken(r, &phase);
	}
	if (!err && r->phase)
		err = r->phase(r->context, phase.ranges, phase.count);
	if (!err)
		err = phase__take_out(r, &phase);
	if (!err)
		err = phase__land(r, &phase);
	if (!err)
		err = objects__settle(r->objects, &r->odd.counts[ODD_CLASH]);
	spans__free(&phase.broken);
	spans__free(&phase.blamed);
	return err;
}

/* ---------------------------------------------------------------- the end */

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
