/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random histories of a heap, as events through the assembler, against an oracle that knows every
 * object: which of them were told, where each one is, how old it is, and whose fate the tracer may
 * know, must know, or must have given up.
 *
 * A world has a nursery (generation 0) and an old space (1), objects that nobody tells, sampled
 * allocations, dumps at any time, young collections, full ones with a second phase that moves what
 * the first one promoted, background ones with young ones and dumps inside, which promote onto
 * what the background one has found dead, as the program allocates there, wherever in it. Ranges
 * are told by several threads, shuffled within a phase, joined where they touch or not, some
 * twice, some in both widths, with empty ones in between. Losses come anywhere, with or without
 * reports or whole collections missing.
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

#include "gctrace/wire.h"
#include "model/identity.h"
#include "stream/loss.h"
#include "unit/random.h"

#ifdef __SANITIZE_ADDRESS__
#define WORLDS 2000
#else
#define WORLDS 16000
#endif
#define STEPS 10
#define MOST 48
#define IDS 4096
#define MOVES (4 * MOST)
#define NURSERY UINT64_C(0x10000000)
#define HALF UINT64_C(0x10000)
#define OLD UINT64_C(0x20000000)
#define OLD_BYTES UINT64_C(0x1000000)

struct thing {
	uint64_t at, size, class_, id; /* id 0: not known to the tracer */
	unsigned int generation, age, moves;
	bool told;	       /* since the last look: gets its id there */
	unsigned int condemned; /* by the background collection: 1 yes, 2 told while it ran */
	bool doomed;	       /* found dead by it, not gone yet */
	bool newcomer;	       /* came into the old space while it ran */
	uint64_t birth; /* counts collections */
};

struct move {
	unsigned int generation;
	uint32_t phase; /* UINT32_MAX: survived */
	struct range range;
};

/* What a collection condemned and the tracer knew, and what else it did away with. */
struct condemned {
	uint64_t ids[2 * MOST];
	size_t count;
	bool lost;
};

struct world {
	struct identity *identity;
	struct assembler *assembler;
	struct thing things[MOST];
	size_t count;
	struct move moves[MOVES];
	size_t move_count;
	uint64_t now, gc, pause, old_next, half, nursery_next;
	bool numbered, pauses, lossy, mute;
	bool lost;	 /* in the collection that is being told */
	struct condemned pictures[8]; /* of collections in this pause */
	size_t picture_count;
	bool ranges_told; /* ever: else nothing tells that this producer does */
	bool wary;	 /* a loss, and no collection's number since: samples wait */
	bool in_doubt;	 /* a whole collection is missing, and the tracer has not seen the gap */
	bool started;	 /* the tracer has seen a collection's number */
	bool background, background_lost;
	unsigned int widths[2];
	uint64_t anchors;
	bool fate_known[IDS]; /* by id, as it should be */
	enum object_fate fate[IDS];
	bool fate_told[IDS]; /* and as it was told */
	enum object_fate told[IDS];
	bool used[IDS];
};

static uint64_t seed, collections, ids_seen, withdrawn_seen, dead_seen, reuses;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

static bool chance(unsigned int percent)
{
	return random__chance(&seed, percent);
}

/* ---------------------------------------------------------------- events */

static void feed(struct world *w, struct event *event, uint32_t tid)
{
	event->target = event->kind == EVENT_LOSS ? event->target : 1;
	event->tid = tid;
	event->time = event->stamp = ++w->now;
	if (w->mute)
		return;
	assert_int_equal(assembler__event(w->assembler, event), 0);
	assert_int_equal(identity__event(w->identity, event), 0);
}

static uint64_t number(const struct world *w, uint64_t gc)
{
	return w->numbered ? gc : EVENT_UNKNOWN;
}

static void tell_pause(struct world *w, enum event_kind kind)
{
	struct event event = { .kind = kind };

	event.pause.pause = w->pause;
	event.pause.why = GCTRACE_WHY_COLLECTION;
	event.pause.suspend_ns = EVENT_UNKNOWN;
	if (w->pauses)
		feed(w, &event, 1);
}

