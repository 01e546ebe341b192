/* SPDX-License-Identifier: BSD-2-Clause */
/* Collections: what began before the attach, what they report, what they are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "script.h"

#define YOUNG 1
#define FULL 3

/* ---------------------------------------------------------------- what began before the attach */

static void finish_without_a_start(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_finish(&s, 5);
	pause_end(&s, 3, U);
	assert_int_equal(s.count, 1);
	assert_true(s.collections[0].is.partial);
	assert_false(s.collections[0].is.incomplete);
	assert_int_equal(s.collections[0].is.start_ns, U);
	assert_string_equal(s.collections[0].what, "gc");
	assert_true(s.pauses[0].is.partial);
	assert_int_equal(s.pauses[0].is.share_ns, U);
	gc_start(&s, 6, YOUNG, 0);
	gc_finish(&s, 6);
	assert_false(s.collections[1].is.partial);
	script__end(&s);
	assert_int_equal(s.odd.unbegun, 0);
	assert_int_equal(s.odd.pauses_unbegun, 0);
}

/* Probes are attached one after the other: what starts meanwhile may lack anything. */
static void starts_amid_the_attach(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	assert_int_equal(assembler__whole_from(s.assembler, 0, 100), 0);
	s.now = 90;
	gc_start(&s, 1, YOUNG, 0);
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	s.now = 110;
	pause_end(&s, 1, U);
	gc_finish(&s, 1);
	assert_true(s.collections[0].is.partial);
	assert_false(s.collections[0].is.incomplete);
	assert_true(s.pauses[0].is.partial);
	gc_start(&s, 2, YOUNG, 0);
	gc_finish(&s, 2);
	assert_false(s.collections[1].is.partial);
	script__end(&s);
}

/* Then neither an end nor a beginning that was not seen is odd. */
static void half_seen_amid_the_attach(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	assert_int_equal(assembler__whole_from(s.assembler, 0, 100), 0);
	s.now = 90;
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	gc_words(&s, "mark", NULL);
	s.now = 120;
	s.overdue = true;
	gc_finish(&s, U);
	pause_end(&s, U, U);
	s.overdue = false;
	assert_int_equal(s.count, 1);
	assert_int_equal(s.pause_count, 1);
	for (s.now = 95; s.now < 98; s.now++) {
		gc_finish(&s, U);
		pause_end(&s, U, U);
	}
	assert_int_equal(s.count, 4);
	assert_int_equal(s.pause_count, 4);
	for (size_t i = 0; i < s.count; i++) {
		assert_true(s.collections[i].is.partial);
		assert_false(s.collections[i].is.incomplete);
		assert_int_equal(s.collections[i].is.pause_ns, U);
		assert_true(s.pauses[i].is.partial);
		assert_false(s.pauses[i].is.incomplete);
		assert_int_equal(s.pauses[i].is.share_ns, U);
	}
	script__end(&s);
	assert_int_equal(s.odd.unbegun + s.odd.unfinished, 0);
	assert_int_equal(s.odd.pauses_unbegun + s.odd.pauses_unended, 0);
}

/* The trace is over, and probes are detached one before the other: only what had begun counts. */
static void half_seen_amid_the_detach(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 10;
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	gc_words(&s, "mark", NULL);
	assembler__over_from(s.assembler, 100);
	for (s.now = 120; s.now < 125; s.now++) {
		gc_finish(&s, U);
		pause_end(&s, U, U);
	}
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	gc_words(&s, "mark", NULL);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.pause_count, 1);
	assert_false(s.collections[0].is.cut_off || s.collections[0].is.incomplete);
	assert_true(s.collections[0].is.pause_ns >= 100);
	script__end(&s);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.pause_count, 1);
	assert_int_equal(s.odd.unbegun + s.odd.unfinished, 0);
	assert_int_equal(s.odd.pauses_unbegun + s.odd.pauses_unended, 0);
}

/* Whose is an end without a number, behind the start of one that is not of this trace? */
static void a_start_amid_the_detach_leaves_doubt(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 10;
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_words(&s, "major", NULL);
	assembler__over_from(s.assembler, 100);
	s.now = 110;
	gc_words(&s, "minor", NULL);
	s.now = 120;
	gc_finish(&s, U);
	assert_int_equal(s.count, 1);
	assert_string_equal(s.collections[0].what, "major");
	assert_true(s.collections[0].is.cut_off);
	script__end(&s);
}

