/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collections that wait for what samples tell of them: whose it is, what it adds, and who leaves
 * without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/waiting_room.h"

#define INTERVAL 1000
#define WEIGHT 1005
#define YOUNG 1
#define FULL 3
#define MS UINT64_C(1000000)

struct bench {
	struct waiting_room room;
	uint64_t number; /* of the last sample */
	uint64_t gc;	 /* collections that have ended, as the samples' producer counts */
	uint64_t gone;	 /* collections that left */
	struct collection last;
};

static void drain(struct bench *bench)
{
	struct collection_copy *kept;

	while ((kept = waiting_room__next(&bench->room))) {
		assert_int_equal(kept->is.number, bench->gone + 1);
		bench->last = kept->is;
		bench->gone++;
		free(kept);
	}
}

/* So many of 10 bytes, each taken with 10 / 1005. */
static void allocate(struct bench *bench, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const struct event event = {
			.kind = EVENT_OBJECT_ALLOC,
			.alloc = { .id = 8 * ++bench->number, .size = 10, .weight = WEIGHT,
				   .sample = bench->number, .gc = bench->gc },
		};

		assert_int_equal(waiting_room__event(&bench->room, &event), 0);
	}
}

/* The samples from `first` on, so many, have that become of them. */
static void turn(struct bench *bench, uint64_t ms, uint64_t first, uint64_t count, uint32_t bits)
{
	struct sample_fate *fates = calloc(count + 1, sizeof(*fates));
	const struct event event = {
		.kind = EVENT_SAMPLES,
		.time = ms * MS,
		.samples = { .gc = ++bench->gc, .interval = INTERVAL, .samples = fates,
			     .count = count },
	};

	assert_non_null(fates);
	for (uint64_t i = 0; i < count; i++)
		fates[i] = (struct sample_fate){ .sample = first + i, .bits = bits, .address = 64,
						 .generation = 1 };
	assert_int_equal(waiting_room__event(&bench->room, &event), 0);
	free(fates);
	drain(bench);
}

/* A pause of 10 ms; of the young, nothing is known but what was condemned. */
static struct collection collection(uint64_t number, uint64_t ms, uint64_t generations)
{
	return (struct collection){
		.number = number,
		.generations = generations,
		.how = GCTRACE_HOW_COPYING,
		.what = { "young", 5 },
		.start_ns = ms * MS,
		.end_ns = (ms + 10) * MS,
		.before_bytes = 100000,
		.after_bytes = 20000,
		.condemned.bytes = amount__exact(80000),
	};
}

static void take(struct bench *bench, struct collection of)
{
	struct pause pause = { .start_ns = of.start_ns, .end_ns = of.end_ns };

	of.pauses = &pause;
	of.pauses_kept = of.concurrent ? 0 : 1;
	assert_int_equal(waiting_room__take(&bench->room, &of), 0);
	drain(bench);
}

/* The first one with a turn: from there on all is sampled, but for what it left alive. */
static void begin(struct bench *bench, uint64_t allocations)
{
	*bench = (struct bench){ .room = WAITING_ROOM_INIT };
	take(bench, collection(1, 100, YOUNG));
	assert_int_equal(bench->gone, 0);
	turn(bench, 111, 0, 0, 0);
	assert_int_equal(bench->gone, 1);
	assert_false(bench->last.dead.bytes.known);
	allocate(bench, allocations);
}

static void a_collection_gets_its_own(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 60);
	take(&bench, collection(2, 200, YOUNG));
	assert_int_equal(bench.gone, 1);
	turn(&bench, 211, 1, 50, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 2);
	assert_true(bench.last.dead.bytes.estimated);
	assert_int_equal(bench.last.dead.bytes.value, 50 * WEIGHT);
	assert_in_range(bench.last.dead.bytes.low, 36000, 39000);
	/* 66 or 67 thousand, and what was there before: 20,000. */
	assert_in_range(bench.last.dead.bytes.high, 84000, 88000);
	/* What lives moves: of the 10 that do, 9. */
	take(&bench, collection(3, 300, YOUNG));
	turn(&bench, 311, 51, 9, GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_GENERATION);
	assert_int_equal(bench.last.survived.bytes.value, 9 * WEIGHT);
	assert_int_equal(bench.last.promoted.bytes.value, 9 * WEIGHT);
	assert_int_equal(bench.last.dead.bytes.value, 0);
	waiting_room__free(&bench.room);
}

/* Its word may come before the collection is known to be over. */
static void a_turn_waits_as_well(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 5);
	turn(&bench, 211, 1, 5, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 1);
	take(&bench, collection(2, 200, YOUNG));
	assert_int_equal(bench.gone, 2);
	assert_int_equal(bench.last.dead.bytes.value, 5 * WEIGHT);
	/* It is used once. */
	take(&bench, collection(3, 205, YOUNG));
	assert_int_equal(bench.gone, 2);
	waiting_room__free(&bench.room);
}