static void open_pause(struct world *w)
{
	w->pause++;
	tell_pause(w, EVENT_PAUSE_BEGIN);
}

static void tell_generations(struct world *w, uint64_t gc, bool after)
{
	for (uint64_t generation = 0; generation < 2; generation++) {
		struct event event = { .kind = EVENT_GENERATION };

		event.generation.gc = number(w, gc);
		event.generation.after = after;
		event.generation.generation = generation;
		event.generation.start = generation ? OLD : NURSERY;
		event.generation.used = event.generation.reserved =
			generation ? OLD_BYTES : 2 * HALF;
		feed(w, &event, 1);
	}
}

static void tell_start(struct world *w, uint64_t gc, uint64_t mask, uint32_t how)
{
	struct event event = { .kind = EVENT_GC_START };

	event.gc_start.gc = number(w, gc);
	event.gc_start.generations = mask;
	event.gc_start.how = how;
	feed(w, &event, 1);
	tell_generations(w, gc, false);
	w->started |= !w->mute;
	collections++;
}

static void tell_finish(struct world *w, uint64_t gc)
{
	struct event event = { .kind = EVENT_GC_FINISH };

	tell_generations(w, gc, true);
	event.gc_finish.gc = number(w, gc);
	event.gc_finish.collected = EVENT_UNKNOWN;
	feed(w, &event, 1);
}

/* ---------------------------------------------------------------- what is known */

static void expect_fate(struct world *w, struct thing *thing, enum object_fate fate)
{
	if (thing->id) {
		w->fate_known[thing->id] = true;
		w->fate[thing->id] = fate;
	}
	thing->id = 0;
	thing->told = false;
}

static void withdraw_all(struct world *w)
{
	for (size_t i = 0; i < w->count; i++)
		expect_fate(w, &w->things[i], OBJECT_WITHDRAWN);
}

static void left(void *context, uint32_t target, const struct object *object, uint64_t address,
		 enum object_fate fate)
{
	struct world *w = context;
	uint64_t id = object__id(object);

	(void)target;
	(void)address;
	assert_true(id < IDS);
	assert_false(w->fate_told[id]);
	w->fate_told[id] = true;
	w->told[id] = fate;
	dead_seen += fate == OBJECT_DEAD;
	withdrawn_seen += fate == OBJECT_WITHDRAWN;
}

static int compare(void *context, const struct object *object, uint64_t address)
{
	struct world *w = context;
	uint64_t id = object__id(object);
	struct thing *thing = NULL;

	assert_true(id < IDS);
	for (size_t i = 0; i < w->count; i++)
		if (w->things[i].at == address)
			thing = &w->things[i];
	assert_non_null(thing);
	if (thing->id == 0) {
		assert_true(thing->told);
		assert_false(w->used[id]);
		w->used[id] = true;
		thing->id = id;
		ids_seen++;
	}
	thing->told = false;
	assert_int_equal(thing->id, id);
	assert_int_equal(thing->size, object->size);
	assert_int_equal(thing->age, object->age);
	assert_int_equal(thing->moves, object->moves);
	return 0;
}

/* Outside of pauses all that is claimed is true, and all that can be claimed is. */
static void check(struct world *w)
{
	struct identity_view view;
	uint64_t known = 0;
	int err;

	if (w->in_doubt || w->mute)
		return;
	if (!identity__look(w->identity, 1, &view, &err))
		return;
	assert_int_equal(err, 0);
	assert_int_equal(objects__each(view.objects, compare, w), 0);
	for (size_t i = 0; i < w->count; i++) {
		known += w->things[i].id != 0;
		assert_false(w->things[i].told);
	}
	assert_int_equal(known, view.objects->count);
	for (uint64_t id = 0; id < IDS; id++) {
		assert_int_equal(w->fate_told[id], w->fate_known[id]);
		if (w->fate_told[id])
			assert_int_equal(w->told[id], w->fate[id]);
	}
	assert_int_equal(view.figures.conflicts + view.figures.stray_births, 0);
	assert_int_equal(view.figures.odd.counts[ODD_ONTO_LIVE], 0);
	assert_int_equal(view.figures.odd.counts[ODD_CONTRADICTORY], 0);
	assert_int_equal(view.figures.odd.counts[ODD_CLASH], 0);
}

