/* SPDX-License-Identifier: BSD-2-Clause */
/* Producers whose clock is not ours: no pause is measured by it, and none is 0 ns long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/assembler.h"
#include "stream/feed.h"

#define U EVENT_UNKNOWN
#define SECOND UINT64_C(1000000000)

/* One producer, whose pauses come in one batch each: the pause ends 100 ns before it is fired. */
struct clock {
	struct assembler *assembler;
	struct feed *feed;
	uint64_t stamp, number;
	struct pause pause;	      /* the last one */
	struct collection collection; /* the same; lists are not valid */
};

static int see_collection(void *context, const struct collection *collection)
{
	((struct clock *)context)->collection = *collection;
	return 0;
}

static int see_pause(void *context, const struct pause *pause, unsigned int collections)
{
	(void)collections;
	((struct clock *)context)->pause = *pause;
	return 0;
}

static int see_event(void *context, const struct event *event)
{
	return assembler__event(((struct clock *)context)->assembler, event);
}

static void set_up(struct clock *clock)
{
	const struct assembler_sink sink = { clock, see_collection, see_pause, NULL };
	const struct event_sink events = { see_event, clock };

	memset(clock, 0, sizeof(*clock));
	clock->stamp = 10000 * SECOND;
	clock->assembler = assembler__new(&sink, NULL);
	assert_non_null(clock->assembler);
	assert_int_equal(feed__new(NULL, &events, &clock->feed), 0);
}

static void tear_down(struct clock *clock)
{
	feed__free(clock->feed);
	assembler__free(clock->assembler);
}

#define HEAD(kind_, type) { .kind = (kind_), .bytes = sizeof(struct type) }

/* A pause of so many ns with a collection in it; what its clock says is `shift` more, or is 0. */
static void play(struct clock *clock, uint64_t ns, int64_t shift, bool has_clock)
{
	uint64_t now = clock->stamp += 10 * SECOND, n = ++clock->number;
	uint64_t end = has_clock ? now - 100 + (uint64_t)shift : 0;
	uint64_t begin = has_clock ? end - ns : 0;
	struct {
		struct record record;
		struct gctrace_batch batch;
		struct gctrace_pause_begin pause_begin;
		struct gctrace_gc_start start;
		struct gctrace_gc_finish finish;
		struct gctrace_pause_end pause_end;
	} all = {
		.record = { .stamp = now, .bytes = sizeof(all), .kind = RECORD_BATCH },
		.batch = { .magic = GCTRACE_MAGIC, .major = GCTRACE_MAJOR,
			   .header_bytes = sizeof(struct gctrace_batch),
			   .bytes = sizeof(all) - sizeof(struct record), .records = 4,
			   .producer = 1, .sequence = n },
		.pause_begin = { HEAD(GCTRACE_PAUSE_BEGIN, gctrace_pause_begin), n, begin,
				 GCTRACE_WHY_COLLECTION },
		.start = { HEAD(GCTRACE_GC_START, gctrace_gc_start), n, begin, 1, 0,
			   GCTRACE_HOW_COPYING },
		.finish = { HEAD(GCTRACE_GC_FINISH, gctrace_gc_finish), n, end, n },
		.pause_end = { HEAD(GCTRACE_PAUSE_END, gctrace_pause_end), n, end, 7, n },
	};

	assert_int_equal(feed__record(clock->feed, &all.record), 0);
	assert_int_equal(clock->pause.number, n);
	assert_int_equal(clock->collection.number, n);
}

static void expect_measured(const struct clock *clock, uint64_t ns)
{
	assert_int_equal(clock->pause.share_ns, ns);
	assert_int_equal(clock->collection.pause_ns, ns);
	assert_int_equal(clock->collection.end_ns - clock->collection.start_ns, ns);
}

static void expect_unmeasured(const struct clock *clock)
{
	assert_true(clock->pause.share_ns == U);
	assert_true(clock->collection.pause_ns == U);
	assert_true(clock->collection.end_ns == U);
	/* When it was told is when it was, as far as is known: never in the future. */
	assert_true(clock->pause.start_ns <= clock->stamp);
	assert_true(clock->pause.suspend_ns == 7);
}

static void a_clock_like_ours(void **state)
{
	struct clock clock;

	(void)state;
	set_up(&clock);
	play(&clock, 5000, 0, true);
	expect_measured(&clock, 5000);
	/* A pause may be long, and its batch as old. */
	play(&clock, 500 * SECOND, 0, true);
	expect_measured(&clock, 500 * SECOND);
	tear_down(&clock);
}

static void a_clock_that_is_ahead(void **state)
{
	struct clock clock;

	(void)state;
	set_up(&clock);
	play(&clock, 5000, 1000 * (int64_t)SECOND, true);
	expect_unmeasured(&clock);
	/* By less than the pause: its begin lies in the past. */
	play(&clock, 5 * SECOND, 2 * (int64_t)SECOND, true);
	expect_unmeasured(&clock);
	/* What has been in the future once is not believed again. */
	play(&clock, 5000, 0, true);
	expect_unmeasured(&clock);
	tear_down(&clock);
}

static void a_clock_that_is_behind(void **state)
{
	struct clock clock;

	(void)state;
	set_up(&clock);
	play(&clock, 5000, -100 * (int64_t)SECOND, true);
	assert_true(clock.pause.share_ns == U); /* its end told */
	play(&clock, 5000, -100 * (int64_t)SECOND, true);
	expect_unmeasured(&clock);
	play(&clock, 5000, -9000 * (int64_t)SECOND, true);
	expect_unmeasured(&clock);
	/* The thread may have been kept from firing: one that is prompt clears the clock. */
	play(&clock, 5000, 0, true);
	play(&clock, 6000, 0, true);
	expect_measured(&clock, 6000);
	tear_down(&clock);
}

static void no_clock(void **state)
{
	struct clock clock;

	(void)state;
	set_up(&clock);
	play(&clock, 5000, 0, false);
	expect_unmeasured(&clock);
	tear_down(&clock);
}

static void an_end_before_its_start(void **state)
{
	struct clock clock;

	(void)state;
	set_up(&clock);
	play(&clock, (uint64_t)-50, 0, true);
	assert_true(clock.pause.share_ns == U);
	assert_true(clock.collection.pause_ns == U);
	tear_down(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_like_ours),
		cmocka_unit_test(a_clock_that_is_ahead),
		cmocka_unit_test(a_clock_that_is_behind),
		cmocka_unit_test(no_clock),
		cmocka_unit_test(an_end_before_its_start),
	};

	return cmocka_run_group_tests_name("model/clock", tests, NULL, NULL);
}