/* Later it is. */
static void an_end_that_is_overdue_is_odd(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	gc_words(&s, "mark", NULL);
	s.overdue = true;
	gc_finish(&s, U);
	pause_end(&s, U, U);
	assert_int_equal(s.count, 1);
	assert_true(s.collections[0].is.incomplete);
	assert_int_equal(s.pauses[0].is.share_ns, U);
	script__end(&s);
	assert_int_equal(s.odd.unfinished, 1);
	assert_int_equal(s.odd.pauses_unended, 1);
}

/* A background collection from before the attach ends after a young one that was seen whole. */
static void old_background_collection_is_partial(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	generation(&s, 6, false, 0, 0, 1000, 1000);
	gc_start(&s, 6, YOUNG, 0);
	gc_finish(&s, 6);
	surviving(&s, 5, 1, 8, 4096, 100);
	gc_finish(&s, 5);
	assert_int_equal(s.count, 2);
	assert_true(s.collections[1].is.partial);
	assert_exactly(s.collections[1].is.survived.bytes, 100);
	assert_false(s.collections[1].is.dead.bytes.known);
	gc_finish(&s, 5);
	surviving(&s, 5, 1, 8, 4096, 100);
	assert_int_equal(s.count, 2);
	script__end(&s);
	assert_int_equal(s.odd.unbegun, 1);
	assert_int_equal(s.odd.stray_reports, 1);
}

/* A parallel collector's batches: one is full before the one that the start stands in. */
static void reports_come_before_the_start(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	for (uint64_t gc = 5; gc < 8; gc++) {
		s.tid = 2;
		moved(&s, gc, 0, 0, 8, 0, 500, 100);
		s.tid = 1;
		pause_begin(&s, gc, GCTRACE_WHY_COLLECTION);
		gc_start(&s, gc, YOUNG, GCTRACE_REASON_ALLOCATION);
		moved(&s, gc, 0, 0, 8, 200, 600, 10);
		gc_finish(&s, gc);
		pause_end(&s, gc, U);
		assert_int_equal(s.count, gc - 4);
		assert_int_equal(s.collections[gc - 5].is.number, gc);
		assert_false(s.collections[gc - 5].is.partial);
		assert_false(s.collections[gc - 5].is.incomplete);
		assert_int_equal(s.collections[gc - 5].is.pause_count, 1);
		assert_exactly(s.collections[gc - 5].is.moved.bytes, 110);
	}
	script__end(&s);
	assert_int_equal(s.odd.unbegun + s.odd.unfinished + s.odd.stray_reports, 0);
}

/* ---------------------------------------------------------------- ranges */

/* Two generations: 0 at [0, 1000), 1 at [10000, 20000), and how much of each is in use. */
static void lay_out(struct script *s, uint64_t gc, uint64_t used0, uint64_t used1)
{
	define(s, GCTRACE_SPACE_GENERATION, 0, "nursery");
	define(s, GCTRACE_SPACE_GENERATION, 1, "old");
	generation(s, gc, false, 0, 0, 1000, 1000);
	generation(s, gc, false, 1, 10000, 8000, 10000);
	pool(s, gc, "nursery", used0, U, U);
	pool(s, gc, "old", used1, U, U);
}

/* A collection of a nursery with so many bytes in it, which tells that so many of them live. */
static void young(struct script *s, uint64_t gc, uint64_t used, uint64_t alive)
{
	gc_start(s, gc, YOUNG, 0);
	lay_out(s, gc, used, 0);
	if (alive)
		moved(s, gc, 0, 0, 8, 0, 500, alive);
	gc_finish(s, gc);
}

/* Ranges of what went on then may have had no probe any more: who is in none need not be dead. */
static void ranges_may_be_missing_amid_the_detach(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	for (s.now = 10; s.now < 400; s.now += 100) {
		gc_start(&s, s.now, YOUNG, 0);
		lay_out(&s, s.now, 800, 5000);
		moved(&s, s.now, 0, 0, 8, 0, 500, 100);
		if (s.now > 300)
			assembler__over_from(s.assembler, 330);
		s.now += 50;
		gc_finish(&s, s.now - 50);
	}
	assert_int_equal(s.count, 3);
	assert_false(s.collections[1].is.cut_off);
	assert_true(s.collections[1].is.dead.bytes.known);
	assert_true(s.collections[2].is.cut_off);
	assert_false(s.collections[2].is.dead.bytes.known);
	script__end(&s);
}

