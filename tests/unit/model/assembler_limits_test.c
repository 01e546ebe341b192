/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes wrong: losses, contradictions, more than is kept. */
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

/* ---------------------------------------------------------------- what goes wrong */

static void target_dies_amid_a_collection(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 1, FULL, GCTRACE_REASON_EXPLICIT);
	leave(&s);
	assert_int_equal(s.count, 1);
	assert_true(s.collections[0].is.cut_off);
	assert_false(s.collections[0].is.incomplete);
	assert_int_equal(s.collections[0].is.end_ns, U);
	assert_int_equal(s.collections[0].is.pause_ns, U);
	assert_int_equal(s.ended, 1);
	script__end(&s);
	assert_int_equal(s.ended, 1);
	assert_int_equal(s.count, 1);
}

static void finish_was_lost(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.how = GCTRACE_HOW_COPYING;
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 1, YOUNG, 0);
	pause_end(&s, 1, U);
	assert_int_equal(s.count, 0);
	pause_begin(&s, 2, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 2, YOUNG, 0);
	assert_int_equal(s.count, 1);
	assert_true(s.collections[0].is.cut_off);
	assert_true(s.collections[0].is.incomplete);
	gc_finish(&s, 2);
	pause_end(&s, 2, U);
	assert_int_equal(s.count, 2);
	assert_false(s.collections[1].is.cut_off || s.collections[1].is.incomplete);
	script__end(&s);
	assert_int_equal(s.odd.unfinished, 1);
}

static void pause_end_was_lost(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	pause_begin(&s, 1, GCTRACE_WHY_COLLECTION);
	gc_start(&s, 1, YOUNG, 0);
	gc_finish(&s, 1);
	loss(&s);
	assert_int_equal(s.count, 0);
	pause_begin(&s, 2, GCTRACE_WHY_COLLECTION);
	assert_int_equal(s.count, 1);
	assert_true(s.collections[0].is.incomplete);
	assert_int_equal(s.collections[0].is.pause_ns, U);
	script__end(&s);
}

static void start_was_lost(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	gc_finish(&s, 1);
	loss(&s);
	gc_finish(&s, 2);
	assert_int_equal(s.count, 2);
	assert_false(s.collections[1].is.partial);
	assert_true(s.collections[1].is.incomplete);
	script__end(&s);
	assert_int_equal(s.odd.unbegun, 0);
}

static void loss_marks_what_is_going_on(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.now = 10;
	gc_start(&s, 1, YOUNG, 0);
	generation(&s, 1, false, 0, 0, 1000, 1000);
	moved(&s, 1, 0, 0, 8, 0, 5000, 100);
	loss(&s);
	gc_finish(&s, 1);
	assert_true(s.collections[0].is.incomplete);
	assert_exactly(s.collections[0].is.moved.bytes, 100);
	assert_false(s.collections[0].is.dead.bytes.known);
	gc_start(&s, 2, YOUNG, 0); /* at the very time that the loss may have lasted until */
	s.now = 11;
	gc_finish(&s, 2);
	assert_true(s.collections[1].is.incomplete);
	gc_start(&s, 3, YOUNG, 0);
	gc_finish(&s, 3);
	assert_false(s.collections[2].is.incomplete);
	script__end(&s);
}

static void stray_reports_are_counted(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, YOUNG, 0);
	gc_finish(&s, 1);
	moved(&s, 1, 0, 0, 8, 0, 5000, 100);
	pool(&s, 1, "eden", 1, 0, U);
	assert_int_equal(s.count, 1);
	assert_false(s.collections[0].is.moved.bytes.known);
	script__end(&s);
	assert_int_equal(s.odd.stray_reports, 2);
}

static void any_number_of_starts_is_bounded(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	for (uint64_t gc = 1; gc <= 3000; gc++)
		gc_start(&s, gc, YOUNG, 0);
	assert_in_range(s.count, 3000 - 64, 3000 - 16);
	for (uint64_t pause = 1; pause <= 200; pause++)
		pause_begin(&s, pause, GCTRACE_WHY_OTHER);
	assert_in_range(s.pause_count, 100, 160);
	script__end(&s);
	assert_int_equal(s.count, 3000);
}