/* ---------------------------------------------------------------- losses */

static void lose(struct world *w)
{
	struct event event = { .kind = EVENT_LOSS };

	if (!w->lossy || w->mute || !chance(4))
		return;
	event.target = chance(50) ? 1 : LOSS_ANY_TARGET;
	event.loss.kind = LOSS_RING_FULL;
	event.loss.count = 1;
	event.loss.until = w->now + 1;
	event.tid = 1;
	event.time = event.stamp = ++w->now;
	assert_int_equal(assembler__event(w->assembler, &event), 0);
	assert_int_equal(identity__event(w->identity, &event), 0);
	w->lost = w->wary = true;
	for (size_t i = 0; i < w->picture_count; i++)
		w->pictures[i].lost = true;
	if (w->background) {
		w->background_lost = true;
		for (size_t i = 0; i < w->count; i++)
			if (w->things[i].condemned)
				expect_fate(w, &w->things[i], OBJECT_WITHDRAWN);
	}
	if (!w->numbered || !w->started)
		withdraw_all(w);
}

/* ---------------------------------------------------------------- the program */

static void remove_thing(struct world *w, size_t i)
{
	w->things[i] = w->things[--w->count];
}

static void sample(struct world *w, struct thing *thing)
{
	struct event event = { .kind = EVENT_OBJECT_ALLOC };

	event.target = 1;
	event.alloc.id = thing->at;
	event.alloc.size = thing->size;
	event.alloc.class_ = thing->class_;
	feed(w, &event, 1);
	thing->told = true;
}

static void allocate(struct world *w)
{
	while (w->count < MOST && !chance(8)) {
		struct thing *thing = &w->things[w->count++];

		*thing = (struct thing){ .at = w->nursery_next, .size = 8 * (1 + any(64)),
					 .class_ = 7 + any(3) };
		w->nursery_next += thing->size + 8 * any(chance(5) ? 600 : 3);
		if (!w->wary && !w->mute && chance(30))
			sample(w, thing);
	}
	assert_true(w->nursery_next < NURSERY + w->half + HALF);
	check(w);
}

/* ---------------------------------------------------------------- what is told of moves */

static void note(struct world *w, unsigned int generation, uint32_t phase, uint64_t old,
		 uint64_t new_, uint64_t length)
{
	struct move *last = w->move_count ? &w->moves[w->move_count - 1] : NULL;

	/* Neighbours that go together are one block, as collectors see it. */
	if (last && last->generation == generation && last->phase == phase && chance(70) &&
	    last->range.old + last->range.length == old &&
	    last->range.new_ + last->range.length == new_) {
		last->range.length += length;
		return;
	}
	assert_true(w->move_count < MOVES);
	w->moves[w->move_count++] =
		(struct move){ generation, phase, { old, new_, length } };
}

static void tell_move(struct world *w, uint64_t gc, const struct move *move, uint32_t width)
{
	struct event event = { .kind = EVENT_MOVED };

	if (move->phase == UINT32_MAX)
		event.kind = EVENT_SURVIVING;
	event.ranges.gc = number(w, gc);
	event.ranges.generation = move->generation;
	event.ranges.phase = move->phase == UINT32_MAX ? 0 : move->phase;
	event.ranges.width = width;
	event.ranges.ranges = &move->range;
	event.ranges.count = 1;
	w->ranges_told |= !w->mute;
	feed(w, &event, w->numbered ? 1 + (uint32_t)any(8) : 1);
}