/* Threads fill batches of their own: that with the start may be fired when the probe is gone. */
static void a_start_may_be_missing_amid_the_detach(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 10;
	young(&s, 1, 800, 100);
	s.now = 90;
	moved(&s, 2, 0, 0, 8, 0, 500, 100);
	assembler__over_from(s.assembler, 100);
	leave(&s);
	assert_int_equal(s.count, 2);
	assert_true(s.collections[1].is.cut_off);
	assert_false(s.collections[1].is.incomplete || s.collections[1].is.partial);
	assert_int_equal(s.odd.unbegun, 0);
	script__end(&s);
}

static void moved_stayed_promoted_dead(void **state)
{
	struct script s;
	const struct collection *c;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	lay_out(&s, 1, 800, 5000);
	moved(&s, 1, 0, 0, 8, 0, 500, 100);    /* within the nursery */
	moved(&s, 1, 0, 0, 8, 200, 15000, 50); /* promoted */
	moved(&s, 1, 0, 0, 8, 300, 300, 24);   /* pinned */
	gc_finish(&s, 1);
	c = &s.collections[0].is;
	assert_exactly(c->condemned.bytes, 800);
	assert_exactly(c->moved.bytes, 150);
	assert_exactly(c->stayed.bytes, 24);
	assert_exactly(c->survived.bytes, 174);
	assert_exactly(c->promoted.bytes, 50);
	assert_exactly(c->dead.bytes, 800 - 174);
	assert_false(c->moved.objects.known);
	assert_int_equal(c->before_bytes, 5800);
	assert_int_equal(c->after_bytes, U);
	assert_int_equal(c->oldest, 0);
	script__end(&s);
}

static void one_report_in_both_widths_counts_once(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, FULL, 0);
	lay_out(&s, 1, 800, 5000);
	moved(&s, 1, 0, 0, 4, 0, 500, 100);
	moved(&s, 1, 0, 0, 8, 0, 500, 100);
	moved(&s, 1, 0, 0, 8, 200, 600, 50);
	surviving(&s, 1, 1, 4, 10000, 700); /* of this generation only the narrow form came */
	gc_finish(&s, 1);
	assert_exactly(s.collections[0].is.moved.bytes, 150);
	assert_exactly(s.collections[0].is.survived.bytes, 850);
	assert_exactly(s.collections[0].is.dead.bytes, 5800 - 850);
	script__end(&s);
}

/* Moved twice in two phases: alive once. What was promoted in between is swept around once. */
static void phases_are_chained(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, FULL, 0);
	lay_out(&s, 1, 800, 5000);
	moved(&s, 1, 1, 1, 8, 15000, 10500, 40); /* phase 1, told first: the promoted, again */
	moved(&s, 1, 1, 1, 8, 12000, 10540, 60);
	moved(&s, 1, 0, 0, 8, 200, 15000, 40); /* phase 0: promoted */
	surviving(&s, 1, 1, 8, 10500, 100);
	gc_finish(&s, 1);
	assert_exactly(s.collections[0].is.moved.bytes, 140);
	assert_exactly(s.collections[0].is.survived.bytes, 100);
	assert_exactly(s.collections[0].is.promoted.bytes, 40);
	assert_exactly(s.collections[0].is.dead.bytes, 5800 - 100);
	script__end(&s);
}

static void generation_after_decides_promotion(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	lay_out(&s, 1, 800, 5000);
	moved(&s, 1, 0, 0, 8, 0, 0, 400); /* stays, but its place becomes old */
	generation(&s, 1, true, 0, 500, 0, 500);
	generation(&s, 1, true, 1, 10000, 5000, 10000);
	generation(&s, 1, true, 1, 0, 400, 500);
	gc_finish(&s, 1);
	assert_exactly(s.collections[0].is.promoted.bytes, 400);
	assert_exactly(s.collections[0].is.dead.bytes, 400);
	script__end(&s);
}

/* New places in no generation that was told: what is promoted lies between. */
static void unknown_places_are_estimated(void **state)
{
	struct script s;
	struct amount promoted;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	lay_out(&s, 1, 800, 5000);
	moved(&s, 1, 0, 0, 8, 0, 15000, 30);
	moved(&s, 1, 0, 0, 8, 100, 90000, 70);
	gc_finish(&s, 1);
	promoted = s.collections[0].is.promoted.bytes;
	assert_true(promoted.known && promoted.estimated);
	assert_int_equal(promoted.low, 30);
	assert_int_equal(promoted.high, 100);
	script__end(&s);
}

