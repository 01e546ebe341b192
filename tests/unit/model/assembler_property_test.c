/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random histories against an oracle that knows every object.
 *
 * A world is a heap of a nursery (generation 0) and an old space (generation 1). Its collections
 * are random: young ones, full ones that compact or sweep the old space, background ones with
 * young ones inside; alone in a pause, two in one, or without pauses; numbered by the runtime or
 * not. What they report is cut up, shuffled within its phase, told by several threads, in one or
 * both widths, some of it before the start. The oracle works object by object and moment by moment,
 * and shares no code with what it checks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "script.h"
#include "unit/random.h"

#define WORLDS 1500
#define STEPS 12
#define OBJECTS 48
#define OLD_START (UINT64_C(1) << 32)
#define OLD_BYTES (UINT64_C(1) << 24)
#define NURSERY_BYTES (UINT64_C(1) << 20)

struct object {
	uint64_t at, size;
	unsigned int generation; /* 0 or 1 */
	uint64_t born;		 /* counts collections */
};

struct expected {
	uint64_t number;
	uint64_t start, end;
	uint64_t moved, stayed, survived, promoted, condemned, dead;
	uint64_t dead_low, dead_high;
	uint64_t pauses, pause_ns;
	uint64_t before, after;
	bool concurrent;
};

struct move {
	unsigned int generation;
	uint32_t phase;
	bool swept;
	struct range range;
};

struct world {
	struct script script;
	struct object objects[OBJECTS];
	size_t count;
	uint64_t nursery_next, old_next;
	bool numbered, pauses, pause_numbers;
	unsigned int widths[2]; /* of each generation: 4, 8 or 12 for both */
	uint64_t gc, pause;
	struct expected expected[4 * STEPS];
	size_t expected_count;
	struct move moves[4 * OBJECTS];
	size_t move_count;
	uint64_t steps;
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

static void tick(struct world *w)
{
	w->script.now += 1 + any(1000);
}

/* ---------------------------------------------------------------- the program */

static uint64_t in_use(const struct world *w, unsigned int generation)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < w->count; i++)
		bytes += w->objects[i].generation == generation ? w->objects[i].size : 0;
	return bytes;
}

static void allocate(struct world *w)
{
	while (w->count < OBJECTS && !chance(5)) {
		struct object *o = &w->objects[w->count++];

		o->size = 8 * (1 + any(32));
		o->at = w->nursery_next;
		o->generation = 0;
		o->born = w->steps;
		w->nursery_next += o->size + 8 * any(2);
	}
	assert_true(w->nursery_next < NURSERY_BYTES);
}

/* ---------------------------------------------------------------- the collector */

static void note_move(struct world *w, unsigned int generation, uint32_t phase, bool swept,
		      struct range range)
{
	assert_true(w->move_count < sizeof(w->moves) / sizeof(*w->moves));
	w->moves[w->move_count++] = (struct move){ generation, phase, swept, range };
}

static void remove_object(struct world *w, size_t i)
{
	w->objects[i] = w->objects[--w->count];
}

/* Live nursery objects are copied, promoted, or (pinned) stay; the others are dead. */
static void collect_nursery(struct world *w, struct expected *e)
{
	uint64_t to = NURSERY_BYTES / 2 * (w->steps++ % 2), at;

	for (size_t i = 0; i < w->count;) {
		struct object *o = &w->objects[i];

		if (o->generation != 0) {
			i++;
			continue;
		}
		/* Of the first collection something is alive: this producer reports ranges. */
		if ((w->steps > 1 || i > 0) && chance(50)) {
			e->dead += o->size;
			remove_object(w, i);
			continue;
		}
		at = o->at;
		if (chance(30)) {
			o->at = w->old_next;
			w->old_next += o->size + 8 * any(3);
			o->generation = 1;
			e->promoted += o->size;
		} else if (!chance(15)) {
			o->at = to;
			to += o->size;
		}
		note_move(w, 0, 0, false, (struct range){ at, o->at, o->size });
		*(at == o->at ? &e->stayed : &e->moved) += o->size;
		e->survived += o->size;
		i++;
	}
	w->nursery_next = NURSERY_BYTES / 2 * (w->steps % 2) + NURSERY_BYTES / 4;
}

static int by_address(const void *a, const void *b)
{
	const struct object *left = a, *right = b;

	return left->at < right->at ? -1 : left->at > right->at;
}

