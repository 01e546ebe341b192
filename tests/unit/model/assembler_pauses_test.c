/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses: whose they are, how they are shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "script.h"

#define YOUNG 1
#define FULL 3

/* ---------------------------------------------------------------- one pause, one collection */

static void waits_for_the_end_of_its_pause(void **state)
{
	struct script s;
	struct script_collection *c;

	(void)state;
	script__begin(&s);
	s.now = 100;
	pause_begin(&s, 7, GCTRACE_WHY_COLLECTION);
	s.now = 110;
	gc_start(&s, 41, YOUNG, GCTRACE_REASON_ALLOCATION);
	s.now = 150;
	gc_finish(&s, 41);
	assert_int_equal(s.count, 0);
	s.now = 160;
	pause_end(&s, 7, 4);
	assert_int_equal(s.count, 1);
	c = &s.collections[0];
	assert_int_equal(c->is.number, 41);
	assert_false(c->is.counted_here);
	assert_string_equal(c->what, "young");
	assert_string_equal(c->cause, "allocation");
	assert_int_equal(c->is.start_ns, 110);
	assert_int_equal(c->is.end_ns, 150);
	assert_int_equal(c->is.pause_count, 1);
	assert_int_equal(c->is.pause_ns, 60);
	assert_int_equal(c->is.pause_max_ns, 60);
	assert_int_equal(c->is.suspend_ns, 4);
	assert_int_equal(c->pauses[0].number, 7);
	assert_int_equal(c->pauses[0].share_ns, 60);
	assert_false(c->pauses[0].shared);
	assert_false(c->is.partial || c->is.incomplete || c->is.cut_off || c->is.concurrent);
	assert_int_equal(s.pause_count, 1);
	assert_int_equal(s.pauses[0].collections, 1);
	script__end(&s);
	assert_int_equal(s.count, 1);
}

/* Times that nobody can mean: no sum of them wraps around to a small one. */
static void absurd_times_do_not_wrap(void **state)
{
	const uint64_t half = UINT64_C(1) << 63;
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_CONCURRENT;
	s.now = 1;
	gc_start(&s, 1, FULL, 0);
	for (uint64_t pause = 1; pause <= 2; pause++) {
		s.now = 2;
		pause_begin(&s, pause, GCTRACE_WHY_REMARK);
		s.now = half + 3;
		pause_end(&s, pause, half);
	}
	gc_finish(&s, 1);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.pause_count, 2);
	assert_int_equal(s.collections[0].is.pause_ns, U);
	assert_int_equal(s.collections[0].is.suspend_ns, U);
	assert_int_equal(s.collections[0].is.pause_max_ns, half + 1);
	script__end(&s);
}

static void needs_no_pause(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_words(&s, "mark", NULL);
	gc_counted(&s, 12);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.number, 1);
	assert_true(s.collections[0].is.counted_here);
	assert_string_equal(s.collections[0].what, "mark");
	assert_string_equal(s.collections[0].cause, "");
	assert_int_equal(s.collections[0].is.pause_count, 0);
	assert_int_equal(s.collections[0].is.pause_ns, U);
	assert_int_equal(s.collections[0].is.suspend_ns, U);
	assert_exactly(s.collections[0].is.dead.objects, 12);
	assert_false(s.collections[0].is.dead.bytes.known);
	assert_false(s.collections[0].is.moved.bytes.known);
	assert_int_equal(s.collections[0].is.before_bytes, U);
	script__end(&s);
}

static void pause_inside_a_collection(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_SWEEPING;
	s.now = 10;
	gc_start(&s, 1, FULL, 0);
	s.now = 11;
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	s.now = 15;
	pause_end(&s, U, U);
	s.now = 20;
	gc_finish(&s, 1);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.pause_ns, 4);
	assert_false(s.collections[0].is.incomplete);
	script__end(&s);
}

/* A producer says at once what goes on when somebody comes, and since when. */
static void a_stop_in_progress_is_known(void **state)
{
	uint64_t since = 0;
	struct text what;
	struct script s;

	(void)state;
	script__begin(&s);
	assert_int_equal(assembler__whole_from(s.assembler, s.target, 100), 0);
	assert_false(assembler__stopped(s.assembler, s.target, &since, &what));
	s.now = 40;
	pause_begin(&s, 7, GCTRACE_WHY_COLLECTION);
	assert_true(assembler__stopped(s.assembler, s.target, &since, &what));
	assert_int_equal(since, 40);
	assert_false(assembler__stopped(s.assembler, s.target + 1, &since, &what));
	s.now = 130;
	pause_end(&s, 7, U);
	assert_false(assembler__stopped(s.assembler, s.target, &since, &what));
	assert_true(s.pauses[0].is.partial);
	assert_int_equal(s.pauses[0].is.inside_ns, 30);
	script__end(&s);
}