static void tell_moves(struct world *w, uint64_t gc)
{
	for (size_t i = w->move_count; i > 1; i--) {
		size_t j = any(i);
		struct move swap = w->moves[i - 1];

		w->moves[i - 1] = w->moves[j];
		w->moves[j] = swap;
	}
	for (size_t i = 0; i < w->move_count; i++) {
		struct move *move = &w->moves[i];
		unsigned int widths = w->widths[move->generation];

		lose(w);
		if (w->lost && chance(50))
			continue;
		if (widths & 4)
			tell_move(w, gc, move, 4);
		if (widths & 8)
			tell_move(w, gc, move, 8);
		if (chance(5))
			tell_move(w, gc, move, widths & 8 ? 8 : 4);
		if (chance(5)) {
			move->range.length = 0;
			tell_move(w, gc, move, widths & 8 ? 8 : 4);
		}
	}
	w->move_count = 0;
}

/* ---------------------------------------------------------------- collectors */

static bool overlaps(const struct thing *thing, uint64_t at, uint64_t size)
{
	return thing->at < at + size && at < thing->at + thing->size;
}

/* The place of something that a background collection has found dead is free. */
static uint64_t reuse(struct world *w, const struct thing *thing)
{
	for (size_t i = 0; i < w->count; i++) {
		struct thing *dead = &w->things[i];

		if (dead->doomed && dead->generation == 1 && dead->size >= thing->size &&
		    chance(50))
			return dead->at;
	}
	return 0;
}

static uint64_t promoted_place(struct world *w, const struct thing *thing)
{
	uint64_t at = reuse(w, thing);

	if (at)
		return at;
	at = w->old_next;
	w->old_next += thing->size + 8 * any(chance(5) ? 20000 : 4);
	return at;
}

/* Somewhere in the room of a dead one of the old space, or from there on. 0: others lie there. */
static uint64_t room_among_dead(struct world *w, uint64_t size)
{
	const struct thing *dead = &w->things[any(w->count)];
	uint64_t at = dead->at + 8 * any(dead->size / 8);

	if (!dead->doomed || dead->generation != 1)
		return 0;
	for (size_t i = 0; i < w->count; i++)
		if (!w->things[i].doomed && overlaps(&w->things[i], at, size))
			return 0;
	return at;
}

static void drop_overwritten(struct world *w, uint64_t at, uint64_t size, const struct thing *by)
{
	struct condemned *picture = &w->pictures[w->picture_count - 1];

	for (size_t i = 0; i < w->count; i++) {
		struct thing *thing = &w->things[i];

		if (thing == by || thing->generation != 1 || !overlaps(thing, at, size))
			continue;
		assert_true(thing->doomed);
		if (thing->id)
			picture->ids[picture->count++] = thing->id;
		expect_fate(w, thing, thing->condemned == 1 ? OBJECT_DEAD : OBJECT_WITHDRAWN);
		thing->at = 0; /* buried; swept away by the caller */
	}
}

static void sweep_overwritten(struct world *w)
{
	for (size_t i = w->count; i-- > 0;)
		if (w->things[i].at == 0)
			remove_thing(w, i);
}

static void tell_reuse(struct world *w, const struct thing *thing)
{
	struct event event = { .kind = EVENT_REUSE };

	event.reuse.generations = chance(50) ? UINT64_MAX : 2;
	event.reuse.start = thing->at;
	event.reuse.length = thing->size;
	feed(w, &event, 1);
}

/* The program itself gets room of what the background collection has found dead. */
static void allocate_among_dead(struct world *w)
{
	struct thing new_ = { .size = 8 * (1 + any(64)), .class_ = 7, .generation = 1,
			      .newcomer = true };

	new_.at = w->count ? room_among_dead(w, new_.size) : 0;
	if (!new_.at)
		return;
	tell_reuse(w, &new_);
	for (size_t i = 0; i < w->count; i++) {
		if (!overlaps(&w->things[i], new_.at, new_.size))
			continue;
		expect_fate(w, &w->things[i], OBJECT_WITHDRAWN);
		w->things[i].at = 0;
	}
	sweep_overwritten(w);
	w->things[w->count++] = new_;
	if (w->old_next < new_.at + new_.size)
		w->old_next = new_.at + new_.size;
	reuses++;
	check(w);
}