/* Without a pool of that name it is only known how much a generation spans. */
static void spans_of_generations_bound_the_dead(void **state)
{
	struct script s;
	const struct collection *c;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	generation(&s, 1, false, 0, 0, 1000, 1000);
	generation(&s, 1, false, 1, 10000, 8000, 10000);
	moved(&s, 1, 0, 0, 8, 0, 500, 100);
	generation(&s, 1, true, 0, 0, 100, 1000);
	generation(&s, 1, true, 1, 10000, 8000, 10000);
	gc_finish(&s, 1);
	c = &s.collections[0].is;
	assert_true(c->condemned.bytes.known && c->condemned.bytes.estimated);
	assert_true(c->dead.bytes.known && c->dead.bytes.estimated);
	assert_int_equal(c->dead.bytes.low, 0);
	assert_int_equal(c->dead.bytes.high, 900);
	assert_int_equal(c->before_bytes, 9000);
	assert_int_equal(c->after_bytes, 8100);
	script__end(&s);
}

static void no_generations_no_promotion(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	moved(&s, 1, 0, 0, 8, 0, 15000, 30);
	gc_finish(&s, 1);
	assert_false(s.collections[0].is.promoted.bytes.known);
	assert_false(s.collections[0].is.dead.bytes.known);
	assert_exactly(s.collections[0].is.moved.bytes, 30);
	script__end(&s);
}

static void nothing_reported_is_nothing_alive(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	young(&s, 1, 800, 8);
	young(&s, 2, 700, 0);
	assert_exactly(s.collections[1].is.survived.bytes, 0);
	assert_exactly(s.collections[1].is.dead.bytes, 700);
	script__end(&s);
}

/* A listener came in its midst, or left. */
static void untold_ranges_are_not_dead(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	young(&s, 1, 800, 8);
	s.untold = true;
	young(&s, 2, 700, 8);
	assert_true(s.collections[1].is.untold);
	assert_false(s.collections[1].is.moved.bytes.known);
	assert_false(s.collections[1].is.survived.bytes.known);
	assert_false(s.collections[1].is.dead.bytes.known);
	assert_exactly(s.collections[1].is.condemned.bytes, 700);
	script__end(&s);
}

/* A pool that counts its gaps as in use. */
static void free_space_has_not_died(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	lay_out(&s, 1, 800, 0);
	figure(&s, 1, GCTRACE_FIGURE_FREE_BEFORE, 0, 300);
	figure(&s, 1, GCTRACE_FIGURE_PINNED, U, 5);
	moved(&s, 1, 0, 0, 8, 0, 500, 100);
	gc_finish(&s, 1);
	assert_exactly(s.collections[0].is.condemned.bytes, 500);
	assert_exactly(s.collections[0].is.dead.bytes, 400);
	assert_int_equal(s.collections[0].is.figure_count, 2);
	gc_start(&s, 2, YOUNG, 0);
	lay_out(&s, 2, 800, 0);
	figure(&s, 2, GCTRACE_FIGURE_FREE_BEFORE, 0, U);
	moved(&s, 2, 0, 0, 8, 0, 500, 100);
	gc_finish(&s, 2);
	assert_true(s.collections[1].is.dead.bytes.estimated);
	assert_int_equal(s.collections[1].is.dead.bytes.low, 0);
	assert_int_equal(s.collections[1].is.dead.bytes.high, 700);
	script__end(&s);
}

static void the_end_tells_how(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.end_how = GCTRACE_HOW_COMPACTING;
	gc_start(&s, 1, YOUNG, 0);
	gc_finish(&s, 1);
	assert_int_equal(s.collections[0].is.how, GCTRACE_HOW_COMPACTING);
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_start(&s, 2, YOUNG, 0);
	gc_finish(&s, 2);
	assert_int_equal(s.collections[1].is.how, GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT);
	script__end(&s);
}

static void more_alive_than_there_was(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	young(&s, 1, 50, 100);
	assert_false(s.collections[0].is.dead.bytes.known);
	script__end(&s);
}

