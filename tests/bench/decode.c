/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the stream decodes, on one core, from ring memory to a sink that adds up; and from a
 * recording on disk to a histogram of types, as gctrace heap --histogram makes it. One line a
 * figure, beside its budget where it has one. The least of several runs, because what disturbs a
 * run only makes it slower. Of a recording all bytes of its batches count, as they were told: those
 * of references too, which a histogram leaves packed (stream/split.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "gctrace/wire.h"
#include "model/heap_builder.h"
#include "stream/feed.h"
#include "stream/recording.h"

#define RUNS 9
#define BATCHES 400
#define DISK_RUNS 5
#define DISK_ROUNDS 20 /* of all batches, in the recording */
#define HEAP_START UINT64_C(0x7f0000000000)
#define OBJECT_BYTES 32 /* from one to the next, as fill_objects() has it */

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
	printf("%-58s %18.0f M/s  %s\n", what,
	       (double)(work->items * BATCHES) * 1e3 / (double)least, budget);
}

/* ---------------------------------------------------------------------------------------------
 * From a recording on disk
 */

/* Nothing repeats, as on a heap: what zstd has to unpack decides part of the figure. */
static void vary_objects(struct work *work, uint64_t *seed, uint64_t number)
{
	struct gctrace_objects *objects =
		(void *)(work->batch + sizeof(struct gctrace_batch));
	uint8_t *at = (uint8_t *)(objects + 1);

	objects->base = HEAP_START + number * objects->count * OBJECT_BYTES;
	for (uint32_t i = 0; i < objects->count; i++, at += 10) {
		*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		at[2] = (uint8_t)(0x80 | (*seed >> 33 & *seed >> 40 & 127)); /* class */
		at[4] = (uint8_t)(2 + (*seed >> 50 & 3));		    /* size */
		at[6] = (uint8_t)(1 + (*seed >> 26 & 63));		    /* near */
		at[7] = (uint8_t)(0x80 | (*seed >> 54 & 127));		    /* far */
		at[8] = (uint8_t)(0x80 | (*seed >> 61 & 127));
	}
}

/* Bytes of batches in it. */
static uint64_t write_recording(int fd, const char *path, struct work *work)
{
	const struct gctrace_batch *batch = (const void *)work->batch;
	const size_t bytes = sizeof(struct record) + batch->bytes;
	struct record *record = calloc(1, bytes);
	struct facts *facts = facts__new();
	struct recording_writer *writer;
	uint64_t seed = 1, sequence = 0;

	if (!record || !facts || recording_writer__new(fd, path, facts, &writer))
		abort();
	for (; sequence < (uint64_t)BATCHES * DISK_ROUNDS; sequence++) {
		vary_objects(work, &seed, sequence);
		*record = (struct record){ .bytes = (uint32_t)bytes, .kind = RECORD_BATCH };
		memcpy(record + 1, work->batch, batch->bytes);
		((struct gctrace_batch *)(record + 1))->sequence = sequence;
		if (recording_writer__record(writer, record, 0))
			abort();
	}
	if (recording_writer__close(writer))
		abort();
	facts__free(facts);
	free(record);
	return sequence * batch->bytes;
}

/* Of all threads: what others do on the machine is not in it. */
static uint64_t cpu_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static int count_object(void *ctx, const struct event *event)
{
	return heap_builder__event(ctx, event);
}

static void read_recording(const char *path, uint64_t objects)
{
	const struct feed_options options = { .wanted = FEED_WANTS(EVENT_HEADS) };
	struct heap_builder *builder = heap_builder__new_counting(0);
	struct event_sink sink = { count_object, builder };
	struct recording *recording;
	struct source source;
	struct heap *heap;
	struct feed *feed;

	if (!builder || recording__open(path, &recording) || feed__new(&options, &sink, &feed))
		abort();
	recording__leave_references(recording);
	source = recording__source(recording);
	while (feed__pull(feed, &source, 0) == SOURCE_MORE)
		;
	if (feed__end(feed) || !losses__none(feed__losses(feed)) ||
	    heap_builder__finish(builder, &heap) || heap__facts(heap)->objects != objects)
		abort();
	heap__free(heap);
	heap_builder__free(builder);
	feed__free(feed);
	recording__close(recording);
}

static void print_rate(const char *what, uint64_t bytes, uint64_t ns, const char *budget)
{
	printf("%-58s %17.2f GB/s  %s\n", what, (double)bytes / (double)ns, budget);
}

static void from_disk(struct work *work)
{
	char path[] = "/tmp/gctrace-bench-XXXXXX";
	const int fd = mkstemp(path);
	uint64_t least = UINT64_MAX, least_cpu = UINT64_MAX, bytes, objects;

	if (fd < 0)
		abort();
	fill_objects(work);
	objects = work->items * BATCHES * DISK_ROUNDS;
	bytes = write_recording(fd, path, work);
	for (unsigned int i = 0; i < DISK_RUNS; i++) {
		const uint64_t started = clock__monotonic_ns(), cpu = cpu_ns();

		read_recording(path, objects);
		least_cpu = cpu_ns() - cpu < least_cpu ? cpu_ns() - cpu : least_cpu;
		least = clock__monotonic_ns() - started < least ? clock__monotonic_ns() - started :
								  least;
	}
	unlink(path);
	print_rate("recording on disk to histogram, of whole batches' bytes", bytes, least,
		   ">= 2 GB/s, two cores");
	print_rate("the same by its time on both cores together", bytes, least_cpu, "");
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
	from_disk(work);
	free(work);
	return sum == 1; /* keeps the sums alive */
}