static void two_in_a_pause_get_none(void **state)
{
	struct collection second = collection(3, 200, FULL);
	struct bench bench;

	(void)state;
	begin(&bench, 5);
	take(&bench, collection(2, 200, YOUNG));
	take(&bench, second);
	turn(&bench, 211, 1, 5, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 3);
	assert_false(bench.last.dead.bytes.known);
	waiting_room__free(&bench.room);
}

static void who_waits_too_long_leaves_without(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 5);
	take(&bench, collection(2, 200, YOUNG));
	waiting_room__pass(&bench.room, 1200 * MS);
	drain(&bench);
	assert_int_equal(bench.gone, 1);
	waiting_room__pass(&bench.room, 1211 * MS);
	drain(&bench);
	assert_int_equal(bench.gone, 2);
	assert_false(bench.last.dead.bytes.known);
	/* It comes later than that: it is not the next one's. */
	take(&bench, collection(3, 1300, YOUNG));
	turn(&bench, 211, 1, 5, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 2);
	turn(&bench, 1311, 0, 0, 0);
	assert_int_equal(bench.gone, 3);
	assert_int_equal(bench.last.dead.bytes.value, 0);
	waiting_room__free(&bench.room);
}

static void what_was_there_before_is_gone_some_day(void **state)
{
	struct bench bench;
	uint64_t number = 2;

	(void)state;
	begin(&bench, 0);
	for (; number < 18; number++) {
		take(&bench, collection(number, 100 * number, YOUNG));
		turn(&bench, 100 * number + 11, 0, 0, 0);
		assert_true(bench.last.dead.bytes.high > 20000);
	}
	take(&bench, collection(number, 100 * number, YOUNG));
	turn(&bench, 100 * number + 11, 0, 0, 0);
	assert_int_equal(bench.last.dead.bytes.high, 3689); /* none seen: 3.69 intervals */
	/* Of a full collection it never is. */
	number++;
	take(&bench, collection(number, 100 * number, FULL));
	turn(&bench, 100 * number + 11, 0, 0, 0);
	assert_int_equal(bench.last.dead.bytes.high, 23689);
	waiting_room__free(&bench.room);
}

static void exact_figures_stay_and_limits_narrow(void **state)
{
	struct collection of = collection(2, 200, YOUNG);
	struct bench bench;

	(void)state;
	begin(&bench, 50);
	of.dead.bytes = amount__exact(70000);
	of.survived.bytes = amount__between(0, 900, 900);
	of.moved.bytes = amount__between(100, 150, 200);
	take(&bench, of);
	turn(&bench, 211, 1, 50, GCTRACE_SAMPLE_MOVED);
	assert_false(bench.last.dead.bytes.estimated);
	assert_int_equal(bench.last.dead.bytes.value, 70000);
	/* Where they contradict each other the pools are right. */
	assert_int_equal(bench.last.survived.bytes.low, 0);
	assert_int_equal(bench.last.survived.bytes.high, 900);
	assert_int_equal(bench.last.moved.bytes.high, 200);
	of = collection(3, 300, YOUNG);
	of.dead.bytes = amount__between(30000, 30000, 80000);
	take(&bench, of);
	turn(&bench, 311, 1, 50, GCTRACE_SAMPLE_DEAD);
	assert_in_range(bench.last.dead.bytes.low, 36000, 39000);
	assert_int_equal(bench.last.dead.bytes.value, bench.last.dead.bytes.low);
	assert_int_equal(bench.last.dead.bytes.high, 80000);
	waiting_room__free(&bench.room);
}

static void after_a_loss_samples_say_nothing(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS, .loss = { .count = 1 } };
	struct bench bench;

	(void)state;
	begin(&bench, 5);
	assert_int_equal(waiting_room__event(&bench.room, &loss), 0);
	take(&bench, collection(2, 200, YOUNG));
	turn(&bench, 211, 1, 5, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 2);
	assert_false(bench.last.dead.bytes.known);
	waiting_room__free(&bench.room);
}

/* Whoever tells it may have had no room for all of it. */
static void what_is_told_in_doubt_says_nothing(void **state)
{
	const struct event doubted = { .kind = EVENT_SAMPLES, .time = 211 * MS,
				       .samples = { .gc = 2, .interval = INTERVAL,
						    .in_doubt = true } };
	struct bench bench;

	(void)state;
	begin(&bench, 0);
	take(&bench, collection(2, 200, YOUNG));
	assert_int_equal(waiting_room__event(&bench.room, &doubted), 0);
	drain(&bench);
	assert_int_equal(bench.gone, 2);
	assert_false(bench.last.dead.bytes.known);
	bench.gc = 2;
	take(&bench, collection(3, 300, YOUNG));
	turn(&bench, 311, 0, 0, 0);
	assert_true(bench.last.dead.bytes.known);
	waiting_room__free(&bench.room);
}

