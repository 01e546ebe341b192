/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random tables and random ranges, sensible and not, against an oracle that goes object by object
 * and range by range. It knows the rules of relocation.c and none of its ways: no sorting, no
 * chunks, no merging, every question asked anew by looking at everything.
 *
 * SEEDS=n runs that many worlds instead of the fixed number (tests/soak).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/relocation.h"
#include "unit/random.h"

#ifdef __SANITIZE_ADDRESS__
#define WORLDS 12500
#else
#define WORLDS 100000
#endif
#define MOST 40
#define RANGES 24
#define BASE UINT64_C(0x7fff0000) /* so that some lie on both sides of a chunk's end */

struct thing {
	uint64_t id, at;
	unsigned int states[OBJECT_SLOTS];
	unsigned int age, moves;
	bool here;
	enum object_fate fate; /* where it is not */
	/* of the phase that is going on */
	bool moving, hit;
	uint64_t to;
};

struct world {
	struct objects objects;
	struct thing things[MOST];
	size_t count;
	enum object_fate fates[MOST + 1]; /* by id, as told */
	bool told[MOST + 1];
	struct generation_places before, after;
	bool last;
};

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

static bool chance(unsigned int percent)
{
	return random__chance(&seed, percent);
}

static void left(void *context, const struct object *object, uint64_t address,
		 enum object_fate fate)
{
	struct world *w = context;
	uint64_t id = object__id(object);

	(void)address;
	assert_true(id > 0 && id <= w->count);
	assert_false(w->told[id]);
	w->told[id] = true;
	w->fates[id] = fate;
}

/* ---------------------------------------------------------------- the world */

static struct thing *thing_at(struct world *w, uint64_t address)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->things[i].here && w->things[i].at == address)
			return &w->things[i];
	return NULL;
}

static void fill(struct world *w)
{
	uint64_t clashes = 0;

	while (w->count < MOST && !chance(4)) {
		const struct object_birth birth = { .address = BASE + 8 * any(16384),
						    .size = 8, .type = 1 };

		if (thing_at(w, birth.address))
			continue;
		assert_int_equal(objects__add(&w->objects, &birth), 0);
		w->things[w->count] = (struct thing){ .id = w->count + 1, .at = birth.address,
						      .here = true };
		w->count++;
	}
	assert_int_equal(objects__settle(&w->objects, &clashes), 0);
	assert_int_equal(clashes, 0);
}

/* Two generations, somewhere around the objects, or nothing is told. */
static void tell_places(struct world *w, struct generation_places *places)
{
	struct generations generations = { 0 };

	if (chance(30))
		return;
	assert_int_equal(generations__note(&generations, 1, false, 0, BASE, 8 * any(8192)), 0);
	assert_int_equal(generations__note(&generations, 1, false, 1, BASE + UINT64_C(65536),
					   8 * any(10000)), 0);
	assert_int_equal(generation_places__take(places, &generations), 0);
	generations__free(&generations);
	(void)w;
}

static void random_ranges(struct world *w, struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct range *range = &ranges[i];
		const struct thing *near = &w->things[any(w->count)];

		range->old = near->at - (chance(50) ? 0 : 8 * any(200));
		range->length = 8 * (1 + any(chance(20) ? 6000 : 60));
		range->new_ = BASE + 8 * any(16384);
		if (chance(25))
			range->new_ = range->old;
		if (chance(5))
			range->length = 0;
		if (chance(2))
			range->length = UINT64_MAX - any(1000);
		if (i > 0 && chance(15))
			*range = ranges[any(i)];
		if (i > 0 && chance(15)) {
			const struct range *other = &ranges[any(i)];

			range->new_ = range->old + (other->new_ - other->old);
		}
		if (chance(15))
			range->new_ = w->things[any(w->count)].at;
	}
}

/* ---------------------------------------------------------------- the oracle */

enum verdict { GOOD, NOTHING, BROKEN };

/* One after the other, does a place where something was told go on up to the end? */
static bool leaves_the_heap(const struct generation_places *places, uint64_t start, uint64_t end)
{
	bool begins = false, inside = true;

	for (size_t i = 0; i < places->of.count; i++)
		begins |= places->of.items[i].start <= start && start < places->of.items[i].end;
	for (uint64_t at = start; begins && at < end; at += 8) {
		bool in = false;

		for (size_t i = 0; i < places->of.count; i++)
			in |= places->of.items[i].start <= at && at < places->of.items[i].end;
		inside &= in;
		if (!in)
			break;
	}
	return begins && !inside;
}

static enum verdict judge_alone(const struct world *w, const struct range *range)
{
	if (range->length == 0)
		return NOTHING;
	if (range->old + range->length < range->old || range->new_ + range->length < range->new_)
		return BROKEN;
	if (leaves_the_heap(&w->before, range->old, range->old + range->length))
		return BROKEN;
	if (leaves_the_heap(&w->after, range->new_, range->new_ + range->length) &&
	    leaves_the_heap(&w->before, range->new_, range->new_ + range->length))
		return BROKEN;
	return GOOD;
}