/* A survivor goes its way: once more age, if it may have been known before. */
static void go(struct world *w, struct thing *thing, uint32_t phase, uint64_t to)
{
	note(w, thing->generation, phase, thing->at, to, thing->size);
	thing->moves += to != thing->at;
	thing->at = to;
}

static void collect_nursery(struct world *w)
{
	uint64_t to;

	w->half = HALF - w->half;
	to = NURSERY + w->half;
	for (size_t i = 0; i < w->count; i++) {
		struct thing *thing = &w->things[i];

		if (thing->generation != 0)
			continue;
		if (chance(40)) {
			expect_fate(w, thing, OBJECT_DEAD);
			thing->at = 0;
			continue;
		}
		thing->age++;
		if (chance(30)) {
			uint64_t at = promoted_place(w, thing);

			drop_overwritten(w, at, thing->size, thing);
			go(w, thing, 0, at);
			thing->generation = 1;
			thing->newcomer = w->background;
		} else {
			go(w, thing, 0, to);
			to += thing->size;
		}
	}
	sweep_overwritten(w);
	w->nursery_next = to;
}

static int by_address(const void *a, const void *b)
{
	const struct thing *left = a, *right = b;

	return left->at < right->at ? -1 : left->at > right->at;
}

/* What was promoted just now takes part, in the second phase: its birth says so. */
static void collect_old(struct world *w, bool compact, uint64_t era)
{
	uint64_t to = OLD;

	qsort(w->things, w->count, sizeof(*w->things), by_address);
	for (size_t i = 0; i < w->count; i++) {
		struct thing *thing = &w->things[i];

		if (thing->generation != 1)
			continue;
		if (thing->birth != era && chance(35)) {
			expect_fate(w, thing, OBJECT_DEAD);
			thing->at = 0;
			continue;
		}
		thing->age += thing->birth != era;
		if (!compact) {
			note(w, 1, UINT32_MAX, thing->at, thing->at, thing->size);
			to = thing->at + thing->size;
			continue;
		}
		if (chance(10))
			to = thing->at;
		go(w, thing, 1, to);
		to += thing->size;
	}
	sweep_overwritten(w);
	w->old_next = to;
}

static void begin_picture(struct world *w, uint64_t mask)
{
	struct condemned *picture = &w->pictures[w->picture_count++];

	assert_true(w->picture_count <= 8);
	picture->count = 0;
	picture->lost = w->mute;
	for (size_t i = 0; i < w->count; i++)
		if (w->things[i].id && mask >> w->things[i].generation & 1)
			picture->ids[picture->count++] = w->things[i].id;
}

/* Nothing of what was condemned is known any more. */
static void withdraw_picture(struct world *w, const struct condemned *picture)
{
	for (size_t i = 0; i < picture->count; i++) {
		uint64_t id = picture->ids[i];

		w->fate_known[id] = true;
		w->fate[id] = OBJECT_WITHDRAWN;
		for (size_t j = 0; j < w->count; j++)
			if (w->things[j].id == id)
				w->things[j].id = 0;
	}
}

/* Collections are applied: those of a pause when it is over, else each when it has ended. */
static void settle_pictures(struct world *w)
{
	for (size_t i = 0; i < w->picture_count; i++)
		if (w->pictures[i].lost || !w->ranges_told)
			withdraw_picture(w, &w->pictures[i]);
	w->picture_count = 0;
}

static void close_pause(struct world *w)
{
	tell_pause(w, EVENT_PAUSE_END);
	settle_pictures(w);
}

static void see_gap(struct world *w)
{
	w->wary &= w->mute;
	if (!w->in_doubt || w->mute)
		return;
	withdraw_all(w);
	w->in_doubt = false;
}