/*
 * Old objects that were there before die or not; what was just promoted lives. Compacting slides
 * them down, over the places of others; some are pinned.
 */
static void collect_old(struct world *w, struct expected *e, bool compact)
{
	uint64_t to = OLD_START, at;

	for (size_t i = 0; i < w->count;) {
		if (w->objects[i].generation == 1 && w->objects[i].born != UINT64_MAX &&
		    chance(40)) {
			e->dead += w->objects[i].size;
			remove_object(w, i);
		} else {
			i++;
		}
	}
	qsort(w->objects, w->count, sizeof(*w->objects), by_address);
	for (size_t i = 0; i < w->count; i++) {
		struct object *o = &w->objects[i];

		if (o->generation != 1)
			continue;
		/* What was promoted in this collection has been counted. */
		e->survived += o->born != UINT64_MAX ? o->size : 0;
		at = o->at;
		if (compact && !chance(10))
			o->at = to;
		to = o->at + o->size;
		note_move(w, 1, 1, !compact, (struct range){ at, o->at, o->size });
		if (compact)
			*(at == o->at ? &e->stayed : &e->moved) += o->size;
	}
	w->old_next = to + 8 * any(100);
}

/* Between the phases: what was promoted in the first one is marked. */
static void mark_promoted(struct world *w)
{
	for (size_t i = 0; i < w->move_count; i++)
		for (size_t j = 0; j < w->count; j++)
			if (w->objects[j].generation == 1 &&
			    w->objects[j].at == w->moves[i].range.new_)
				w->objects[j].born = UINT64_MAX;
}

static void unmark_promoted(struct world *w)
{
	for (size_t j = 0; j < w->count; j++)
		if (w->objects[j].born == UINT64_MAX)
			w->objects[j].born = 0;
}

/* ---------------------------------------------------------------- what it tells */

static void tell_sizes(struct world *w, uint64_t gc, bool after)
{
	uint64_t used[2] = { in_use(w, 0), in_use(w, 1) };
	uint64_t number = w->numbered ? gc : U;

	define(&w->script, GCTRACE_SPACE_GENERATION, 0, "nursery");
	define(&w->script, GCTRACE_SPACE_GENERATION, 1, "old");
	generation(&w->script, number, after, 0, 0, NURSERY_BYTES, NURSERY_BYTES);
	generation(&w->script, number, after, 1, OLD_START, OLD_BYTES, OLD_BYTES);
	pool(&w->script, number, "nursery", after ? U : used[0], after ? used[0] : U, U);
	pool(&w->script, number, "old", after ? U : used[1], after ? used[1] : U, U);
}

static void tell_move(struct world *w, uint64_t gc, const struct move *move, uint32_t width)
{
	uint64_t number = w->numbered ? gc : U;

	if (move->swept)
		surviving(&w->script, number, move->generation, width, move->range.old,
			  move->range.length);
	else
		moved(&w->script, number, move->generation, move->phase, width, move->range.old,
		      move->range.new_, move->range.length);
}

/* All of them, in any order, from any thread; those of both widths in each of them. */
static void tell_moves(struct world *w, uint64_t gc, size_t first)
{
	uint32_t tid = w->script.tid;

	for (size_t i = w->move_count; i > first + 1; i--) {
		size_t j = first + any(i - first);
		struct move swap = w->moves[i - 1];

		w->moves[i - 1] = w->moves[j];
		w->moves[j] = swap;
	}
	for (size_t i = first; i < w->move_count; i++) {
		const struct move *move = &w->moves[i];
		unsigned int widths = w->widths[move->generation];

		if (w->numbered)
			w->script.tid = 1 + (uint32_t)any(4);
		if (widths & 4)
			tell_move(w, gc, move, 4);
		if (widths & 8)
			tell_move(w, gc, move, 8);
	}
	w->script.tid = tid;
	w->move_count = first;
}

/* The numbers that an unnumbered collection gets are those of its start's place. */
static struct expected *begin(struct world *w, uint64_t mask, bool concurrent)
{
	struct expected *e = &w->expected[w->expected_count++];

	assert_true(w->expected_count <= sizeof(w->expected) / sizeof(*w->expected));
	memset(e, 0, sizeof(*e));
	e->number = ++w->gc;
	e->concurrent = concurrent;
	e->start = w->script.now;
	e->condemned = (mask & 1 ? in_use(w, 0) : 0) + (mask & 2 ? in_use(w, 1) : 0);
	e->before = in_use(w, 0) + in_use(w, 1);
	w->script.how = concurrent ? GCTRACE_HOW_CONCURRENT : GCTRACE_HOW_COPYING;
	return e;
}

