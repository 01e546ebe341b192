/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gctrace/wire.h"
#include "model/summary.h"

#define U EVENT_UNKNOWN

static struct text text(const char *word)
{
	return (struct text){ word, strlen(word) };
}

static struct pause pause_at(uint64_t start, uint64_t ns)
{
	return (struct pause){ .number = U, .start_ns = start, .end_ns = start + ns,
			       .suspend_ns = U, .what = text("stop"), .share_ns = ns,
			       .whole_ns = ns, .inside_ns = U };
}

static struct collection collection(uint64_t number, const char *what)
{
	return (struct collection){ .number = number, .what = text(what), .generations = 1,
				    .start_ns = U, .end_ns = U, .pause_ns = U, .suspend_ns = U,
				    .before_bytes = U, .after_bytes = U, .committed_bytes = U };
}

static void longest_pauses_in_their_order(void **state)
{
	struct summary summary;
	struct pause pause;

	(void)state;
	assert_int_equal(summary__init(&summary, 10), 0);
	for (uint64_t i = 0; i < 1000; i++) {
		pause = pause_at(i, i * 7919 % 1000);
		assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	}
	summary__sort_top(&summary);
	assert_int_equal(summary.top.count, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(summary.top.items[i].ns, 999 - i);
	assert_int_equal(histogram__count(summary.pauses), 1000);
	assert_int_equal(summary__paused_ns(&summary), 999 * 1000 / 2);
	summary__free(&summary);
	assert_int_equal(summary__init(&summary, 0), 0);
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	summary__sort_top(&summary);
	assert_int_equal(summary.top.count, 0);
	summary__free(&summary);
}

/* A pause that is shared is one entry, named by the collection with the largest share. */
static void a_pause_has_one_name(void **state)
{
	struct summary summary;
	struct pause whole = pause_at(50, 100), share = whole;
	struct collection young = collection(1, "young"), full = collection(2, "full");

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	assert_int_equal(summary__pause(&summary, &whole, 2), 0);
	assert_int_equal(summary.top.items[0].number, U);
	share.share_ns = 20;
	young.pauses = full.pauses = &share;
	young.pauses_kept = full.pauses_kept = 1;
	assert_int_equal(summary__collection(&summary, &young), 0);
	assert_int_equal(summary.top.items[0].number, 1);
	share.share_ns = 80;
	full.cause = text("because");
	assert_int_equal(summary__collection(&summary, &full), 0);
	assert_int_equal(summary__collection(&summary, &young), 0);
	assert_int_equal(summary.top.count, 1);
	assert_int_equal(summary.top.items[0].ns, 100);
	assert_int_equal(summary.top.items[0].number, 2);
	assert_memory_equal(summary.top.items[0].what.at, "full", 4);
	assert_memory_equal(summary.top.items[0].cause.at, "because", 7);
	summary__free(&summary);
}

static void pauses_without_collections_or_length(void **state)
{
	struct summary summary;
	struct pause pause = pause_at(1, 500);

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	assert_int_equal(summary__pause(&summary, &pause, 0), 0);
	pause.share_ns = U;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(histogram__count(summary.pauses), 0);
	assert_int_equal(summary.other_pauses, 1);
	assert_int_equal(summary.other_pause_ns, 500);
	assert_int_equal(summary.earlier_pauses, 0);
	pause.share_ns = 30;
	pause.why = GCTRACE_WHY_COLLECTION; /* for one that began before the trace */
	assert_int_equal(summary__pause(&summary, &pause, 0), 0);
	assert_int_equal(summary.other_pauses, 2);
	assert_int_equal(summary.other_pause_ns, 530);
	assert_int_equal(summary.earlier_pauses, 1);
	assert_int_equal(summary.earlier_pause_ns, 30);
	assert_int_equal(summary.pauses_unmeasured, 1);
	assert_int_equal(summary.top.count, 0);
	summary__free(&summary);
}

/* Only time inside the trace counts, so that no share is over 1. */
static void stops_at_the_edges_count_as_what_is_inside(void **state)
{
	struct summary summary;
	struct pause pause = pause_at(900, 300);

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	summary.start_ns = 1000;
	summary.end_ns = 2000;
	pause.partial = true;
	pause.inside_ns = 200;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(histogram__count(summary.pauses), 0);
	pause = pause_at(1200, 100);
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	pause = pause_at(1400, U);
	pause.end_ns = pause.share_ns = pause.whole_ns = U;
	pause.open = true;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(summary__end(&summary), 600);
	assert_int_equal(summary__end(&summary), 0);
	assert_int_equal(summary.open_pauses, 2);
	assert_int_equal(summary.open_ns, 800);
	assert_int_equal(summary.open_max_ns, 600);
	assert_int_equal(summary.pauses_unmeasured, 2);
	assert_int_equal(summary__paused_ns(&summary), 900);
	assert_true(summary__paused_share(&summary) == 0.9);
	summary__free(&summary);
}

static void one_stop_that_lasts_as_long_as_the_trace(void **state)
{
	struct summary summary;
	struct pause pause = pause_at(10, U);

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	summary.start_ns = 1000;
	summary.end_ns = 2000;
	pause.end_ns = pause.share_ns = pause.whole_ns = U;
	pause.partial = pause.open = true;
	assert_int_equal(summary__pause(&summary, &pause, 0), 0);
	assert_int_equal(summary__end(&summary), 1000);
	assert_true(summary__paused_share(&summary) == 1.0);
	summary__free(&summary);
}

static void a_stop_from_before_that_outlasts_the_trace(void **state)
{
	struct pause pause = pause_at(1700, 100);
	struct summary summary;

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	summary.start_ns = 1000;
	summary.end_ns = 2000;
	summary__begin_stopped(&summary);
	assert_int_equal(summary__end(&summary), 1000);
	assert_true(summary__paused_share(&summary) == 1.0);
	summary__free(&summary);
	/* Its end was seen: what is known of it is what was seen. */
	assert_int_equal(summary__init(&summary, 5), 0);
	summary.start_ns = 1000;
	summary.end_ns = 2000;
	summary__begin_stopped(&summary);
	pause.partial = true;
	pause.share_ns = pause.start_ns = U;
	pause.inside_ns = 300;
	assert_int_equal(summary__pause(&summary, &pause, 0), 0);
	summary__begin_stopped(&summary);
	assert_int_equal(summary__end(&summary), 0);
	assert_true(summary__paused_share(&summary) == 0.3);
	summary__free(&summary);
}

static void stalls_are_counted_by_their_cause(void **state)
{
	struct collection c = collection(1, "cycle");
	struct summary summary;

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	assert_int_equal(summary__collection(&summary, &c), 0);
	c.cause = text("Allocation Rate");
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_int_equal(summary.stalled, 0);
	c.cause = text("Allocation Stall");
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_int_equal(summary.stalled, 1);
	summary__free(&summary);
}

static void time_to_stop_is_a_part_of_the_pauses(void **state)
{
	struct summary summary;
	struct pause pause = pause_at(100, 50);

	(void)state;
	assert_int_equal(summary__init(&summary, 5), 0);
	pause.suspend_ns = 20;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	pause.suspend_ns = 30;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(summary.suspensions, 2);
	assert_int_equal(summary.suspend_ns, 50);
	assert_int_equal(summary.suspend_max_ns, 30);
	assert_int_equal(summary__paused_ns(&summary), 100);
	pause.suspend_ns = U;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(summary.suspensions, 2);
	summary__free(&summary);
}

static void grow(struct summary *summary, uint64_t start, uint64_t end, uint64_t before,
		 uint64_t after, bool overlapped)
{
	struct collection c = collection(1, "young");

	c.start_ns = start;
	c.end_ns = end;
	c.before_bytes = before;
	c.after_bytes = after;
	c.overlapped = overlapped;
	assert_int_equal(summary__collection(summary, &c), 0);
}

static void allocation_between_collections(void **state)
{
	struct summary summary;

	(void)state;
	assert_int_equal(summary__init(&summary, 0), 0);
	grow(&summary, 0, 10, 500, 100, false);
	assert_int_equal(summary.allocated.ns, 0);
	grow(&summary, 110, 120, 600, 200, false); /* 500 in 110 */
	grow(&summary, 220, 230, 300, 250, true);  /* another one runs: this gap does not count, */
	grow(&summary, 330, 340, 900, 100, false); /* nor this one */
	grow(&summary, 440, 450, 50, 40, false);   /* something was freed that nobody told */
	grow(&summary, 460, 470, 70, U, false);	   /* 30 in 20 */
	grow(&summary, 480, 490, 90, 10, false);
	assert_int_equal(summary.allocated.bytes.value, 530);
	assert_int_equal(summary.allocated.ns, 130); /* pauses are a part of the time */
	summary__free(&summary);
}

/* What is allocated while a concurrent collection runs is not told, so its time is no gap. */
static void allocation_beside_a_concurrent_collection(void **state)
{
	struct collection cycle = collection(2, "cycle");
	struct summary summary;

	(void)state;
	assert_int_equal(summary__init(&summary, 0), 0);
	grow(&summary, 0, 10, 500, 100, false);
	cycle.concurrent = true;
	cycle.start_ns = 110;
	cycle.end_ns = 510; /* four fifths of the time */
	cycle.before_bytes = 300;
	cycle.after_bytes = 250;
	assert_int_equal(summary__collection(&summary, &cycle), 0);
	assert_int_equal(summary.allocated.bytes.value, 200);
	assert_int_equal(summary.allocated.ns, 100);
	grow(&summary, 560, 610, 350, 100, false); /* behind it: 100 in 100 */
	assert_int_equal(summary.allocated.bytes.value, 300);
	assert_int_equal(summary.allocated.ns, 200);
	summary__free(&summary);
}

static void promotion_is_over_the_whole_time(void **state)
{
	struct summary summary;
	struct collection c = collection(1, "young");

	(void)state;
	assert_int_equal(summary__init(&summary, 0), 0);
	summary.start_ns = 1000;
	summary.end_ns = 5000;
	assert_int_equal(summary__promotion(&summary).ns, 0);
	c.promoted.bytes = amount__exact(64);
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_int_equal(summary__promotion(&summary).bytes.value, 64);
	assert_int_equal(summary__promotion(&summary).ns, 4000);
	assert_false(summary__promotion(&summary).bytes.estimated);
	c.promoted.bytes = amount__between(10, 20, 40);
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_true(summary__promotion(&summary).bytes.estimated);
	assert_int_equal(summary__promotion(&summary).bytes.value, 84);
	summary__free(&summary);
}

/* A sum of estimates is an estimate; one that nobody tells is not known. */
static void sums_say_how_they_are_known(void **state)
{
	struct collection c = collection(1, "young");
	struct summary summary;

	(void)state;
	assert_int_equal(summary__init(&summary, 0), 0);
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_false(summary.dead.known);
	c.dead.bytes = amount__exact(100);
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_false(summary.dead.estimated);
	assert_false(summary__estimated(&summary));
	c.dead.bytes = amount__between(0, 7, 10);
	assert_int_equal(summary__collection(&summary, &c), 0);
	assert_true(summary.dead.known && summary.dead.estimated);
	assert_true(summary__estimated(&summary));
	assert_int_equal(summary.dead.low, 100);
	assert_int_equal(summary.dead.value, 107);
	assert_int_equal(summary.dead.high, 110);
	assert_false(summary.moved.known);
	summary__free(&summary);
}

static void any_number_of_kinds(void **state)
{
	struct summary summary;
	char name[32];
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(summary__init(&summary, 0), 0);
	for (int i = 0; i < 200; i++) {
		struct collection c;

		snprintf(name, sizeof(name), "kind %d", i % 100);
		c = collection((uint64_t)i, name);
		c.pause_ns = 5;
		c.pause_max_ns = 5;
		c.partial = i == 3;
		c.incomplete = i == 4;
		c.cut_off = i == 5;
		assert_int_equal(summary__collection(&summary, &c), 0);
	}
	assert_int_equal(summary.kinds.count, SUMMARY_KINDS + 1);
	for (size_t i = 0; i < summary.kinds.count; i++)
		sum += summary.kinds.items[i].count;
	assert_int_equal(sum, 200);
	assert_int_equal(summary.collections, 200);
	assert_int_equal(summary.kinds.items[0].count, 2);
	assert_int_equal(summary.kinds.items[0].pause_ns, 10);
	assert_int_equal(summary.kinds.items[SUMMARY_KINDS].what.bytes, 0);
	assert_int_equal(summary.partial + summary.incomplete + summary.cut_off, 3);
	summary__free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_pauses_in_their_order),
		cmocka_unit_test(a_pause_has_one_name),
		cmocka_unit_test(pauses_without_collections_or_length),
		cmocka_unit_test(stops_at_the_edges_count_as_what_is_inside),
		cmocka_unit_test(one_stop_that_lasts_as_long_as_the_trace),
		cmocka_unit_test(a_stop_from_before_that_outlasts_the_trace),
		cmocka_unit_test(stalls_are_counted_by_their_cause),
		cmocka_unit_test(time_to_stop_is_a_part_of_the_pauses),
		cmocka_unit_test(allocation_between_collections),
		cmocka_unit_test(allocation_beside_a_concurrent_collection),
		cmocka_unit_test(promotion_is_over_the_whole_time),
		cmocka_unit_test(sums_say_how_they_are_known),
		cmocka_unit_test(any_number_of_kinds),
	};

	return cmocka_run_group_tests_name("model/summary", tests, NULL, NULL);
}