static bool overlap(const struct range *a, const struct range *b)
{
	return a->old < b->old + b->length && b->old < a->old + a->length;
}

/* Families of ranges that hang together by overlaps: family[i] is the lowest index in it. */
static void find_families(const struct range *ranges, size_t count, const enum verdict *verdicts,
			  size_t *family)
{
	bool changed = true;

	for (size_t i = 0; i < count; i++)
		family[i] = i;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				if (verdicts[i] == GOOD && verdicts[j] == GOOD &&
				    overlap(&ranges[i], &ranges[j]) && family[j] < family[i]) {
					family[i] = family[j];
					changed = true;
				}
	}
}

static bool agrees(const struct range *ranges, size_t count, const enum verdict *verdicts,
		   const size_t *family, size_t i)
{
	for (size_t j = 0; j < count; j++)
		if (verdicts[j] != NOTHING && family[j] == family[i] &&
		    ranges[j].new_ - ranges[j].old != ranges[i].new_ - ranges[i].old)
			return false;
	return true;
}

static bool has(const struct range *range, uint64_t address)
{
	uint64_t end = range->old + range->length;

	end = end < range->old ? UINT64_MAX : end;
	return range->old <= address && address < end;
}

static void leave(struct thing *thing, enum object_fate fate)
{
	if (!thing->hit)
		thing->fate = fate;
	thing->hit = true;
}

static bool is_open(unsigned int state)
{
	return state == OBJECT_CONDEMNED || state == OBJECT_PERHAPS;
}

static void take_up(const struct world *w, struct thing *thing, const struct range *range)
{
	thing->to = thing->at - range->old + range->new_;
	thing->moving = thing->to != thing->at;
	thing->moves += thing->moving;
	if (is_open(thing->states[0])) {
		thing->age++;
		thing->states[0] = w->last ? OBJECT_UNTOUCHED : OBJECT_COVERED;
	}
}

/* A living thing that stays, and that a range moves something onto? */
static bool is_hit(struct thing *thing)
{
	unsigned int elsewhere = thing->states[1];

	if (thing->states[0] == OBJECT_CONDEMNED) {
		leave(thing, OBJECT_DEAD);
		return false;
	}
	if (thing->states[0] == OBJECT_PERHAPS) {
		leave(thing, OBJECT_WITHDRAWN);
		return false;
	}
	if (thing->states[0] == OBJECT_UNTOUCHED && is_open(elsewhere)) {
		leave(thing, elsewhere == OBJECT_CONDEMNED ? OBJECT_DEAD : OBJECT_WITHDRAWN);
		return false;
	}
	leave(thing, OBJECT_WITHDRAWN);
	return true;
}

/* What a whole family covers, as one: it goes one way. */
static bool family_lands_on(const struct range *ranges, size_t count, const size_t *family,
			    const enum verdict *verdicts, size_t i, uint64_t address)
{
	for (size_t j = 0; j < count; j++)
		if (verdicts[j] == GOOD && family[j] == family[i] &&
		    ranges[j].new_ <= address && address - ranges[j].new_ < ranges[j].length)
			return true;
	return false;
}

static void oracle_phase(struct world *w, const struct range *ranges, size_t count)
{
	enum verdict verdicts[RANGES];
	size_t family[RANGES];
	bool blamed[RANGES] = { false }, breaks[RANGES];

	for (size_t i = 0; i < count; i++)
		verdicts[i] = judge_alone(w, &ranges[i]);
	find_families(ranges, count, verdicts, family);
	for (size_t i = 0; i < count; i++)
		breaks[i] = verdicts[i] == BROKEN || (verdicts[i] == GOOD &&
			    !agrees(ranges, count, verdicts, family, i));
	for (size_t i = 0; i < count; i++)
		verdicts[i] = breaks[i] ? BROKEN : verdicts[i];
	for (size_t k = 0; k < w->count; k++) {
		struct thing *thing = &w->things[k];
		const struct range *by = NULL;
		bool broken = false;

		thing->moving = thing->hit = false;
		for (size_t i = 0; i < count && thing->here; i++) {
			if (verdicts[i] == GOOD && has(&ranges[i], thing->at))
				by = &ranges[i];
			broken |= verdicts[i] == BROKEN && has(&ranges[i], thing->at);
		}
		if (by)
			take_up(w, thing, by);
		else if (broken)
			leave(thing, OBJECT_WITHDRAWN);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < w->count; k++) {
			struct thing *thing = &w->things[k];

			if (verdicts[i] == GOOD && ranges[i].new_ != ranges[i].old && thing->here &&
			    !thing->moving &&
			    family_lands_on(ranges, count, family, verdicts, i, thing->at))
				blamed[i] |= is_hit(thing);
		}
	for (size_t k = 0; k < w->count; k++)
		for (size_t i = 0; i < count; i++)
			if (w->things[k].moving && blamed[i] &&
			    family_lands_on(ranges, count, family, verdicts, i, w->things[k].to))
				leave(&w->things[k], OBJECT_WITHDRAWN);
	for (size_t k = 0; k < w->count; k++) {
		struct thing *thing = &w->things[k];

		if (!thing->here)
			continue;
		thing->here = !thing->hit;
		thing->at = thing->moving ? thing->to : thing->at;
	}
	for (size_t k = 0; k < w->count; k++)
		for (size_t j = 0; j < w->count; j++)
			if (j != k && w->things[k].here && w->things[j].here &&
			    w->things[j].at == w->things[k].at) {
				leave(&w->things[k], OBJECT_WITHDRAWN);
				leave(&w->things[j], OBJECT_WITHDRAWN);
			}
	for (size_t k = 0; k < w->count; k++)
		w->things[k].here &= !w->things[k].hit;
}

