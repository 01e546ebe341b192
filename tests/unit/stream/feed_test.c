/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of several processes through one feed: whose they are, what is told and counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "stream/feed.h"
#include "stream/sequence.h"
#include "transcript.h"

static struct feed *new_feed(struct transcript *transcript, uint64_t wanted)
{
	struct feed_options options = { .wanted = wanted };
	struct event_sink sink = transcript__sink(transcript);
	struct feed *feed;

	assert_int_equal(feed__new(&options, &sink, &feed), 0);
	return feed;
}

static int call(struct feed *feed, unsigned int kind, uint32_t target, uint64_t stamp, uint64_t a,
		uint64_t b, uint64_t c)
{
	struct record_call record = {
		.head = { .stamp = stamp,
			  .bytes = sizeof(record),
			  .kind = (uint16_t)kind,
			  .target = target },
		.args = { a, b, c },
	};

	return feed__record(feed, &record.head);
}

static void exec(struct feed *feed, uint32_t target, uint64_t stamp, uint64_t successor)
{
	struct {
		struct record_text text;
		char image[8];
	} record = {
		.text = { .head = { .stamp = stamp,
				    .bytes = sizeof(record),
				    .kind = RECORD_EXEC,
				    .target = target },
			  .a = successor,
			  .bytes = 8,
			  .whole = 8 },
		.image = "/bin/x\x1b\n",
	};

	assert_int_equal(feed__record(feed, &record.text.head), 0);
}

#define EXPECT(transcript, string)                                                       \
	do {                                                                             \
		assert_string_equal(buf__str(&(transcript).text), string);               \
		buf__reset(&(transcript).text);                                          \
	} while (0)

/* What the old image's probes tell after the exec is the new image's, over several execs. */
static void an_exec_hands_over_to_the_successor(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);
	const uint64_t move[] = { 8, 16, 8 };
	struct {
		struct record_call call;
		uint64_t arrays[3];
	} record = {
		.call = { .head = { .bytes = sizeof(record), .kind = RECORD_MOVED, .target = 3 },
			  .part = { 0, 1, 0, 1 },
			  .args = { 8 } },
	};

	(void)state;
	memcpy(record.arrays, move, sizeof(move));
	exec(feed, 3, 100, 4);
	EXPECT(got, "exec target=3 image=\"/bin/x\\x1b\\n\"\n");
	record.call.head.stamp = 100; /* of the old image, late */
	feed__record(feed, &record.call.head);
	record.call.head.stamp = 101;
	feed__record(feed, &record.call.head);
	EXPECT(got, "moved target=3 gc=0 generation=0 phase=0 width=8 8 -> 10 + 8\n"
		    "moved target=4 gc=0 generation=0 phase=0 width=8 8 -> 10 + 8\n");
	exec(feed, 4, 200, 9);
	exec(feed, 3, 300, UINT64_MAX); /* by the old name */
	record.call.head.stamp = 250;
	feed__record(feed, &record.call.head);
	EXPECT(got,
	       "exec target=4 image=\"/bin/x\\x1b\\n\"\nexec target=9 image=\"/bin/x\\x1b\\n\"\n"
	       "moved target=9 gc=0 generation=0 phase=0 width=8 8 -> 10 + 8\n");
	call(feed, RECORD_EXIT, 3, 400, 0, 0, 0);
	EXPECT(got, "exit target=9 status=0\n");
	exec(feed, 1, 10, 2); /* in a circle: hostile, and no hang */
	exec(feed, 2, 10, 1);
	call(feed, RECORD_PAUSE_BEGIN, 1, 20, 1, 1, 0);
	feed__free(feed);
	transcript__free(&got);
}

static void runtimes_records_go_to_their_translators(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	call(feed, RECORD_PYTHON_GC_START, 1, 10, 2, 0, 0);
	assert_non_null(strstr(buf__str(&got.text), "gc_start"));
	exec(feed, 1, 20, 6);
	buf__reset(&got.text);
	call(feed, RECORD_PYTHON_GC_DONE, 1, 30, 5, 0, 0); /* not of the collection before */
	assert_null(strstr(buf__str(&got.text), "loss"));
	feed__free(feed);
	transcript__free(&got);
}

static void losses_are_counted_and_told(void **state)
{
	struct transcript got = { .times = true };
	struct feed *feed = new_feed(&got, FEED_WANTS(EVENT_GC_START));
	const struct losses *losses = feed__losses(feed);

	(void)state;
	call(feed, RECORD_LOSS, 1, 10, LOSS_RING_FULL, 5, 20);
	call(feed, RECORD_LOSS, 2, 30, LOSS_COPY, 1, 40);
	call(feed, RECORD_LOSS, LOSS_ANY_TARGET, 50, LOSS_PERF, 2, 60);
	call(feed, RECORD_LOSS, 1, 70, 9999, 1, 80); /* of a later version: still a loss */
	EXPECT(got, "loss target=1 ring_full 5 at 10\nloss target=2 copy 1 at 30\n"
		    "loss target=-1 perf 2 at 50\nloss target=1 other 1 at 70\n");
	assert_int_equal(losses__of(losses, LOSS_RING_FULL, 1), 5);
	assert_int_equal(losses__of(losses, LOSS_RING_FULL, 2), 0);
	assert_int_equal(losses__of_target(losses, 1), 6);
	assert_int_equal(losses__sum(losses, LOSS_PERF), 2);
	assert_false(losses__none(losses));
	feed__free(feed);
	transcript__free(&got);
}

