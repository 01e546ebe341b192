/* SPDX-License-Identifier: BSD-2-Clause */
/* A source that never ends, and an end of which the test says how far it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/cutoff.h"
#include "stream/loss.h"

static enum ending how_far;

static enum ending ending(void)
{
	return how_far;
}

static uint64_t taken, lost;

static int take(void *context, const struct record *record, unsigned int ring)
{
	const struct record_call *call = (const struct record_call *)record;

	(void)context;
	(void)ring;
	if (record->kind != RECORD_LOSS) {
		taken++;
		return 0;
	}
	assert_int_equal(call->args[0], LOSS_UNREAD);
	lost += call->args[1];
	return 0;
}

static const struct record_sink to = { take, NULL };

/* What a source does: until the sink says no, or so many records. */
static int pull(struct cutoff *cutoff, uint64_t records)
{
	const struct record record = { .bytes = sizeof(record), .kind = 999 };
	const struct record_sink sink = cutoff__sink(cutoff, &to);
	int answer = 0;

	while (records-- && !answer)
		answer = sink.record(sink.ctx, &record, 0);
	return cutoff__answer(cutoff, source__answer(answer));
}

static void start(struct cutoff *cutoff)
{
	*cutoff = (struct cutoff){ .ending = ending };
	how_far = ENDING_NO;
	taken = lost = 0;
}

static void nothing_is_cut_before_the_end(void **state)
{
	struct cutoff cutoff;

	(void)state;
	start(&cutoff);
	assert_int_equal(pull(&cutoff, 1000), SOURCE_MORE);
	assert_int_equal(taken, 1000);
	assert_int_equal(cutoff__tell(&cutoff, &to), 0);
	assert_int_equal(lost, 0);
}

/* The caller sees that the end has come, though the source never pauses; then all goes on. */
static void a_pull_comes_back_once(void **state)
{
	struct cutoff cutoff;

	(void)state;
	start(&cutoff);
	how_far = ENDING_ASKED;
	assert_int_equal(pull(&cutoff, UINT64_MAX), SOURCE_MORE);
	assert_int_equal(taken, 1);
	assert_int_equal(pull(&cutoff, 1000), SOURCE_MORE);
	assert_int_equal(taken, 1001);
	assert_int_equal(cutoff.unread, 0);
}

static int enough(void *context, const struct record *record, unsigned int ring)
{
	(void)context;
	(void)record;
	(void)ring;
	return 1;
}

static void enough_is_still_enough(void **state)
{
	const struct record record = { .bytes = sizeof(record), .kind = 999 };
	const struct record_sink has_enough = { enough, NULL };
	struct record_sink sink;
	struct cutoff cutoff;

	(void)state;
	start(&cutoff);
	how_far = ENDING_ASKED;
	sink = cutoff__sink(&cutoff, &has_enough);
	assert_int_equal(sink.record(sink.ctx, &record, 0), 1);
	assert_int_equal(cutoff__answer(&cutoff, SOURCE_STOPPED), SOURCE_STOPPED);
}

static void what_is_left_when_the_time_is_up_is_lost(void **state)
{
	struct cutoff cutoff;

	(void)state;
	start(&cutoff);
	assert_int_equal(pull(&cutoff, 10), SOURCE_MORE);
	how_far = ENDING_OVERDUE;
	assert_int_equal(pull(&cutoff, 500), SOURCE_MORE);
	how_far = ENDING_LAST;
	assert_int_equal(pull(&cutoff, 500), SOURCE_MORE);
	assert_int_equal(taken, 10);
	assert_int_equal(cutoff__tell(&cutoff, &to), 0);
	assert_int_equal(lost, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_cut_before_the_end),
		cmocka_unit_test(a_pull_comes_back_once),
		cmocka_unit_test(enough_is_still_enough),
		cmocka_unit_test(what_is_left_when_the_time_is_up_is_lost),
	};

	return cmocka_run_group_tests_name("stream/cutoff", tests, NULL, NULL);
}
