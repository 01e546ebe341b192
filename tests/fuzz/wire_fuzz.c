/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as ring records, through the feed: the decoder of batches and of single probes, and
 * the translators of the runtimes' own probes. The input is a row of
 *
 *	u8 kind | u8 target (low 2 bits), thread (next 2), REPAIR | u16 bytes | body
 *
 * With REPAIR the header of a batch gets a right magic, version and size, so that the fuzzer need
 * not find them. Every byte that an event points to is read. A second feed skips references: it is
 * told of the same objects and the same losses. Split batches are for a third one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include "base/buf.h"
#include "check.h"
#include "corpus.h"
#include "stream/decode.h"
#include "stream/feed.h"
#include "stream/split.h"
#include "tests/unit/stream/object_tale.h"

#define REPAIR 0x80
#define FRAME 4

static volatile uint64_t sum; /* so that nothing is optimised away */

static void touch(const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i++)
		sum += at[i];
}

static void touch_text(struct text text)
{
	touch(text.at, text.bytes);
}

static int see(void *ctx, const struct event *event)
{
	object_tale__add(ctx, event);
	switch (event->kind) {
	case EVENT_PRODUCER:
		touch_text(event->producer.name);
		touch_text(event->producer.version);
		touch_text(event->producer.runtime);
		touch_text(event->producer.collector);
		break;
	case EVENT_GC_START:
		touch_text(event->gc_start.what);
		touch_text(event->gc_start.cause);
		break;
	case EVENT_GC_FINISH:
		touch_text(event->gc_finish.what);
		touch_text(event->gc_finish.cause);
		break;
	case EVENT_MOVED:
	case EVENT_SURVIVING:
		CHECK(event->ranges.count <= DECODE_CHUNK);
		CHECK(event->ranges.width == 4 || event->ranges.width == 8);
		touch(event->ranges.ranges, event->ranges.count * sizeof(struct range));
		break;
	case EVENT_ROOTS:
		CHECK(event->roots.count <= DECODE_CHUNK);
		touch(event->roots.roots, event->roots.count * sizeof(struct root));
		break;
	case EVENT_OBJECT:
		CHECK(event->object.count <= DECODE_CHUNK);
		touch(event->object.references, event->object.count * sizeof(struct reference));
		break;
	case EVENT_HEADS:
		CHECK(event->heads.count > 0 && event->heads.count <= DECODE_CHUNK);
		break;
	case EVENT_CLASS:
		touch_text(event->class_.name);
		touch_text(event->class_.fields);
		break;
	case EVENT_DEFINE:
		touch_text(event->define.name);
		break;
	case EVENT_POOL:
		touch_text(event->pool.name);
		break;
	case EVENT_SAMPLES:
		CHECK(event->samples.count <= DECODE_CHUNK);
		for (size_t i = 1; i < event->samples.count; i++)
			CHECK(event->samples.samples[i].sample >
			      event->samples.samples[i - 1].sample);
		touch(event->samples.samples, event->samples.count * sizeof(struct sample_fate));
		break;
	case EVENT_NOTICE:
		touch_text(event->notice.text);
		break;
	case EVENT_EXEC:
		touch_text(event->process.image);
		break;
	case EVENT_LOSS:
		CHECK(event->loss.count > 0);
		break;
	default:
		break;
	}
	return 0;
}

static void repair(struct record *record)
{
	struct gctrace_batch *batch = (struct gctrace_batch *)(record + 1);

	if (record->bytes < sizeof(*record) + sizeof(*batch))
		return;
	batch->magic = GCTRACE_MAGIC;
	batch->major = GCTRACE_MAJOR;
	batch->header_bytes = sizeof(*batch);
	batch->bytes = record->bytes - (uint32_t)sizeof(*record);
}

/* In memory of its own, so that a byte too far is seen. */
static void feed_frame(struct feed *const feeds[3], const uint8_t *frame, size_t bytes,
		       uint64_t stamp)
{
	struct record *record = malloc(sizeof(*record) + bytes);

	*record = (struct record){
		.stamp = stamp,
		.bytes = (uint32_t)(sizeof(*record) + bytes),
		.kind = frame[0],
		.target = frame[1] & 3,
		.tid = frame[1] >> 2 & 3,
	};
	memcpy(record + 1, frame + FRAME, bytes);
	if (frame[1] & REPAIR && (record->kind == RECORD_BATCH || record->kind == RECORD_SPLIT))
		repair(record);
	if (record->kind == RECORD_SPLIT) {
		feed__record(feeds[2], record);
	} else {
		feed__record(feeds[0], record);
		feed__record(feeds[1], record);
	}
	free(record);
}