static void only_what_is_wanted_is_told(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, FEED_WANTS(EVENT_GC_START));

	(void)state;
	call(feed, RECORD_PAUSE_BEGIN, 1, 10, 1, 1, 0);
	call(feed, RECORD_GC_START, 1, 20, 1, 1, 0);
	call(feed, RECORD_EXIT, 1, 30, 7, 0, 0);
	EXPECT(got, "gc_start gc=1 generations=1 reason=0 how=0 what=\"\" cause=\"\"\n"
		    "exit target=1 status=7\n");
	feed__free(feed);
	transcript__free(&got);
}

static void remember_kind(void *ctx, unsigned int kind, bool in_batch, uint64_t count)
{
	uint64_t *seen = ctx;

	assert_false(in_batch);
	*seen = kind * 100 + count;
}

static void unknown_records_are_told_apart_from_malformed_ones(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);
	uint64_t seen = 0;

	(void)state;
	call(feed, 200, 1, 10, 0, 0, 0);
	call(feed, 200, 2, 20, 0, 0, 0);
	assert_true(losses__none(feed__losses(feed)));
	feed__unknown(feed, remember_kind, &seen);
	assert_int_equal(seen, 20002);
	call(feed, 0, 1, 30, 0, 0, 0);
	assert_int_equal(losses__sum(feed__losses(feed), LOSS_MALFORMED), 1);
	feed__free(feed);
	transcript__free(&got);
}

static void what_the_sink_answers_comes_back(void **state)
{
	struct transcript got = { .answer = 1 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	assert_int_equal(call(feed, RECORD_GC_START, 1, 10, 1, 1, 0), 1);
	got.answer = -EBADMSG; /* a sink's, not that of a malformed record */
	assert_int_equal(call(feed, RECORD_GC_START, 1, 20, 1, 1, 0), -EBADMSG);
	assert_int_equal(call(feed, RECORD_PYTHON_GC_START, 1, 20, 1, 1, 0), -EBADMSG);
	assert_true(losses__none(feed__losses(feed)));
	feed__free(feed);
	transcript__free(&got);
}

/* Memory for targets is bounded and given back. */
static void targets_come_and_go(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		call(feed, RECORD_GC_START, i, i, 1, 1, 0);
		call(feed, RECORD_EXIT, i, i, 0, 0, 0);
	}
	assert_true(losses__none(feed__losses(feed)));
	for (uint32_t i = 0; i < 5000; i++)
		call(feed, RECORD_GC_START, i, i, 1, 1, 0);
	assert_int_equal(losses__sum(feed__losses(feed), LOSS_LIMIT), 5000 - 4096);
	feed__free(feed);
	transcript__free(&got);
}

static void batch(struct feed *feed, uint64_t stamp, uint64_t sequence)
{
	struct {
		struct record head;
		struct gctrace_batch batch;
	} record = {
		.head = { .stamp = stamp, .bytes = sizeof(record), .kind = RECORD_BATCH,
			  .target = 1 },
		.batch = { .magic = GCTRACE_MAGIC, .major = GCTRACE_MAJOR,
			   .header_bytes = sizeof(record.batch), .bytes = sizeof(record.batch),
			   .producer = 7, .sequence = sequence },
	};

	assert_int_equal(feed__record(feed, &record.head), 0);
}

static void assert_lost(const struct feed *feed, uint64_t no_room, uint64_t gaps)
{
	assert_int_equal(losses__of(feed__losses(feed), LOSS_RING_FULL, 1), no_room);
	assert_int_equal(losses__of(feed__losses(feed), LOSS_SEQUENCE_GAP, 1), gaps);
}