/* The attach falls into a stop, and so does the end of the trace. */
static void stops_at_both_edges(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	assert_int_equal(assembler__whole_from(s.assembler, s.target, 100), 0);
	s.now = 130;
	pause_end(&s, U, U);
	assert_true(s.pauses[0].is.partial);
	assert_int_equal(s.pauses[0].is.share_ns, U);
	assert_int_equal(s.pauses[0].is.inside_ns, 30);
	s.now = 200;
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	s.now = 201;
	gc_start(&s, 1, FULL, 0);
	assert_int_equal(assembler__end_all(s.assembler), 0);
	assert_true(s.pauses[1].is.open);
	assert_int_equal(s.pauses[1].is.start_ns, 200);
	assert_int_equal(s.pauses[1].is.share_ns, U);
	assert_true(s.collections[0].is.cut_off);
	script__end(&s);
}

static void two_collections_share_a_pause(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 100;
	pause_begin(&s, U, GCTRACE_WHY_COLLECTION);
	s.now = 105;
	gc_start(&s, 1, YOUNG, 0);
	s.now = 120;
	gc_finish(&s, 1);
	s.now = 130;
	gc_start(&s, 2, FULL, 0);
	s.now = 190;
	gc_finish(&s, 2);
	s.now = 200;
	pause_end(&s, U, 4);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[0].is.pause_ns, 30);
	assert_int_equal(s.collections[1].is.pause_ns, 70);
	assert_true(s.collections[0].pauses[0].shared && s.collections[1].pauses[0].shared);
	for (size_t i = 0; i < 2; i++) {
		assert_true(s.collections[i].is.shares_stop);
		assert_int_equal(s.collections[i].is.shared_start_ns, 100);
		assert_int_equal(s.collections[i].is.shared_ns, 100);
		assert_int_equal(s.collections[i].is.stop_max_ns, 100);
	}
	/* The threads were stopped once: sums over collections count it once. */
	assert_int_equal(s.collections[0].is.suspend_ns, 4);
	assert_int_equal(s.collections[1].is.suspend_ns, U);
	assert_int_equal(s.pauses[0].is.suspend_ns, 4);
	assert_int_equal(s.pauses[0].is.share_ns, 100);
	assert_int_equal(s.pauses[0].collections, 2);
	script__end(&s);
}

/*
 * .NET: a background collection begins before a young one of the same stop, and is told behind that
 * one's end. Until then the stop was the young one's.
 */
static void an_older_start_takes_nothing_of_what_ended(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 100;
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	s.now = 120;
	gc_start(&s, 11, YOUNG, 0);
	s.now = 900;
	gc_finish(&s, 11);
	s.now = 110;
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_start(&s, 10, FULL, 0);
	s.now = 950;
	pause_end(&s, 1, 4);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.number, 11);
	assert_int_equal(s.collections[0].is.pause_ns, 800);
	assert_int_equal(s.collections[0].is.suspend_ns, 4);
	s.now = 1000;
	gc_finish(&s, 10);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[1].is.start_ns, 110);
	assert_int_equal(s.collections[1].is.pause_ns, 50);
	script__end(&s);
}

static void nested_collections_divide_the_pause(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	s.now = 10;
	gc_start(&s, 1, FULL, 0);
	s.now = 20;
	gc_start(&s, 2, YOUNG, 0);
	s.now = 50;
	gc_finish(&s, 2);
	s.now = 90;
	gc_finish(&s, 1);
	s.now = 100;
	pause_end(&s, 1, U);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[0].is.number, 2);
	assert_int_equal(s.collections[0].is.pause_ns, 30);
	assert_int_equal(s.collections[1].is.number, 1);
	assert_int_equal(s.collections[1].is.pause_ns, 70);
	assert_int_equal(s.collections[1].is.pause_count, 1);
	script__end(&s);
}

static void nested_pauses_are_told_apart_by_number(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	pause_begin(&s, 1, GCTRACE_WHY_OTHER);
	s.now = 10;
	pause_begin(&s, 2, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 1, YOUNG, 0);
	gc_finish(&s, 1);
	s.now = 20;
	pause_end(&s, 2, U);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.pause_ns, 10);
	s.now = 50;
	pause_end(&s, 1, U);
	assert_int_equal(s.pause_count, 2);
	assert_int_equal(s.pauses[1].is.share_ns, 50);
	assert_int_equal(s.pauses[1].collections, 0);
	script__end(&s);
	assert_int_equal(s.odd.pauses_unended, 0);
}