static void stopped_collection(struct world *w, bool full)
{
	uint64_t gc = ++w->gc;
	bool compact = chance(50);

	w->lost = false;
	tell_start(w, gc, full ? 3 : 1, GCTRACE_HOW_COPYING);
	see_gap(w);
	begin_picture(w, full ? 3 : 1);
	for (size_t i = 0; i < w->count; i++)
		w->things[i].birth = w->things[i].generation == 0 ? gc : 0;
	collect_nursery(w);
	if (full)
		collect_old(w, compact, gc);
	tell_moves(w, gc);
	lose(w);
	tell_finish(w, gc);
	if (w->pauses)
		lose(w);
	else
		settle_pictures(w);
}

static void pause_with_collections(struct world *w)
{
	size_t count = 1 + (chance(20) ? any(3) : 0);

	open_pause(w);
	for (size_t i = 0; i < count; i++)
		stopped_collection(w, !w->background && chance(30));
	close_pause(w);
	check(w);
}

/* A whole collection that nobody hears of, and a loss that says so. */
static void lost_collection(struct world *w)
{
	struct event event = { .kind = EVENT_LOSS };
	bool really = chance(60);

	if (!w->lossy || w->background)
		return;
	if (really) {
		w->mute = true;
		pause_with_collections(w);
		w->mute = false;
		w->in_doubt = w->numbered && w->started;
	}
	event.target = 1;
	event.loss.kind = LOSS_SEQUENCE_GAP;
	event.loss.count = 1;
	event.loss.until = w->now + 1;
	feed(w, &event, 0);
	w->wary = true;
	if (!w->numbered || !w->started)
		withdraw_all(w);
}

static void dump(struct world *w)
{
	struct event event = { .kind = EVENT_CONTAINER };
	bool tells_doomed = chance(50);

	open_pause(w);
	event.container.type = GCTRACE_C_BEGIN;
	event.container.id1 = ++w->anchors;
	event.container.id2 = number(w, w->gc);
	feed(w, &event, 1);
	see_gap(w);
	for (size_t i = 0; i < w->count; i++) {
		struct thing *thing = &w->things[i];

		if (thing->doomed && !tells_doomed) {
			expect_fate(w, thing, OBJECT_GONE);
			continue;
		}
		memset(&event, 0, sizeof(event));
		event.kind = EVENT_OBJECT;
		event.object.id = thing->at;
		event.object.class_ = thing->class_;
		event.object.size = thing->size;
		feed(w, &event, 1);
		if (thing->id)
			continue;
		thing->told = true;
		thing->age = thing->moves = 0;
		thing->condemned = w->background && thing->generation == 1 ? 2 : 0;
	}
	memset(&event, 0, sizeof(event));
	event.kind = EVENT_CONTAINER;
	event.container.type = GCTRACE_C_END;
	feed(w, &event, 1);
	close_pause(w);
	check(w);
}

static void end_background(struct world *w, bool tells_newcomers)
{
	for (size_t i = w->count; i-- > 0;) {
		struct thing *thing = &w->things[i];
		bool told = !thing->doomed && thing->generation == 1 &&
			    (!thing->newcomer || tells_newcomers);

		if (thing->generation != 1)
			continue;
		if (told)
			note(w, 1, UINT32_MAX, thing->at, thing->at, thing->size);
	}
}

static void settle_background(struct world *w, bool tells_newcomers)
{
	/* Another collection may report the first ones before the pause is over: then it shows. */
	const bool reports_ranges = w->ranges_told || w->pauses;

	for (size_t i = w->count; i-- > 0;) {
		struct thing *thing = &w->things[i];
		bool told = !thing->doomed && (!thing->newcomer || tells_newcomers);

		if (thing->condemned && w->background_lost)
			expect_fate(w, thing, OBJECT_WITHDRAWN);
		else if (thing->condemned && !told)
			expect_fate(w, thing, thing->condemned == 1 && reports_ranges
						      ? OBJECT_DEAD : OBJECT_WITHDRAWN);
		else if (thing->condemned)
			thing->age++;
		thing->condemned = 0;
		thing->newcomer = false;
		if (thing->doomed)
			remove_thing(w, i);
	}
}