/* A batch that found no room is one loss, although its number is missed, too. */
static void a_lost_batch_counts_once(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	batch(feed, 1, 10);
	call(feed, RECORD_LOSS, 1, 2, LOSS_RING_FULL, 3, 2);
	batch(feed, 3, 14);
	assert_lost(feed, 3, 0);
	batch(feed, 3 + SEQUENCE_PATIENCE_NS, 15);
	batch(feed, 4 + 2 * SEQUENCE_PATIENCE_NS, 16);
	assert_lost(feed, 3, 0);
	assert_non_null(strstr(buf__str(&got.text), "sequence_gap 3")); /* its place is told */
	/* More than that: the others never reached a program. */
	batch(feed, 5 + 2 * SEQUENCE_PATIENCE_NS, 19);
	batch(feed, 6 + 4 * SEQUENCE_PATIENCE_NS, 20);
	batch(feed, 7 + 6 * SEQUENCE_PATIENCE_NS, 21);
	assert_lost(feed, 3, 2);
	/* The programs' count of one is read later than the gap is seen. */
	call(feed, RECORD_LOSS, 1, 9 + 6 * SEQUENCE_PATIENCE_NS, LOSS_RING_FULL, 1, 2);
	assert_lost(feed, 4, 1);
	/* One comes late. */
	batch(feed, 10 + 6 * SEQUENCE_PATIENCE_NS, 17);
	assert_lost(feed, 4, 0);
	assert_int_equal(feed__end(feed), 0);
	assert_lost(feed, 4, 0);
	feed__free(feed);
	transcript__free(&got);
}

/* Probes are detached one before the other: what comes then may have no batches any more. */
static void what_was_fired_amid_the_detach_is_no_loss(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	batch(feed, 10, 1);
	call(feed, RECORD_GC_FINISH, 1, 20, 1, 3, 0);
	assert_lost(feed, 0, 1);
	feed__over_from(feed, 30);
	call(feed, RECORD_GC_FINISH, 1, 29, 2, 5, 0);
	assert_lost(feed, 0, 3);
	batch(feed, 29, 6);
	call(feed, RECORD_GC_FINISH, 1, 30, 3, 9, 0);
	call(feed, RECORD_PAUSE_END, 1, 31, 3, 0, 11);
	/* However long the detach takes, a hole from before it has not been open for that long. */
	batch(feed, 40 + SEQUENCE_PATIENCE_NS, 8);
	batch(feed, 41 + 2 * SEQUENCE_PATIENCE_NS, 9);
	assert_int_equal(feed__end(feed), 0);
	assert_lost(feed, 0, 3);
	feed__free(feed);
	transcript__free(&got);
}

/* Nor is it known what objects it leaves out: only ends are told. */
static void amid_the_detach_only_ends_are_told(void **state)
{
	struct transcript got = { 0 };
	struct feed *feed = new_feed(&got, 0);

	(void)state;
	feed__over_from(feed, 30);
	call(feed, RECORD_OBJECT_ALLOC, 1, 29, 0x1000, 16, 1);
	assert_non_null(strstr(buf__str(&got.text), "alloc id="));
	buf__reset(&got.text);
	call(feed, RECORD_OBJECT_ALLOC, 1, 30, 0x2000, 16, 1);
	call(feed, RECORD_CONTAINER, 1, 31, GCTRACE_C_BEGIN, 1, 1);
	EXPECT(got, "");
	call(feed, RECORD_GC_FINISH, 1, 32, 1, 0, 0);
	assert_non_null(strstr(buf__str(&got.text), "gc_finish"));
	feed__free(feed);
	transcript__free(&got);
}

static void losses_can_be_taken_back(void **state)
{
	struct losses *losses = losses__new();

	(void)state;
	losses__add(losses, LOSS_SEQUENCE_GAP, 5, 3);
	losses__add(losses, LOSS_SEQUENCE_GAP, 1, UINT64_MAX);
	losses__add(losses, LOSS_SEQUENCE_GAP, 1, 7);
	assert_true(losses__sum(losses, LOSS_SEQUENCE_GAP) == UINT64_MAX);
	losses__recover(losses, LOSS_SEQUENCE_GAP, 1, UINT64_MAX);
	losses__recover(losses, LOSS_SEQUENCE_GAP, 5, 3);
	assert_true(losses__none(losses));
	losses__recover(losses, LOSS_SEQUENCE_GAP, 5, 3); /* not below zero */
	assert_true(losses__none(losses));
	for (unsigned int kind = 0; kind < LOSS_KINDS + 2; kind++) {
		assert_true(strlen(loss__name(kind)) > 2);
		assert_true(strlen(loss__text(kind, 1)) > 10);
		assert_true(strcmp(loss__text(kind, 1), loss__text(kind, 2)) != 0);
	}
	losses__free(losses);
	losses__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exec_hands_over_to_the_successor),
		cmocka_unit_test(runtimes_records_go_to_their_translators),
		cmocka_unit_test(losses_are_counted_and_told),
		cmocka_unit_test(only_what_is_wanted_is_told),
		cmocka_unit_test(unknown_records_are_told_apart_from_malformed_ones),
		cmocka_unit_test(what_the_sink_answers_comes_back),
		cmocka_unit_test(targets_come_and_go),
		cmocka_unit_test(a_lost_batch_counts_once),
		cmocka_unit_test(what_was_fired_amid_the_detach_is_no_loss),
		cmocka_unit_test(amid_the_detach_only_ends_are_told),
		cmocka_unit_test(losses_can_be_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