static void compare(const struct object_tale *read, const struct object_tale *skipped)
{
	CHECK(read->text.len == skipped->text.len);
	CHECK(!read->text.len || !memcmp(read->text.data, skipped->text.data, read->text.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct feed_options options[3] = {
		{ .join_bytes = 1 << 20 },
		{ .join_bytes = 1 << 20, .wanted = ~FEED_WANTS(EVENT_OBJECT) },
		{ .wanted = FEED_WANTS(EVENT_HEADS) },
	};
	struct object_tale tales[3] = { { .objects = 0 } };
	struct feed *feeds[3];
	uint64_t stamp = 0;

	for (int i = 0; i < 3; i++) {
		const struct event_sink sink = { see, &tales[i] };

		CHECK(feed__new(&options[i], &sink, &feeds[i]) == 0);
	}
	while (size >= FRAME) {
		size_t bytes = data[2] | (size_t)data[3] << 8;

		if (bytes > size - FRAME)
			bytes = size - FRAME;
		feed_frame(feeds, data, bytes, ++stamp);
		data += FRAME + bytes;
		size -= FRAME + bytes;
	}
	for (int i = 0; i < 3; i++)
		feed__end(feeds[i]);
	compare(&tales[0], &tales[1]);
	for (int i = 0; i < 3; i++) {
		feed__free(feeds[i]);
		buf__free(&tales[i].text);
	}
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Seeds
 */

static void add_frame(struct buf *seed, unsigned int kind, const void *bytes, size_t count)
{
	const uint8_t frame[FRAME] = { (uint8_t)kind, REPAIR, (uint8_t)count,
				       (uint8_t)(count >> 8) };

	buf__add(seed, frame, sizeof(frame));
	buf__add(seed, bytes, count);
}

static void take_batch(void *ctx, const void *batch, uint32_t bytes)
{
	add_frame(ctx, RECORD_BATCH, batch, bytes);
}

static void take_and_split(void *ctx, const void *batch, uint32_t bytes)
{
	const struct record head = { .bytes = (uint32_t)sizeof(head) + bytes,
				     .kind = RECORD_BATCH };
	struct buf heads = BUF_INIT, references = BUF_INIT;
	struct splitter *splitter = splitter__new();

	if (splitter__add(splitter, &head, batch, &heads, &references))
		add_frame(ctx, RECORD_SPLIT, heads.data + sizeof(head), heads.len - sizeof(head));
	splitter__free(splitter);
	buf__free(&heads);
	buf__free(&references);
}

static void write_collection(struct gctrace_writer *writer)
{
	gctrace_write_producer(writer, "app", "1.0", "minivm", "copying");
	gctrace_write_pause_begin(writer, 1, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(writer, 1, 1, GCTRACE_REASON_ALLOCATION, GCTRACE_HOW_COPYING);
	gctrace_write_generation(writer, GCTRACE_BEFORE, 1, 0, 0x10000, 800, 1600);
	for (uint64_t i = 0; i < 20; i++)
		gctrace_write_move(writer, 1, 0, 0, 0x10000 + i * 64, 0x20000 + i * 32, 32);
	gctrace_write_move(writer, 1, 0, 1, 3, 5, UINT64_C(1) << 40);
	gctrace_write_survivor(writer, 1, 1, 0x30000, 64);
	gctrace_write_pool(writer, 1, "nursery", 800, 0, 1600, 1600);
	gctrace_write_reuse(writer, 1, 0x10000, 1600);
	gctrace_write_unnamed(writer, 3);
	gctrace_write_gc_finish(writer, 1);
	gctrace_write_pause_end(writer, 1, 1000);
}

static void write_dump(struct gctrace_writer *writer)
{
	const uint64_t refs[] = { 0, 0x10040, 0x10080 }, places[] = { 16, 24, 32 };
	const uint32_t flags[] = { 0, GCTRACE_ALREADY_REPORTED, GCTRACE_REF_WEAK };
	struct gctrace_object object = {
		.id = 0x10000, .class_ = 7, .size = 40, .count = 3, .refs = refs, .places = places,
	};

	gctrace_write_container(writer, GCTRACE_C_BEGIN, 1, 1);
	gctrace_write_class(writer, 7, "Cache", 5, 0, 0, "table\0size", 11, 40);
	gctrace_write_define(writer, GCTRACE_SPACE_THREAD, 1, 4711, 0, "main", 4);
	gctrace_write_container(writer, GCTRACE_C_RT_THREAD, 1, 0);
	gctrace_write_root(writer, 0x10000, 0, GCTRACE_ROOT_LOCAL, 3);
	gctrace_write_root(writer, 0x10001, 0, GCTRACE_ROOT_LOCAL, 3);
	for (object.place = 0; object.place < 4; object.place++)
		gctrace_write_object(writer, &object);
	object.ref_flags = flags;
	object.flags = GCTRACE_OBJECT_PINNED | GCTRACE_MORE_REFERENCES;
	object.first = 300;
	object.id = 0x10003;
	gctrace_write_object(writer, &object);
	gctrace_write_object_alloc(writer, 0x10000, 40, 7, 0, 512);
	gctrace_write_container(writer, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE, 0);
	gctrace_write_dump_end(writer, 1, 0, 5, 10, 2, 200);
}

static void write_samples(struct gctrace_writer *writer)
{
	const struct gctrace_sample samples[] = {
		{ .sample = 1, .bits = GCTRACE_SAMPLE_DEAD },
		{ .sample = 2, .bits = GCTRACE_SAMPLE_MOVED, .address = 0x20000 },
		{ .sample = 900, .bits = GCTRACE_SAMPLE_GENERATION, .generation = 1 },
	};

	gctrace_write_define(writer, GCTRACE_SPACE_STACK, 7, 0, 0, "a.B.c(B.java:1)\n", 16);
	gctrace_write_object_alloc_as(writer, 0x10000, 40, 7, 7, 512, 900, 0);
	gctrace_write_samples(writer, 0, 1, 5, 4096, 2, samples, 3);
	gctrace_write_samples(writer, GCTRACE_SAMPLES_ALL, 1, 5, 4096, 0, samples + 1, 1);
	gctrace_write_notice(writer, GCTRACE_NOTICE_UNSAMPLED, "taken");
}

/* Of a struct record_call, behind its head, with room for arrays or texts. */
struct single {
	struct record_part part;
	uint64_t args[6];
	uint8_t rest[sizeof(struct record_pool) + 2 * RECORD_TEXT_BYTES];
};

static void add_singles(struct buf *seed, const uint8_t *kinds, size_t count)
{
	const struct single single = { .part = { .count = 2, .total = 2 },
				       .args = { 8, 1, 1, 1, 1, 1 } };

	for (size_t i = 0; i < count; i++)
		add_frame(seed, kinds[i], &single, kinds[i] < 34 ? 72 + 64 : sizeof(single));
}

/* A pause of HotSpot's own probes, and what an agent tells beside them; then two of nothing. */
static void write_beside(struct gctrace_writer *writer)
{
	struct buf *seed = writer->emitter->context;
	static const uint8_t begin[] = { RECORD_HOTSPOT_SAFEPOINT_BEGIN, RECORD_HOTSPOT_VMOP_BEGIN,
					 RECORD_HOTSPOT_GC_BEGIN, RECORD_HOTSPOT_POOL_BEGIN };
	static const uint8_t end[] = { RECORD_HOTSPOT_POOL_END, RECORD_HOTSPOT_GC_END,
				       RECORD_HOTSPOT_VMOP_END, RECORD_HOTSPOT_SAFEPOINT_END };

	gctrace_write_beside(writer, GCTRACE_BESIDE_START);
	add_singles(seed, begin, sizeof(begin));
	gctrace_write_generation(writer, GCTRACE_BEFORE, UINT64_MAX, 0, 0x10000, 800, 1600);
	gctrace_write_move(writer, UINT64_MAX, 0, 1, 0x10000, 0x20000, 32);
	gctrace_write_figure(writer, UINT64_MAX, GCTRACE_FIGURE_CHECKED, UINT64_MAX, 3);
	gctrace_write_figure(writer, UINT64_MAX, GCTRACE_FIGURE_WRONG, UINT64_MAX, 1);
	add_singles(seed, end, sizeof(end));
	gctrace_write_beside(writer, GCTRACE_BESIDE_TOLD);
	gctrace_write_beside(writer, GCTRACE_BESIDE_START);
	gctrace_write_reuse(writer, UINT64_MAX, 0x10000, 1600);
	gctrace_write_beside(writer, 0);
	gctrace_write_beside(writer, GCTRACE_BESIDE_START);
	gctrace_write_beside(writer, GCTRACE_BESIDE_UNTOLD);
	gctrace_write_notice(writer, GCTRACE_NOTICE_INEXACT, "no room");
	gctrace_flush(writer);
}

/* One of every kind of ring record. */
static void write_singles(struct buf *seed)
{
	static const uint8_t kinds[] = { 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 32, 33, 34,
					 35, 36, 37, 38, 39, 40, 64, 65, 80, 81, 82, 83, 128, 130 };
	static const uint8_t exit[72];

	add_singles(seed, kinds, sizeof(kinds));
	add_frame(seed, RECORD_EXIT, exit, sizeof(exit));
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
	void (*const writes[])(struct gctrace_writer *) = { write_collection, write_dump,
							    write_dump, write_samples,
							    write_beside };
	void (*const takes[])(void *, const void *, uint32_t) = { take_batch, take_batch,
								  take_and_split, take_batch,
								  take_batch };
	int dir = corpus__open(*argc, *argv);
	struct buf seed = BUF_INIT;

	if (dir < 0)
		return 0;
	for (unsigned int i = 0; i < 5; i++) {
		struct gctrace_emitter emitter = { .sink = takes[i], .context = &seed };
		struct gctrace_writer writer;

		gctrace_writer_init(&writer, &emitter, buffer);
		for (unsigned int times = 0; times < 3; times++)
			writes[i](&writer);
		gctrace_flush(&writer);
		corpus__add(dir, i, seed.data, seed.len);
		buf__reset(&seed);
	}
	write_singles(&seed);
	corpus__add(dir, 5, seed.data, seed.len);
	buf__free(&seed);
	close(dir);
	return 0;
}