static void ranges_that_wrap_are_odd(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	moved(&s, 1, 0, 0, 8, UINT64_MAX - 5, 500, 100);
	moved(&s, 1, 0, 0, 8, 8, UINT64_MAX - 5, 100);
	moved(&s, 1, 0, 0, 8, 0, 500, 0);
	moved(&s, 1, 0, 0, 8, 0, 500, 16);
	gc_finish(&s, 1);
	assert_exactly(s.collections[0].is.moved.bytes, 16);
	assert_true(s.collections[0].is.incomplete);
	script__end(&s);
	assert_int_equal(s.odd.overlong, 2);
}

/* What young collections promote while the old space is marked may be among its survivors. */
static void newcomers_of_a_background_collection(void **state)
{
	struct script s;
	struct amount dead;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_start(&s, 1, 2, 0);
	lay_out(&s, 1, 0, 5000);
	s.how = GCTRACE_HOW_COPYING;
	gc_start(&s, 2, YOUNG, 0);
	lay_out(&s, 2, 800, 5000);
	moved(&s, 2, 0, 0, 8, 0, 16000, 200);
	gc_finish(&s, 2);
	surviving(&s, 1, 1, 8, 10000, 3000);
	gc_finish(&s, 1);
	assert_int_equal(s.collections[1].is.number, 1);
	dead = s.collections[1].is.dead.bytes;
	assert_true(dead.known && dead.estimated);
	assert_int_equal(dead.low, 2000);
	assert_int_equal(dead.high, 2200);
	script__end(&s);
}

/* ---------------------------------------------------------------- pools and names */

static void pools_are_summed(void **state)
{
	struct script s;
	struct script_collection *c;

	(void)state;
	script__begin(&s);
	pause_begin(&s, U, 0);
	gc_words(&s, "young", "G1 Evacuation Pause");
	pool(&s, U, "G1 Eden Space", 1000, U, U);
	pool(&s, U, "G1 Old Gen", 300, 350, 4000);
	s.outside = true;
	pool(&s, U, "Metaspace", 70, 70, 90);
	s.outside = false;
	pool(&s, U, "G1 Eden Space", U, 0, 2000);
	gc_finish(&s, U);
	pause_end(&s, U, U);
	c = &s.collections[0];
	assert_int_equal(c->is.pool_count, 3);
	assert_string_equal(c->pool_names[0], "G1 Eden Space");
	assert_int_equal(c->pools[0].before, 1000);
	assert_int_equal(c->pools[0].after, 0);
	assert_true(c->pools[2].outside);
	assert_int_equal(c->is.before_bytes, 1300);
	assert_int_equal(c->is.after_bytes, 350);
	assert_int_equal(c->is.committed_bytes, 6000);
	assert_string_equal(c->cause, "G1 Evacuation Pause");
	script__end(&s);
}

static void sums_need_every_pool(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	pool(&s, 1, "a", 10, 5, U);
	pool(&s, 1, "b", U, 5, U);
	gc_finish(&s, 1);
	assert_int_equal(s.collections[0].is.before_bytes, U);
	assert_int_equal(s.collections[0].is.after_bytes, 10);
	assert_int_equal(s.collections[0].is.committed_bytes, U);
	script__end(&s);
}

/* Nobody has a thousand pools; who tells of more has an incomplete line, not our time. */
static void pools_are_bounded(void **state)
{
	struct script s;
	char name[32];

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	for (unsigned int i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "%u", i);
		pool(&s, 1, name, 10, 5, 20);
	}
	gc_finish(&s, 1);
	assert_in_range(s.collections[0].is.pool_count, 512, 1024);
	assert_true(s.collections[0].is.incomplete);
	assert_int_equal(s.collections[0].is.before_bytes, U);
	assert_int_equal(s.collections[0].is.after_bytes, U);
	script__end(&s);
}

static void words_of_the_producer(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	define(&s, GCTRACE_SPACE_REASON, 300, "moon phase");
	define(&s, GCTRACE_SPACE_WHY, 300, "tidying");
	define(&s, GCTRACE_SPACE_COLLECTION, YOUNG, "gen0");
	define(&s, GCTRACE_SPACE_COLLECTION, 6, "gen2");
	pause_begin(&s, 1, 300);
	gc_start(&s, 1, YOUNG, 300);
	gc_finish(&s, 1);
	pause_end(&s, 1, U);
	gc_start(&s, 2, 4, 301);
	gc_finish(&s, 2);
	assert_string_equal(s.collections[0].cause, "moon phase");
	assert_string_equal(s.collections[0].what, "gen0");
	assert_string_equal(s.collections[0].pause_what[0], "tidying");
	assert_string_equal(s.collections[1].cause, "");
	assert_string_equal(s.collections[1].what, "gen 2");
	script__end(&s);
}