/* As G1's: what it condemned is not known exactly. 100 ms after the one before. */
static uint64_t most_dead_of_the_next(struct bench *bench)
{
	const uint64_t number = bench->gone + 1;
	struct collection of = collection(number, 100 * number, YOUNG);

	of.condemned.bytes = amount__between(80000, 80000, 100000);
	take(bench, of);
	turn(bench, 100 * number + 11, 0, 0, 0);
	assert_int_equal(bench->gone, number);
	return bench->last.dead.bytes.high;
}

/* A mark that was lost may be behind it, whose collections take old regions along. */
static void after_a_loss_collections_may_be_mixed_again(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS, .loss = { .count = 1 } };
	const struct event all = { .kind = EVENT_SAMPLES, .time = 3000 * MS,
				   .samples = { .interval = INTERVAL, .all = true } };
	struct bench bench;
	unsigned int i;

	(void)state;
	begin(&bench, 0);
	for (i = 0; i < 16; i++)
		assert_int_equal(most_dead_of_the_next(&bench), 23689);
	assert_int_equal(most_dead_of_the_next(&bench), 3689);
	assert_int_equal(waiting_room__event(&bench.room, &loss), 0);
	assert_int_equal(waiting_room__event(&bench.room, &all), 0);
	assert_int_equal(most_dead_of_the_next(&bench), 23689);
	waiting_room__free(&bench.room);
}

static void beside_the_program_all_looks_count(void **state)
{
	struct collection cycle = collection(2, 200, EVENT_UNKNOWN);
	struct bench bench;

	(void)state;
	begin(&bench, 30);
	turn(&bench, 202, 1, 10, GCTRACE_SAMPLE_DEAD);
	cycle.concurrent = true;
	cycle.how = GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT;
	take(&bench, cycle);
	assert_int_equal(bench.gone, 1);
	turn(&bench, 450, 11, 10, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 2);
	assert_int_equal(bench.last.dead.bytes.value, 20 * WEIGHT);
	/* One by generations keeps the samples of the young alive: they tell nothing. */
	cycle = collection(3, 500, YOUNG);
	cycle.concurrent = true;
	take(&bench, cycle);
	turn(&bench, 750, 21, 10, GCTRACE_SAMPLE_DEAD);
	assert_int_equal(bench.gone, 3);
	assert_false(bench.last.dead.bytes.known);
	waiting_room__free(&bench.room);
}

/* What is told too late is not known to be whose: neither its own, nor the next one's. */
static void beside_the_program_what_comes_late_is_nobodys(void **state)
{
	struct collection cycle = collection(2, 200, EVENT_UNKNOWN);
	struct bench bench;

	(void)state;
	begin(&bench, 30);
	cycle.concurrent = true;
	cycle.how = GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT;
	take(&bench, cycle);
	waiting_room__pass(&bench.room, 210 * MS + WAITING_BESIDE_NS + 1);
	drain(&bench);
	assert_int_equal(bench.gone, 2);
	turn(&bench, 450, 1, 10, GCTRACE_SAMPLE_DEAD);
	for (uint64_t number = 3; number < 5; number++) {
		cycle.number = number;
		cycle.start_ns = 10000 * number * MS;
		cycle.end_ns = cycle.start_ns + 10 * MS;
		take(&bench, cycle);
		turn(&bench, 10000 * number + 250, 1 + 10 * (number - 2), 5,
		     GCTRACE_SAMPLE_DEAD);
		assert_int_equal(bench.gone, number);
		assert_int_equal(bench.last.dead.bytes.known, number == 4);
	}
	assert_int_equal(bench.last.dead.bytes.value, 5 * WEIGHT);
	waiting_room__free(&bench.room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_collection_gets_its_own),
		cmocka_unit_test(a_turn_waits_as_well),
		cmocka_unit_test(two_in_a_pause_get_none),
		cmocka_unit_test(who_waits_too_long_leaves_without),
		cmocka_unit_test(what_was_there_before_is_gone_some_day),
		cmocka_unit_test(exact_figures_stay_and_limits_narrow),
		cmocka_unit_test(after_a_loss_samples_say_nothing),
		cmocka_unit_test(what_is_told_in_doubt_says_nothing),
		cmocka_unit_test(after_a_loss_collections_may_be_mixed_again),
		cmocka_unit_test(beside_the_program_all_looks_count),
		cmocka_unit_test(beside_the_program_what_comes_late_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