/* A runtime that never says that a collection starts or ends, or one that wants our memory. */
static void any_number_of_reports_is_bounded(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	for (uint64_t gc = 1; gc <= 1500; gc++)
		pool(&s, gc, "heap", 1, 2, U);
	for (uint64_t gc = 1501; gc <= 3000; gc++)
		moved(&s, gc, 0, 0, 8, 0, 500, 100);
	assert_in_range(s.count, 3000 - 64, 3000 - 16);
	assert_int_equal(s.collections[0].is.number, 1);
	assert_true(s.collections[0].is.partial);
	assert_true(s.collections[0].is.cut_off);
	assert_string_equal(s.collections[0].pool_names[0], "heap");
	script__end(&s);
	assert_int_equal(s.count, 3000);
}

/*
 * Where ranges come to lie is kept for a few collections at a time: of more, promotion is an
 * estimate, and sums are exact as ever.
 */
static void few_keep_places(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	generation(&s, 1, false, 0, 0, 1000, 1000);
	generation(&s, 1, false, 1, 10000, 8000, 10000);
	for (uint64_t gc = 1; gc <= 10; gc++) {
		gc_start(&s, gc, YOUNG, 0);
		moved(&s, gc, 0, 0, 8, 0, 10000, 100);
	}
	for (uint64_t gc = 1; gc <= 10; gc++)
		gc_finish(&s, gc);
	assert_int_equal(s.count, 10);
	for (size_t i = 0; i < 10; i++) {
		const struct portion *promoted = &s.collections[i].is.promoted;

		assert_exactly(s.collections[i].is.moved.bytes, 100);
		assert_true(promoted->bytes.known);
		assert_int_equal(promoted->bytes.value, 100);
		assert_int_equal(promoted->bytes.estimated, i >= 4);
	}
	gc_start(&s, 11, YOUNG, 0);
	moved(&s, 11, 0, 0, 8, 0, 10000, 100);
	gc_finish(&s, 11);
	assert_exactly(s.collections[10].is.promoted.bytes, 100);
	script__end(&s);
}

/* More than is kept: figures are missing, the collection says so, and the end tells why. */
static void what_is_crowded_out_is_counted(void **state)
{
	struct script s;
	char name[20];

	(void)state;
	script__begin(&s);
	gc_start(&s, 1, FULL, 0);
	for (unsigned int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "region %u", i);
		pool(&s, 1, name, 1, 2, U);
	}
	gc_finish(&s, 1);
	gc_start(&s, 2, FULL, 0);
	for (uint64_t i = 0; i < 300; i++)
		moved(&s, 2, i, 0, 8, 100 * i, 50000 + 100 * i, 100);
	gc_finish(&s, 2);
	gc_start(&s, 3, FULL, 0);
	gc_finish(&s, 3);
	assert_int_equal(s.count, 3);
	assert_true(s.collections[0].is.incomplete);
	assert_true(s.collections[1].is.incomplete);
	assert_false(s.collections[1].is.moved.bytes.known);
	assert_false(s.collections[2].is.incomplete);
	for (uint64_t i = 0; i < 70000; i++)
		generation(&s, 4, false, 1, 1000 * i, 100, 100);
	gc_start(&s, 4, FULL, 0);
	moved(&s, 4, 0, 0, 8, 100, 50000, 100);
	gc_finish(&s, 4);
	assert_exactly(s.collections[3].is.moved.bytes, 100);
	assert_false(s.collections[3].is.promoted.bytes.known);
	gc_start(&s, 5, FULL, 0);
	for (uint64_t i = 0; i < 5000; i++)
		figure(&s, 5, GCTRACE_FIGURE_PROMOTED, i, 100);
	generation(&s, 5, false, 1, 0, 100, 100);
	gc_finish(&s, 5);
	assert_true(s.collections[4].is.incomplete);
	script__end(&s);
	assert_int_equal(s.odd.crowded, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_dies_amid_a_collection),
		cmocka_unit_test(finish_was_lost),
		cmocka_unit_test(pause_end_was_lost),
		cmocka_unit_test(start_was_lost),
		cmocka_unit_test(loss_marks_what_is_going_on),
		cmocka_unit_test(stray_reports_are_counted),
		cmocka_unit_test(any_number_of_starts_is_bounded),
		cmocka_unit_test(any_number_of_reports_is_bounded),
		cmocka_unit_test(few_keep_places),
		cmocka_unit_test(what_is_crowded_out_is_counted),
	};

	return cmocka_run_group_tests_name("model/assembler limits", tests, NULL, NULL);
}
