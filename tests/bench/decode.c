/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the stream decodes, on one core, from ring memory to a sink that adds up: one line a
 * figure, beside its budget where it has one. The least of several runs, because what disturbs a
 * run only makes it slower.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "gctrace/wire.h"
#include "stream/feed.h"

#define RUNS 9
#define BATCHES 400

struct work {
	uint8_t batch[GCTRACE_BATCH_BYTES];
	uint64_t items; /* of what is counted, in the batch */
};

static uint64_t sum;

static int add_up(void *ctx, const struct event *event)
{
	uint64_t bytes = 0;

	(void)ctx;
	if (event->kind == EVENT_MOVED || event->kind == EVENT_SURVIVING) {
		for (size_t i = 0; i < event->ranges.count; i++)
			bytes += event->ranges.ranges[i].length;
	} else if (event->kind == EVENT_OBJECT) {
		for (size_t i = 0; i < event->object.count; i++)
			bytes += event->object.references[i].to;
	}
	sum += bytes;
	return 0;
}

static void *begin_batch(struct work *work, unsigned int kind)
{
	struct gctrace_batch *batch = (struct gctrace_batch *)(void *)work->batch;
	struct gctrace_record *head = (struct gctrace_record *)(batch + 1);

	memset(work, 0, sizeof(*work));
	*batch = (struct gctrace_batch){
		.magic = GCTRACE_MAGIC,
		.major = GCTRACE_MAJOR,
		.header_bytes = sizeof(*batch),
		.records = 1,
	};
	head->kind = (uint16_t)kind;
	return head;
}

static void end_batch(struct work *work, const uint8_t *end)
{
	struct gctrace_batch *batch = (struct gctrace_batch *)(void *)work->batch;
	struct gctrace_record *head = (struct gctrace_record *)(batch + 1);

	batch->bytes = (uint32_t)(end - work->batch + 7) & ~7u;
	head->bytes = batch->bytes - (uint32_t)sizeof(*batch);
}

static void fill_moves(struct work *work, unsigned int form)
{
	struct gctrace_moved *moved = begin_batch(work, GCTRACE_MOVED);
	size_t each = form == GCTRACE_RANGES_NARROW ? 12 : 24;
	uint8_t *at = (uint8_t *)(moved + 1);

	moved->form = (uint8_t)form;
	moved->width = 8;
	for (; at + each <= work->batch + sizeof(work->batch); at += each) {
		const uint32_t narrow[3] = { moved->count * 8, moved->count * 5, 4 };
		const uint64_t wide[3] = { moved->count * 64, moved->count * 40, 32 };

		if (form == GCTRACE_RANGES_NARROW)
			memcpy(at, narrow, sizeof(narrow));
		else
			memcpy(at, wide, sizeof(wide));
		moved->count++;
	}
	work->items = moved->count;
	end_batch(work, at);
}

/* Objects as heaps have them: two references, one near, one 100 KB away. */
static void fill_objects(struct work *work)
{
	struct gctrace_objects *objects = begin_batch(work, GCTRACE_OBJECTS);
	const uint8_t object[] = { 0, 8, 0x93, 1, 4, 2, 1 + 7, 0x81, 0xb0, 1 };
	uint8_t *at = (uint8_t *)(objects + 1);

	for (; at + sizeof(object) <= work->batch + sizeof(work->batch); at += sizeof(object)) {
		memcpy(at, object, sizeof(object));
		objects->count++;
	}
	work->items = objects->count;
	end_batch(work, at);
}

/* Records in a row, as they lie in a ring: more than the L2 cache holds. */
static uint8_t *make_records(const struct work *work, uint64_t *sequence)
{
	const struct gctrace_batch *batch = (const void *)work->batch;
	size_t bytes = sizeof(struct record) + batch->bytes;
	uint8_t *records = malloc(BATCHES * bytes);

	if (!records)
		abort();
	for (size_t i = 0; i < BATCHES; i++) {
		struct record *record = (struct record *)(void *)(records + i * bytes);

		*record = (struct record){ .bytes = (uint32_t)bytes, .kind = RECORD_BATCH };
		memcpy(record + 1, work->batch, batch->bytes);
		((struct gctrace_batch *)(record + 1))->sequence = (*sequence)++;
	}
	return records;
}

static uint64_t run_once(struct feed *feed, const struct work *work, uint64_t *sequence)
{
	uint8_t *records = make_records(work, sequence);
	size_t bytes = ((const struct record *)(void *)records)->bytes;
	uint64_t started = clock__monotonic_ns();

	for (size_t i = 0; i < BATCHES; i++)
		feed__record(feed, (const struct record *)(void *)(records + i * bytes));
	started = clock__monotonic_ns() - started;
	free(records);
	return started;
}

static void measure(const struct work *work, const char *what, const char *budget)
{
	struct event_sink sink = { add_up, NULL };
	uint64_t least = UINT64_MAX, sequence = 0;
	struct feed *feed;

	if (feed__new(NULL, &sink, &feed))
		abort();
	for (unsigned int i = 0; i < RUNS; i++) {
		uint64_t ns = run_once(feed, work, &sequence);

		least = ns < least ? ns : least;
	}
	if (!losses__none(feed__losses(feed)))
		abort();
	feed__free(feed);
	printf("%-58s %18.0f M/s  %s\n", what, (double)(work->items * BATCHES) * 1e3 / (double)least,
	       budget);
}

int main(void)
{
	struct work *work = malloc(sizeof(*work));

	if (!work)
		abort();
	fill_moves(work, GCTRACE_RANGES_NARROW);
	measure(work, "decoder alone, ranges in the narrow form, one core", "over 100 M/s");
	fill_moves(work, GCTRACE_RANGES_WIDE);
	measure(work, "decoder alone, ranges in the wide form, one core", "");
	fill_objects(work);
	measure(work, "decoder alone, objects with two references, one core", "");
	free(work);
	return sum == 1; /* keeps the sums alive */
}