static void tell_start(struct world *w, struct expected *e, uint64_t mask)
{
	gc_start(&w->script, w->numbered ? e->number : U, mask, GCTRACE_REASON_ALLOCATION);
	tell_sizes(w, e->number, false);
}

static void tell_finish(struct world *w, struct expected *e)
{
	tell_sizes(w, e->number, true);
	e->after = in_use(w, 0) + in_use(w, 1);
	e->end = w->script.now;
	gc_finish(&w->script, w->numbered ? e->number : U);
}

/* One that stops the world: young, or full. */
static struct expected *stopped_collection(struct world *w, bool full)
{
	struct expected *e = begin(w, full ? 3 : 1, false);
	struct expected sums = { 0 };
	bool compact = chance(50), early = w->numbered && chance(30);
	struct object before[OBJECTS];
	size_t before_count = w->count, told = 0;

	memcpy(before, w->objects, sizeof(before));
	if (!early)
		tell_start(w, e, full ? 3 : 1);
	collect_nursery(w, &sums);
	mark_promoted(w);
	if (full)
		collect_old(w, &sums, compact);
	unmark_promoted(w);
	if (early) {
		/* The last reports come before the start, whose sizes are those of before. */
		struct object now[OBJECTS];
		size_t now_count = w->count;

		told = any(w->move_count + 1);
		tell_moves(w, e->number, told);
		memcpy(now, w->objects, sizeof(now));
		memcpy(w->objects, before, sizeof(before));
		w->count = before_count;
		tell_start(w, e, full ? 3 : 1);
		memcpy(w->objects, now, sizeof(now));
		w->count = now_count;
	}
	tell_moves(w, e->number, 0);
	tick(w);
	e->moved = sums.moved;
	e->stayed = sums.stayed;
	e->survived = sums.survived;
	e->promoted = sums.promoted;
	e->dead = e->dead_low = e->dead_high = sums.dead;
	tell_finish(w, e);
	return e;
}

static void open_pause(struct world *w, uint64_t why)
{
	tick(w);
	if (w->pauses)
		pause_begin(&w->script, w->pause_numbers ? ++w->pause : U, why);
}

static void close_pause(struct world *w)
{
	tick(w);
	if (w->pauses)
		pause_end(&w->script, w->pause_numbers ? w->pause : U, U);
}

/* One to three collections in a pause: each has the time from its start to the next one's. */
static void pause_with_collections(struct world *w)
{
	uint64_t since;
	size_t first = w->expected_count, count = 1 + any(3);

	open_pause(w, GCTRACE_WHY_COLLECTION);
	since = w->script.now;
	for (size_t i = 0; i < count; i++) {
		tick(w);
		if (i > 0)
			w->expected[first + i - 1].pause_ns = w->script.now - since;
		if (i > 0)
			since = w->script.now;
		stopped_collection(w, chance(30));
	}
	close_pause(w);
	w->expected[first + count - 1].pause_ns = w->script.now - since;
	for (size_t i = first; i < w->expected_count; i++)
		w->expected[i].pauses = w->pauses;
}

/*
 * A background collection of the old space: mark start, young ones meanwhile, remark, sweep. What
 * is promoted meanwhile lives, and is not among the survivors or is (as the producer likes).
 */