/* Of the generation that it is called after, not of what is condemned beside it. */
static void a_generation_by_its_name(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	define(&s, GCTRACE_SPACE_GENERATION, 2, "gen2");
	define(&s, GCTRACE_SPACE_GENERATION, 4, "pinned");
	define(&s, GCTRACE_SPACE_COLLECTION, 0x1f, "gen2");
	gc_start(&s, 1, 0x1f, 0);
	gc_finish(&s, 1);
	gc_start(&s, 2, 0x1d, 0);
	gc_finish(&s, 2);
	assert_string_equal(s.collections[0].what, "gen2");
	assert_int_equal(s.collections[0].is.oldest, 2);
	assert_int_equal(s.collections[1].is.oldest, 4);
	script__end(&s);
}

static void what_by_generations(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	generation(&s, 1, false, 0, 0, 0, 1000);
	generation(&s, 1, false, 1, 1000, 0, 1000);
	generation(&s, 1, false, 2, 2000, 0, 1000);
	gc_start(&s, 1, 1, 0);
	gc_finish(&s, 1);
	gc_start(&s, 2, 3, 0);
	gc_finish(&s, 2);
	gc_start(&s, 3, 7, 0);
	gc_finish(&s, 3);
	gc_start(&s, 4, U, 0);
	gc_finish(&s, 4);
	gc_start(&s, 5, 6, 0);
	gc_finish(&s, 5);
	assert_string_equal(s.collections[0].what, "young");
	assert_string_equal(s.collections[1].what, "gen 1");
	assert_string_equal(s.collections[2].what, "full");
	assert_string_equal(s.collections[3].what, "full");
	assert_int_equal(s.collections[3].is.oldest, 2);
	assert_string_equal(s.collections[4].what, "old");
	script__end(&s);
}

static void targets_do_not_mix(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.target = 1;
	gc_start(&s, 1, YOUNG, 0);
	s.target = 2;
	gc_start(&s, 1, YOUNG, 0);
	moved(&s, 1, 0, 0, 8, 0, 500, 100);
	gc_finish(&s, 1);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.target, 2);
	s.target = 1;
	leave(&s);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[1].is.target, 1);
	assert_true(s.collections[1].is.cut_off);
	assert_false(s.collections[1].is.moved.bytes.known);
	script__end(&s);
	assert_int_equal(s.ended, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finish_without_a_start),
		cmocka_unit_test(starts_amid_the_attach),
		cmocka_unit_test(half_seen_amid_the_attach),
		cmocka_unit_test(half_seen_amid_the_detach),
		cmocka_unit_test(a_start_amid_the_detach_leaves_doubt),
		cmocka_unit_test(ranges_may_be_missing_amid_the_detach),
		cmocka_unit_test(a_start_may_be_missing_amid_the_detach),
		cmocka_unit_test(an_end_that_is_overdue_is_odd),
		cmocka_unit_test(old_background_collection_is_partial),
		cmocka_unit_test(reports_come_before_the_start),
		cmocka_unit_test(moved_stayed_promoted_dead),
		cmocka_unit_test(one_report_in_both_widths_counts_once),
		cmocka_unit_test(phases_are_chained),
		cmocka_unit_test(generation_after_decides_promotion),
		cmocka_unit_test(unknown_places_are_estimated),
		cmocka_unit_test(spans_of_generations_bound_the_dead),
		cmocka_unit_test(no_generations_no_promotion),
		cmocka_unit_test(nothing_reported_is_nothing_alive),
		cmocka_unit_test(untold_ranges_are_not_dead),
		cmocka_unit_test(free_space_has_not_died),
		cmocka_unit_test(the_end_tells_how),
		cmocka_unit_test(more_alive_than_there_was),
		cmocka_unit_test(ranges_that_wrap_are_odd),
		cmocka_unit_test(newcomers_of_a_background_collection),
		cmocka_unit_test(pools_are_summed),
		cmocka_unit_test(sums_need_every_pool),
		cmocka_unit_test(pools_are_bounded),
		cmocka_unit_test(words_of_the_producer),
		cmocka_unit_test(a_generation_by_its_name),
		cmocka_unit_test(what_by_generations),
		cmocka_unit_test(targets_do_not_mix),
	};

	return cmocka_run_group_tests_name("model/assembler collections", tests, NULL, NULL);
}