static void pauses_for_other_things(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_start(&s, 1, FULL, 0);
	pause_begin(&s, 1, GCTRACE_WHY_OTHER);
	s.now = 5;
	pause_end(&s, 1, U);
	assert_int_equal(s.pause_count, 1);
	assert_int_equal(s.pauses[0].collections, 0);
	assert_string_equal(s.pauses[0].what, "other");
	gc_finish(&s, 1);
	assert_int_equal(s.collections[0].is.pause_count, 0);
	assert_int_equal(s.collections[0].is.pause_ns, U);
	script__end(&s);
}

/* ---------------------------------------------------------------- concurrent ones */

static void young_inside_a_background_one(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_CONCURRENT;
	pause_begin(&s, 1, GCTRACE_WHY_MARK_START);
	gc_start(&s, 10, FULL, GCTRACE_REASON_THRESHOLD);
	s.now = 10;
	pause_end(&s, 1, U);
	s.how = GCTRACE_HOW_COPYING;
	s.now = 100;
	pause_begin(&s, 2, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 11, YOUNG, GCTRACE_REASON_ALLOCATION);
	gc_finish(&s, 11);
	s.now = 120;
	pause_end(&s, 2, U);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.collections[0].is.number, 11);
	assert_true(s.collections[0].is.overlapped);
	assert_false(s.collections[0].is.concurrent);
	assert_int_equal(s.collections[0].is.pause_ns, 20);
	s.now = 200;
	pause_begin(&s, 3, GCTRACE_WHY_REMARK);
	s.now = 230;
	pause_end(&s, 3, U);
	s.now = 300;
	gc_finish(&s, 10);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[1].is.number, 10);
	assert_true(s.collections[1].is.concurrent);
	assert_false(s.collections[1].is.overlapped);
	assert_int_equal(s.collections[1].is.pause_count, 2);
	assert_int_equal(s.collections[1].is.pause_ns, 40);
	assert_int_equal(s.collections[1].is.pause_max_ns, 30);
	assert_string_equal(s.collections[1].pause_what[0], "mark start");
	assert_string_equal(s.collections[1].pause_what[1], "remark");
	script__end(&s);
}

static void a_foreign_thread_ends_amid_a_pause(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_CONCURRENT;
	gc_start(&s, 1, FULL, 0);
	s.how = GCTRACE_HOW_COPYING;
	s.now = 10;
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 2, YOUNG, 0);
	s.tid = 9;
	s.now = 15;
	gc_finish(&s, 1);
	s.tid = 1;
	gc_finish(&s, 2);
	s.now = 20;
	pause_end(&s, 1, U);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.collections[0].is.number, 1);
	assert_int_equal(s.collections[0].is.pause_count, 0);
	assert_int_equal(s.collections[1].is.pause_ns, 10);
	script__end(&s);
}

static void unnumbered_ones_are_told_apart_by_thread(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.tid = 1;
	s.now = 1;
	gc_words(&s, "one", NULL);
	s.tid = 2;
	s.now = 2;
	gc_words(&s, "two", NULL);
	s.tid = 1;
	s.now = 3;
	gc_counted(&s, 111);
	s.tid = 2;
	gc_counted(&s, 222);
	assert_int_equal(s.count, 2);
	assert_string_equal(s.collections[0].what, "one");
	assert_exactly(s.collections[0].is.dead.objects, 111);
	assert_string_equal(s.collections[1].what, "two");
	assert_exactly(s.collections[1].is.dead.objects, 222);
	script__end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_the_end_of_its_pause),
		cmocka_unit_test(absurd_times_do_not_wrap),
		cmocka_unit_test(needs_no_pause),
		cmocka_unit_test(pause_inside_a_collection),
		cmocka_unit_test(a_stop_in_progress_is_known),
		cmocka_unit_test(stops_at_both_edges),
		cmocka_unit_test(two_collections_share_a_pause),
		cmocka_unit_test(an_older_start_takes_nothing_of_what_ended),
		cmocka_unit_test(nested_collections_divide_the_pause),
		cmocka_unit_test(nested_pauses_are_told_apart_by_number),
		cmocka_unit_test(pauses_for_other_things),
		cmocka_unit_test(young_inside_a_background_one),
		cmocka_unit_test(a_foreign_thread_ends_amid_a_pause),
		cmocka_unit_test(unnumbered_ones_are_told_apart_by_thread),
	};

	return cmocka_run_group_tests_name("model/assembler pauses", tests, NULL, NULL);
}