static void background_collection(struct world *w)
{
	struct expected e, *place;
	uint64_t mark[OBJECTS], promoted = 0, told_newcomers = 0, began;
	size_t marked = 0, index = w->expected_count, youngs = any(3);
	bool tells_newcomers = chance(50);

	open_pause(w, GCTRACE_WHY_MARK_START);
	began = w->script.now;
	tick(w);
	place = begin(w, 2, true);
	e = *place;
	tell_start(w, &e, 2);
	for (size_t i = 0; i < w->count; i++)
		if (w->objects[i].generation == 1)
			mark[marked++] = w->objects[i].at;
	close_pause(w);
	e.pause_ns = w->script.now - began;
	/* Its place in the order is that of its end. */
	w->expected_count = index;
	for (size_t i = 0; i < youngs && w->numbered; i++) {
		struct expected *young;

		allocate(w);
		open_pause(w, GCTRACE_WHY_COLLECTION);
		began = w->script.now;
		tick(w);
		young = stopped_collection(w, false);
		close_pause(w);
		young->pauses = w->pauses;
		young->pause_ns = w->script.now - began;
		promoted += young->promoted;
	}
	open_pause(w, GCTRACE_WHY_REMARK);
	began = w->script.now;
	close_pause(w);
	e.pause_ns += w->script.now - began;
	tick(w);
	for (size_t i = 0; i < w->count;) {
		struct object *o = &w->objects[i];
		bool was_there = false;

		for (size_t j = 0; j < marked; j++)
			was_there |= o->generation == 1 && o->at == mark[j];
		if (was_there && chance(40)) {
			e.dead += o->size;
			remove_object(w, i);
			continue;
		}
		if (was_there || (o->generation == 1 && tells_newcomers)) {
			note_move(w, 1, 0, true, (struct range){ o->at, o->at, o->size });
			e.survived += o->size;
			told_newcomers += was_there ? 0 : o->size;
		}
		i++;
	}
	tell_moves(w, e.number, 0);
	e.dead_low = e.dead > told_newcomers ? e.dead - told_newcomers : 0;
	e.dead_high = e.dead + promoted - told_newcomers;
	e.pauses = w->pauses ? 2 : 0;
	tell_finish(w, &e);
	w->expected[w->expected_count++] = e;
}

/* ---------------------------------------------------------------- comparison */

static void assert_figure(struct amount amount, uint64_t value)
{
	assert_true(amount.known);
	assert_false(amount.estimated);
	assert_int_equal(amount.value, value);
}

static void compare(const struct world *w, const struct expected *e,
		    const struct script_collection *c)
{
	assert_int_equal(c->is.number, e->number);
	assert_int_equal(c->is.counted_here, !w->numbered);
	assert_int_equal(c->is.start_ns, e->start);
	assert_int_equal(c->is.end_ns, e->end);
	assert_false(c->is.partial || c->is.incomplete || c->is.cut_off);
	assert_int_equal(c->is.concurrent, e->concurrent);
	assert_int_equal(c->is.pause_count, e->pauses);
	assert_int_equal(c->is.pause_ns, e->pauses ? e->pause_ns : U);
	assert_int_equal(c->is.before_bytes, e->before);
	assert_int_equal(c->is.after_bytes, e->after);
	assert_figure(c->is.condemned.bytes, e->condemned);
	assert_figure(c->is.moved.bytes, e->moved);
	assert_figure(c->is.stayed.bytes, e->stayed);
	assert_figure(c->is.survived.bytes, e->survived);
	assert_figure(c->is.promoted.bytes, e->promoted);
	assert_true(c->is.dead.bytes.known);
	assert_in_range(e->dead, c->is.dead.bytes.low, c->is.dead.bytes.high);
	assert_int_equal(c->is.dead.bytes.low, e->dead_low);
	assert_int_equal(c->is.dead.bytes.high, e->dead_high);
}

static void new_world(struct world *w)
{
	static const unsigned int widths[] = { 4, 8, 12 };

	memset(w, 0, sizeof(*w));
	script__begin(&w->script);
	w->numbered = chance(70);
	w->pauses = chance(80);
	w->pause_numbers = chance(50);
	w->widths[0] = widths[any(3)];
	w->widths[1] = widths[any(3)];
	w->old_next = OLD_START;
	w->nursery_next = NURSERY_BYTES / 4;
	w->gc = w->numbered ? any(1000) : 0;
	do
		allocate(w);
	while (w->count == 0);
}

static void random_histories(void **state)
{
	static struct world world;
	struct world *w = &world;
	size_t collections = 0;

	(void)state;
	for (uint64_t n = 1; n <= WORLDS; n++) {
		seed = n * 0x9e3779b97f4a7c15;
		new_world(w);
		for (size_t step = 0; step < STEPS; step++) {
			if (step > 0 && chance(25))
				background_collection(w);
			else
				pause_with_collections(w);
			allocate(w);
		}
		assert_int_equal(w->script.count, w->expected_count);
		for (size_t i = 0; i < w->expected_count; i++)
			compare(w, &w->expected[i], &w->script.collections[i]);
		collections += w->expected_count;
		script__end(&w->script);
		assert_int_equal(w->script.odd.stray_reports + w->script.odd.unbegun +
					 w->script.odd.unfinished + w->script.odd.overlong,
				 0);
	}
	assert_true(collections > (size_t)WORLDS * STEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_histories),
	};

	return cmocka_run_group_tests_name("model/assembler_property", tests, NULL, NULL);
}