static void oracle_condemn(struct world *w, unsigned int slot, uint64_t mask)
{
	for (size_t k = 0; k < w->count; k++) {
		struct thing *thing = &w->things[k];
		uint64_t generation = GENERATION_UNKNOWN;

		for (size_t i = 0; i < w->before.of.count; i++)
			if (w->before.of.items[i].start <= thing->at &&
			    thing->at < w->before.of.items[i].end)
				generation = w->before.of.items[i].generation;
		if (mask == UINT64_MAX)
			thing->states[slot] = OBJECT_CONDEMNED;
		else if (generation == GENERATION_UNKNOWN)
			thing->states[slot] = OBJECT_PERHAPS;
		else if (mask >> generation & 1)
			thing->states[slot] = OBJECT_CONDEMNED;
	}
}

static void oracle_end(struct world *w, unsigned int slot, bool known)
{
	for (size_t k = 0; k < w->count; k++) {
		struct thing *thing = &w->things[k];
		unsigned int state = thing->states[slot];

		thing->hit = false;
		if (!thing->here || state == OBJECT_UNTOUCHED)
			continue;
		thing->states[slot] = OBJECT_UNTOUCHED;
		if (known && state == OBJECT_COVERED)
			continue;
		thing->here = false;
		thing->fate = known && state == OBJECT_CONDEMNED ? OBJECT_DEAD : OBJECT_WITHDRAWN;
	}
}

/* ---------------------------------------------------------------- both */

static int compare(void *context, const struct object *object, uint64_t address)
{
	struct world *w = context;
	const struct thing *thing = thing_at(w, address);

	assert_non_null(thing);
	assert_int_equal(thing->id, object__id(object));
	assert_int_equal(thing->age, object->age);
	assert_int_equal(thing->moves, object->moves);
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		assert_int_equal(thing->states[slot], object__state(object, slot));
	return 0;
}

static void check(struct world *w)
{
	uint64_t here = 0;

	assert_int_equal(objects__each(&w->objects, compare, w), 0);
	for (size_t i = 0; i < w->count; i++) {
		here += w->things[i].here;
		assert_int_equal(w->things[i].here, !w->told[w->things[i].id]);
		if (!w->things[i].here)
			assert_int_equal(w->things[i].fate, w->fates[w->things[i].id]);
	}
	assert_int_equal(here, w->objects.count);
}

static void phases(struct world *w, struct relocation *r)
{
	struct range ranges[RANGES], copy[RANGES];
	size_t count = 1 + any(3);

	for (size_t i = 0; i < count; i++) {
		size_t told = any(RANGES);

		r->last = w->last = i + 1 == count && chance(50) &&
				    w->objects.held[1].count == 0;
		random_ranges(w, ranges, told);
		memcpy(copy, ranges, sizeof(copy));
		assert_int_equal(relocation__phase(r, copy, told), 0);
		oracle_phase(w, ranges, told);
		check(w);
	}
}

static void one_world(void)
{
	struct world w = { .count = 0 };
	struct relocation r = { .objects = &w.objects, .before = &w.before, .after = &w.after };
	struct relocation other = { .objects = &w.objects, .slot = 1, .before = &w.before,
				    .after = &w.after };
	uint64_t mask = chance(30) ? UINT64_MAX : any(4);
	bool overlapping = chance(40), known = chance(80);

	w.objects.left = left;
	w.objects.context = &w;
	fill(&w);
	tell_places(&w, &w.before);
	tell_places(&w, &w.after);
	if (w.count > 0) {
		if (overlapping) {
			assert_int_equal(relocation__condemn(&other, 2), 0);
			oracle_condemn(&w, 1, 2);
		}
		assert_int_equal(relocation__condemn(&r, mask), 0);
		oracle_condemn(&w, 0, mask);
		check(&w);
		phases(&w, &r);
		assert_int_equal(known ? relocation__bury(&r) : relocation__withdraw(&r), 0);
		oracle_end(&w, 0, known);
		check(&w);
		assert_int_equal(relocation__bury(&other), 0);
		oracle_end(&w, 1, true);
		check(&w);
	}
	objects__free(&w.objects);
	generation_places__free(&w.before);
	generation_places__free(&w.after);
}

static void test_random_worlds(void **state)
{
	const char *wanted = getenv("SEEDS");
	uint64_t worlds = wanted ? strtoull(wanted, NULL, 10) : WORLDS;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		seed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		one_world();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_worlds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
