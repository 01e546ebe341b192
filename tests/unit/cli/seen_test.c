/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/seen.h"
#include "unit/random.h"

/* ---------------------------------------------------------------- does it still hold? */

static const struct seen waiting = { .is_known = true, .switches = 7, .waits = true };

static struct sampled row_like_that(void)
{
	return (struct sampled){
		.caught = { .how = CAUGHT_OFF_CPU, .waits = true },
		.state = SAMPLED_WAITS,
		.switches = 7,
	};
}

static void test_who_has_not_run_is_where_it_was(void **state)
{
	const struct sampled row = row_like_that();

	(void)state;
	assert_true(seen__still_holds(&waiting, &row));
}

/* It has not run: its count of switches is the same. But more is asked of who is at work. */
static void test_who_was_woken_is_looked_at_anew(void **state)
{
	struct sampled row = row_like_that();
	struct seen ready = waiting;

	(void)state;
	row.state = SAMPLED_IS_READY;
	row.caught.waits = false;
	assert_false(seen__still_holds(&waiting, &row));
	ready.waits = false;
	assert_true(seen__still_holds(&ready, &row));
	row.caught.waits = true;
	assert_false(seen__still_holds(&ready, &row));
}

/* Another thread with the number of one that has ended, and that has waited as often. */
static void test_of_who_has_the_number_again_nothing_is_known(void **state)
{
	struct sampled row = row_like_that();
	struct seen seen = waiting;

	(void)state;
	seen__meet(&seen, &row);
	assert_true(seen__still_holds(&seen, &row));
	row.born = 1;
	buf__add_str(&seen.name, "gone");
	seen__meet(&seen, &row);
	assert_false(seen__still_holds(&seen, &row));
	assert_int_equal(0, seen.name.len);
	assert_false(seen.is_named);
}

/* The first thread is the same one after an exec, and may have run no more than before it. */
static void test_of_another_image_nothing_is_known(void **state)
{
	struct sampled row = row_like_that();
	struct seen seen = waiting;

	(void)state;
	row.image = 3;
	seen__meet(&seen, &row);
	assert_false(seen__still_holds(&seen, &row));
	seen = waiting;
	seen.image = 3;
	seen__meet(&seen, &row);
	assert_true(seen__still_holds(&seen, &row));
}

static void test_who_has_run_may_be_elsewhere(void **state)
{
	static const enum caught on_cpu[] = { CAUGHT_TICK, CAUGHT_TICK_KERNEL, CAUGHT_STALE };
	struct sampled row = row_like_that();

	(void)state;
	row.switches = 8;
	assert_false(seen__still_holds(&waiting, &row));
	row = row_like_that();
	row.torn = true;
	assert_false(seen__still_holds(&waiting, &row));
	for (size_t i = 0; i < sizeof(on_cpu) / sizeof(*on_cpu); i++) {
		row = row_like_that();
		row.caught.how = on_cpu[i];
		assert_false(seen__still_holds(&waiting, &row));
	}
}

/* Who was to be caught off its CPU, and had gone on elsewhere, is where a tick has met it. */
static void test_what_was_of_one_moment_is_kept(void **state)
{
	const struct sampled off = row_like_that();
	struct sampled tick = off, stale = off, torn = off;
	struct seen still = waiting, gone = waiting;

	(void)state;
	tick.caught.how = CAUGHT_TICK;
	stale.caught.how = CAUGHT_STALE;
	torn.torn = true;
	still.is_still = true;
	assert_true(seen__is_better(&still, &off, &tick));
	assert_true(seen__is_better(&still, &off, &stale));
	assert_false(seen__is_better(&gone, &off, &tick));
	assert_false(seen__is_better(&gone, &stale, &tick));
	assert_false(seen__is_better(&gone, &torn, &tick));
	assert_true(seen__is_better(&gone, &off, &stale));
	assert_true(seen__is_better(&gone, &off, &torn));
	assert_false(seen__is_better(&gone, &torn, &stale));
	assert_false(seen__is_better(&gone, &stale, &torn));
}

static void test_nothing_holds_of_who_is_not_known(void **state)
{
	const struct sampled row = row_like_that();
	struct seen seen = waiting;

	(void)state;
	seen.is_known = false;
	assert_false(seen__still_holds(&seen, &row));
}

/* ---------------------------------------------------------------- who is known */

#define TIDS 500

/* Threads come and go; what a plain array by thread says is compared in each sweep. */
static void test_threads_come_and_go(void **state)
{
	struct seen_threads threads = { 0 };
	uint64_t seed = 5;
	uint64_t born[TIDS] = { 0 }; /* the sweep in which a thread was new; 0: it is not there */

	(void)state;
	for (uint64_t sweep = 1; sweep <= 300; sweep++) {
		const uint64_t share = random__below(&seed, 5);
		size_t count = 0;

		for (uint32_t tid = 1; tid < TIDS; tid++) {
			struct seen *seen;

			if (random__below(&seed, 4) < share) {
				born[tid] = 0;
				continue;
			}
			count++;
			seen = seen_threads__of(&threads, tid);
			assert_non_null(seen);
			assert_int_equal(seen->kernel_tid, tid);
			assert_int_equal(seen->switches, born[tid]);
			if (!born[tid]) {
				born[tid] = sweep;
				seen->switches = sweep;
				buf__add_str(&seen->name, "of this one");
			}
			seen->sweep = sweep;
		}
		seen_threads__keep(&threads, sweep);
		assert_int_equal(threads.all.count, count);
	}
	seen_threads__free(&threads);
}

static void test_in_doubt_they_are_the_same_threads(void **state)
{
	struct seen_threads threads = { 0 };

	(void)state;
	for (uint32_t tid = 1; tid < 100; tid++)
		seen_threads__of(&threads, tid)->is_known = true;
	seen_threads__doubt(&threads);
	for (uint32_t tid = 1; tid < 100; tid++)
		assert_false(seen_threads__of(&threads, tid)->is_known);
	assert_int_equal(threads.all.count, 99);
	seen_threads__free(&threads);
}

static void test_a_name_is_asked_for_until_there_is_one(void **state)
{
	struct seen seen = { 0 };
	unsigned int asked = 0;

	(void)state;
	for (; seen.sweeps < 1000; seen.sweeps++) {
		asked += seen__wants_name(&seen);
		assert_true(seen.sweeps > 1 || asked == seen.sweeps + 1); /* at once, and again */
	}
	assert_in_range(asked, 5, 20);
	seen.is_named = true;
	for (seen.sweeps = 0; seen.sweeps < 1000; seen.sweeps++)
		assert_false(seen__wants_name(&seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_has_not_run_is_where_it_was),
		cmocka_unit_test(test_who_was_woken_is_looked_at_anew),
		cmocka_unit_test(test_of_who_has_the_number_again_nothing_is_known),
		cmocka_unit_test(test_of_another_image_nothing_is_known),
		cmocka_unit_test(test_who_has_run_may_be_elsewhere),
		cmocka_unit_test(test_what_was_of_one_moment_is_kept),
		cmocka_unit_test(test_nothing_holds_of_who_is_not_known),
		cmocka_unit_test(test_threads_come_and_go),
		cmocka_unit_test(test_in_doubt_they_are_the_same_threads),
		cmocka_unit_test(test_a_name_is_asked_for_until_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