/* It has ended and is applied when the pause is over: until then a loss may concern it. */
static void picture_background(struct world *w)
{
	struct condemned *picture = &w->pictures[w->picture_count++];

	picture->count = 0;
	picture->lost = false;
	for (size_t i = 0; i < w->count; i++)
		if (w->things[i].id && w->things[i].condemned)
			picture->ids[picture->count++] = w->things[i].id;
}

static void background_collection(struct world *w)
{
	uint64_t gc, steps = any(4);
	bool tells_newcomers = chance(50);

	if (!w->numbered)
		return;
	open_pause(w);
	if (chance(50))
		stopped_collection(w, false);
	gc = ++w->gc;
	w->lost = false;
	tell_start(w, gc, 2, GCTRACE_HOW_SWEEPING | GCTRACE_HOW_CONCURRENT);
	see_gap(w);
	w->background = true;
	w->background_lost = false;
	for (size_t i = 0; i < w->count; i++) {
		struct thing *thing = &w->things[i];

		thing->condemned = thing->generation == 1;
		thing->doomed = thing->generation == 1 && chance(40);
		thing->newcomer = false;
	}
	lose(w);
	close_pause(w);
	check(w);
	for (uint64_t i = 0; i < steps; i++) {
		allocate(w);
		lose(w);
		for (uint64_t tries = any(8); tries > 0; tries--)
			allocate_among_dead(w);
		if (chance(30))
			dump(w);
		else
			pause_with_collections(w);
	}
	open_pause(w);
	w->lost = false;
	end_background(w, tells_newcomers);
	tell_moves(w, gc);
	tell_finish(w, gc);
	if (w->pauses)
		picture_background(w);
	settle_background(w, tells_newcomers);
	w->background = false;
	if (chance(30) && !w->lost)
		stopped_collection(w, false);
	close_pause(w);
	check(w);
}

/* ---------------------------------------------------------------- worlds */

static void begin(struct world *w)
{
	const struct assembler_sink none = { NULL, NULL, NULL, NULL };
	const struct identity_sink sink = { .context = w, .left = left };
	struct range_sink ranges;

	memset(w, 0, sizeof(*w));
	w->identity = identity__new(&sink);
	assert_non_null(w->identity);
	ranges = identity__ranges(w->identity);
	w->assembler = assembler__new(&none, &ranges);
	assert_non_null(w->assembler);
	w->numbered = chance(85);
	w->pauses = chance(85);
	w->lossy = chance(50);
	for (size_t i = 0; i < 2; i++)
		w->widths[i] = (unsigned int[]){ 4, 8, 12 }[any(3)];
	w->nursery_next = NURSERY;
	w->old_next = OLD;
}

static void one_world(void)
{
	static struct world w;
	struct event event = { .kind = EVENT_EXIT };

	begin(&w);
	event.target = 1;
	for (unsigned int step = 0; step < STEPS; step++) {
		allocate(&w);
		switch (any(6)) {
		case 0:
		case 1:
			dump(&w);
			break;
		case 2:
			background_collection(&w);
			break;
		case 3:
			lost_collection(&w);
			break;
		default:
			pause_with_collections(&w);
		}
	}
	feed(&w, &event, 1);
	assembler__free(w.assembler);
	identity__free(w.identity);
}

static void test_random_histories(void **state)
{
	const char *wanted = getenv("SEEDS");
	uint64_t worlds = wanted ? strtoull(wanted, NULL, 10) : WORLDS;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		seed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		one_world();
	}
	print_message("%llu collections, %llu ids, %llu dead, %llu withdrawn, %llu reuses\n",
		      (unsigned long long)collections, (unsigned long long)ids_seen,
		      (unsigned long long)dead_seen, (unsigned long long)withdrawn_seen,
		      (unsigned long long)reuses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_histories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
