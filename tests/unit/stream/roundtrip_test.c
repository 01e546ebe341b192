/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the writers of <gctrace/probes.h> pack, the decoder unpacks: random calls of every writer,
 * each also written down as the events that it should become.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include "stream/feed.h"
#include "transcript.h"
#include "unit/random.h"

struct trip {
	uint64_t random;
	struct gctrace_emitter emitter;
	struct gctrace_writer writer;
	_Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
	struct transcript expected, got;
	struct feed *feed;
	uint64_t batches, stamp;
	uint64_t container, id1, id2;
	uint64_t drop_every; /* batches; 0: none */
	uint64_t dropped;
};

static uint64_t any(struct trip *trip)
{
	return random__next(&trip->random);
}

static uint64_t pick(struct trip *trip, uint64_t below)
{
	return random__below(&trip->random, below);
}

/* Small, middling and huge numbers, and both ends. */
static uint64_t number(struct trip *trip)
{
	switch (pick(trip, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	default:
		return any(trip) >> pick(trip, 64);
	}
}

/* As heaps have them, mostly; sometimes odd, sometimes anything. */
static uint64_t address(struct trip *trip)
{
	switch (pick(trip, 16)) {
	case 0:
		return number(trip);
	case 1:
		return 0x7f0000000000 + pick(trip, UINT64_C(1) << 40);
	default:
		return 0x7f0000000000 + pick(trip, 1 << 30) * 8;
	}
}

/* The way of a batch through a ring record and the feed. */
static void take_batch(void *ctx, const void *batch, uint32_t bytes)
{
	struct trip *trip = ctx;
	struct record *record;

	trip->batches++;
	if (trip->drop_every && trip->batches % trip->drop_every == 0) {
		trip->dropped++;
		return;
	}
	record = calloc(1, sizeof(*record) + bytes); /* exact: ASan sees a byte too far */
	record->stamp = ++trip->stamp;
	record->bytes = (uint32_t)sizeof(*record) + bytes;
	record->kind = RECORD_BATCH;
	record->tid = 77;
	memcpy(record + 1, batch, bytes);
	assert_int_equal(feed__record(trip->feed, record), 0);
	free(record);
}

static void expect(struct trip *trip, struct event *event, enum event_kind kind)
{
	event->kind = kind;
	transcript__add(&trip->expected, event);
}

static struct text text_of(struct trip *trip, size_t most)
{
	size_t bytes = pick(trip, most + 1);
	char *at = malloc(bytes + 1);

	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)(1 + any(trip) % 255);
	at[bytes] = '\0';
	return (struct text){ at, bytes };
}

static void drop_text(struct text text)
{
	free((char *)(uintptr_t)text.at);
}

/* ---------------------------------------------------------------------------------------------
 * One call of each writer
 */

static void call_producer(struct trip *trip)
{
	struct event event = { 0 };

	event.producer.name = text_of(trip, 40);
	event.producer.version = text_of(trip, 10);
	event.producer.runtime = text_of(trip, 10);
	event.producer.collector = text_of(trip, 400);
	gctrace_write_producer(&trip->writer, event.producer.name.at, event.producer.version.at,
			       event.producer.runtime.at, event.producer.collector.at);
	expect(trip, &event, EVENT_PRODUCER);
	drop_text(event.producer.name);
	drop_text(event.producer.version);
	drop_text(event.producer.runtime);
	drop_text(event.producer.collector);
}

static void call_collection(struct trip *trip)
{
	struct event event = { 0 };

	if (pick(trip, 2)) {
		event.gc_start.gc = number(trip);
		event.gc_start.generations = number(trip);
		event.gc_start.reason = (uint32_t)number(trip);
		event.gc_start.how = (uint32_t)number(trip);
		gctrace_write_gc_start(&trip->writer, event.gc_start.gc,
				       event.gc_start.generations, (uint32_t)event.gc_start.reason,
				       event.gc_start.how);
		expect(trip, &event, EVENT_GC_START);
	} else {
		event.gc_finish.gc = number(trip);
		event.gc_finish.collected = EVENT_UNKNOWN;
		event.gc_finish.how = (uint32_t)number(trip);
		event.gc_finish.untold = pick(trip, 2);
		gctrace_write_gc_finish_as(&trip->writer, event.gc_finish.gc, event.gc_finish.how,
					   event.gc_finish.untold ? GCTRACE_FINISH_UNTOLD : 0);
		expect(trip, &event, EVENT_GC_FINISH);
	}
}

static void call_pause(struct trip *trip)
{
	struct event event = { 0 };

	event.pause.pause = number(trip);
	if (pick(trip, 2)) {
		event.pause.why = number(trip);
		gctrace_write_pause_begin(&trip->writer, event.pause.pause, event.pause.why);
		expect(trip, &event, EVENT_PAUSE_BEGIN);
	} else {
		event.pause.suspend_ns = number(trip);
		gctrace_write_pause_end(&trip->writer, event.pause.pause, event.pause.suspend_ns);
		expect(trip, &event, EVENT_PAUSE_END);
	}
}

static void call_ranges(struct trip *trip)
{
	uint64_t gc = pick(trip, 3), count = 1 + pick(trip, pick(trip, 10) ? 10 : 9000);
	uint32_t generation = (uint32_t)pick(trip, 3), phase = (uint32_t)pick(trip, 2);
	bool moves = pick(trip, 2);

	for (uint64_t i = 0; i < count; i++) {
		struct range range = { address(trip), address(trip),
				       pick(trip, 20) ? pick(trip, 1000) * 8 : number(trip) };
		struct event event = { .ranges = { .gc = gc,
						   .generation = generation,
						   .phase = moves ? phase : 0,
						   .width = 8,
						   .ranges = &range,
						   .count = 1 } };

		if (moves) {
			gctrace_write_move(&trip->writer, gc, generation, phase, range.old,
					   range.new_, range.length);
		} else {
			range.new_ = range.old;
			gctrace_write_survivor(&trip->writer, gc, generation, range.old,
					       range.length);
		}
		expect(trip, &event, moves ? EVENT_MOVED : EVENT_SURVIVING);
	}
}

static void call_container(struct trip *trip)
{
	struct event event = { 0 };

	event.container.type = trip->container = number(trip);
	event.container.id1 = trip->id1 = number(trip);
	event.container.id2 = trip->id2 = number(trip);
	gctrace_write_container(&trip->writer, trip->container, trip->id1, trip->id2);
	expect(trip, &event, EVENT_CONTAINER);
}

static void call_roots(struct trip *trip)
{
	for (uint64_t count = 1 + pick(trip, 2000); count > 0; count--) {
		struct root root = {
			.to = pick(trip, 50) ? address(trip) : 0,
			.flags = (uint32_t)number(trip),
			.kind = number(trip),
			.id = number(trip),
		};
		struct event event = { .roots = { .type = trip->container,
						  .id1 = trip->id1,
						  .id2 = trip->id2,
						  .roots = &root,
						  .count = 1 } };

		gctrace_write_root(&trip->writer, root.to, root.flags, root.kind, root.id);
		expect(trip, &event, EVENT_ROOTS);
	}
}

static void call_object(struct trip *trip)
{
	const size_t count = pick(trip, 30) ? pick(trip, 8) : pick(trip, 20000);
	uint64_t *refs = calloc(count + 1, sizeof(*refs));
	uint64_t *places = calloc(count + 1, sizeof(*places));
	uint32_t *flags = calloc(count + 1, sizeof(*flags));
	struct reference *references = calloc(count + 1, sizeof(*references));
	struct gctrace_object object = {
		.id = address(trip),
		.class_ = number(trip) >> pick(trip, 64),
		.size = pick(trip, 10) ? pick(trip, 1000) * 8 : number(trip) >> 3,
		.flags = pick(trip, 3) ? 0 : (uint32_t)number(trip) & ~GCTRACE_MORE_REFERENCES,
		.place = (uint32_t)pick(trip, 4),
		.count = count,
		.refs = refs,
		.ref_flags = pick(trip, 2) ? flags : NULL,
		.places = places,
		.first = pick(trip, 5) ? 0 : pick(trip, 100000),
	};
	struct event event = { .object = { .id = object.id,
					   .class_ = object.class_,
					   .size = object.size,
					   .flags = object.flags,
					   .places = object.place,
					   .references = references,
					   .count = count } };

	for (size_t i = 0; i < count; i++) {
		references[i].to = refs[i] = pick(trip, 4) ? address(trip) : 0;
		references[i].flags = flags[i] = pick(trip, 3) ? 0 : (uint32_t)number(trip);
		references[i].place = places[i] = number(trip);
		if (!object.ref_flags)
			references[i].flags = 0;
		if (object.place == GCTRACE_PLACE_POSITION)
			references[i].place = object.first + i;
		if (object.place == GCTRACE_PLACE_UNKNOWN)
			references[i].place = EVENT_UNKNOWN;
	}
	gctrace_write_object(&trip->writer, &object);
	expect(trip, &event, EVENT_OBJECT);
	free(refs);
	free(places);
	free(flags);
	free(references);
}

static void call_class(struct trip *trip)
{
	const size_t most = pick(trip, 20) ? 100 : 200000; /* over several batches */
	struct event event = { 0 };

	event.class_.class_ = number(trip);
	event.class_.super = number(trip);
	event.class_.flags = (uint32_t)number(trip);
	event.class_.size = (uint32_t)number(trip);
	event.class_.name = text_of(trip, most);
	event.class_.fields = text_of(trip, most);
	gctrace_write_class(&trip->writer, event.class_.class_, event.class_.name.at,
			    event.class_.name.bytes, event.class_.super, event.class_.flags,
			    event.class_.fields.at, event.class_.fields.bytes,
			    (uint32_t)event.class_.size);
	expect(trip, &event, EVENT_CLASS);
	drop_text(event.class_.name);
	drop_text(event.class_.fields);
}

static void call_define(struct trip *trip)
{
	struct event event = { 0 };

	event.define.space = 1 + (uint32_t)pick(trip, 20);
	event.define.id = number(trip);
	event.define.a = number(trip);
	event.define.b = number(trip);
	event.define.name = text_of(trip, pick(trip, 20) ? 100 : 200000);
	gctrace_write_define(&trip->writer, event.define.space, event.define.id, event.define.a,
			     event.define.b, event.define.name.at, event.define.name.bytes);
	expect(trip, &event, EVENT_DEFINE);
	drop_text(event.define.name);
}

static void call_space(struct trip *trip)
{
	struct event event = { 0 };

	if (pick(trip, 2)) {
		event.generation.after = pick(trip, 2);
		event.generation.gc = number(trip);
		event.generation.generation = number(trip);
		event.generation.start = number(trip);
		event.generation.used = number(trip);
		event.generation.reserved = number(trip);
		gctrace_write_generation(&trip->writer,
					 event.generation.after ? GCTRACE_AFTER : GCTRACE_BEFORE,
					 event.generation.gc, event.generation.generation,
					 event.generation.start, event.generation.used,
					 event.generation.reserved);
		expect(trip, &event, EVENT_GENERATION);
		return;
	}
	event.pool.gc = number(trip);
	event.pool.before = number(trip);
	event.pool.used = number(trip);
	event.pool.committed = number(trip);
	event.pool.max = number(trip);
	event.pool.name = text_of(trip, 300);
	gctrace_write_pool(&trip->writer, event.pool.gc, event.pool.name.at, event.pool.before,
			   event.pool.used, event.pool.committed, event.pool.max);
	expect(trip, &event, EVENT_POOL);
	drop_text(event.pool.name);
}

static void call_alloc(struct trip *trip)
{
	struct event event = { 0 };

	event.alloc.id = number(trip);
	event.alloc.size = number(trip);
	event.alloc.class_ = number(trip);
	event.alloc.stack = number(trip);
	event.alloc.weight = number(trip);
	if (pick(trip, 2)) {
		event.alloc.sample = number(trip);
		event.alloc.gc = number(trip);
		gctrace_write_object_alloc_as(&trip->writer, event.alloc.id, event.alloc.size,
					      event.alloc.class_, event.alloc.stack,
					      event.alloc.weight, event.alloc.sample,
					      event.alloc.gc);
	} else {
		gctrace_write_object_alloc(&trip->writer, event.alloc.id, event.alloc.size,
					   event.alloc.class_, event.alloc.stack,
					   event.alloc.weight);
	}
	expect(trip, &event, EVENT_OBJECT_ALLOC);
}

/* Into several records and several batches, where there are many. */
static void call_samples(struct trip *trip)
{
	const size_t count = pick(trip, 10) ? pick(trip, 20) : pick(trip, 20000);
	struct gctrace_sample *told = calloc(count + 1, sizeof(*told));
	struct sample_fate *samples = calloc(count + 1, sizeof(*samples));
	struct event event = { .samples = { .gc = number(trip),
					    .interval = number(trip),
					    .samples = samples,
					    .count = count,
					    .all = pick(trip, 2),
					    .in_doubt = pick(trip, 2),
					    .unfollowed = pick(trip, 2),
					    .repeats = (uint8_t)pick(trip, 16) } };
	uint64_t last = number(trip) >> 1;

	for (size_t i = 0; i < count; i++) {
		last += 1 + (pick(trip, 4) ? pick(trip, 9) : pick(trip, UINT32_MAX));
		told[i].sample = samples[i].sample = last;
		told[i].bits = samples[i].bits = (uint32_t)number(trip);
		told[i].address = samples[i].address = address(trip) & ~UINT64_C(7);
		told[i].generation = (uint32_t)number(trip);
		if (!(told[i].bits & (GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_ADDRESS)))
			samples[i].address = EVENT_UNKNOWN;
		if (told[i].bits & GCTRACE_SAMPLE_GENERATION)
			samples[i].generation = told[i].generation;
	}
	gctrace_write_samples(&trip->writer,
			      (event.samples.all ? GCTRACE_SAMPLES_ALL : 0) |
				      (event.samples.in_doubt ? GCTRACE_SAMPLES_IN_DOUBT : 0) |
				      (event.samples.unfollowed ? GCTRACE_SAMPLES_UNFOLLOWED : 0) |
				      event.samples.repeats << GCTRACE_SAMPLES_REPEATS_SHIFT,
			      event.samples.gc, 0, event.samples.interval, 0, told, count);
	expect(trip, &event, EVENT_SAMPLES);
	free(told);
	free(samples);
}

static void call_notice(struct trip *trip)
{
	struct event event = { .notice = { .what = (uint32_t)number(trip),
					   .text = text_of(trip, 300) } };

	gctrace_write_notice(&trip->writer, event.notice.what, event.notice.text.at);
	expect(trip, &event, EVENT_NOTICE);
	drop_text(event.notice.text);
}

static void call_figure(struct trip *trip)
{
	struct event event = { 0 };

	event.figure.gc = number(trip);
	event.figure.what = (uint32_t)number(trip);
	event.figure.generation = number(trip);
	event.figure.value = number(trip);
	gctrace_write_figure(&trip->writer, event.figure.gc, event.figure.what,
			     event.figure.generation, event.figure.value);
	expect(trip, &event, EVENT_FIGURE);
}

static void call_reuse(struct trip *trip)
{
	struct event event = { 0 };

	event.reuse.generations = number(trip);
	event.reuse.start = number(trip);
	event.reuse.length = number(trip);
	gctrace_write_reuse(&trip->writer, event.reuse.generations, event.reuse.start,
			    event.reuse.length);
	expect(trip, &event, EVENT_REUSE);
}

static void call_dump_end(struct trip *trip)
{
	struct event event = { 0 };

	event.dump_end.dump = number(trip);
	event.dump_end.status = pick(trip, 2);
	event.dump_end.objects = number(trip);
	event.dump_end.references = number(trip);
	event.dump_end.roots = number(trip);
	event.dump_end.bytes = number(trip);
	gctrace_write_dump_end(&trip->writer, event.dump_end.dump, event.dump_end.status,
			       event.dump_end.objects, event.dump_end.references,
			       event.dump_end.roots, event.dump_end.bytes);
	expect(trip, &event, EVENT_DUMP_END);
}

static void call_context(struct trip *trip)
{
	if (pick(trip, 2))
		gctrace_writer_context(&trip->writer, pick(trip, 3), pick(trip, 3));
	else
		gctrace_flush(&trip->writer);
}

static void (*const calls[])(struct trip *trip) = {
	call_producer, call_collection, call_pause,  call_ranges, call_ranges,
	call_ranges,   call_container,	call_roots,  call_object, call_object,
	call_object,   call_object,	call_class,  call_define, call_space,
	call_alloc,    call_dump_end,	call_context,  call_figure,
	call_reuse,    call_samples,	call_notice,
};

/* ---------------------------------------------------------------------------------------------
 * Tests
 */

static struct trip *begin(uint64_t seed)
{
	struct trip *trip = calloc(1, sizeof(*trip));
	struct event_sink sink = transcript__sink(&trip->got);

	trip->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	gctrace_emitter_init(&trip->emitter);
	trip->emitter.sink = take_batch;
	trip->emitter.context = trip;
	gctrace_writer_init(&trip->writer, &trip->emitter, trip->buffer);
	assert_int_equal(feed__new(NULL, &sink, &trip->feed), 0);
	return trip;
}

static void end(struct trip *trip)
{
	feed__free(trip->feed);
	transcript__free(&trip->expected);
	transcript__free(&trip->got);
	free(trip);
}

/* The first line that differs says more than two megabytes. */
static void compare(const struct trip *trip, uint64_t seed)
{
	const char *expected = buf__str(&trip->expected.text), *got = buf__str(&trip->got.text);
	size_t at = 0;

	while (expected[at] && expected[at] == got[at])
		at++;
	if (expected[at] == got[at])
		return;
	while (at > 0 && expected[at - 1] != '\n')
		at--;
	fail_msg("seed %llu\nexpected %.300s\ngot      %.300s", (unsigned long long)seed,
		 expected + at, got + at);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 25; seed++) {
		struct trip *trip = begin(seed);

		for (unsigned int i = 0; i < 120; i++)
			calls[pick(trip, sizeof(calls) / sizeof(*calls))](trip);
		gctrace_flush(&trip->writer);
		assert_int_equal(feed__end(trip->feed), 0);
		compare(trip, seed);
		assert_true(losses__none(feed__losses(trip->feed)));
		assert_true(trip->batches > 1);
		end(trip);
	}
}

/* A batch that doesn't come takes nothing else with it, and is told. */
static void a_lost_batch_is_told(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct trip *trip = begin(seed);

		trip->drop_every = 5;
		call_alloc(trip); /* the base */
		gctrace_flush(&trip->writer);
		for (unsigned int i = 0; i < 300; i++) {
			call_alloc(trip);
			call_ranges(trip);
		}
		trip->drop_every = 0;
		call_dump_end(trip);
		assert_true(trip->dropped > 0);
		assert_int_equal(losses__sum(feed__losses(trip->feed), LOSS_SEQUENCE_GAP),
				 trip->dropped);
		assert_int_equal(losses__sum(feed__losses(trip->feed), LOSS_MALFORMED), 0);
		assert_non_null(strstr(buf__str(&trip->got.text), "sequence_gap"));
		end(trip);
	}
}

/* ---- What an end says of batches before it ---- */

struct crossing {
	struct gctrace_emitter emitter;
	struct gctrace_writer first, second;
	_Alignas(8) unsigned char buffers[2][GCTRACE_BATCH_BYTES];
	bool crosses; /* while the first one's batch is under way, the second one's is fired */
	uint64_t said[8];
	size_t count;
};

static void cross(void *context, const void *bytes, uint32_t size)
{
	struct crossing *crossing = context;
	const struct gctrace_batch *batch = bytes;
	struct gctrace_pause_end end;

	assert_true(size >= batch->header_bytes + sizeof(end));
	memcpy(&end, (const unsigned char *)bytes + batch->header_bytes, sizeof(end));
	crossing->said[crossing->count++] = end.batches;
	if (!crossing->crosses)
		return;
	crossing->crosses = false;
	gctrace_write_pause_end(&crossing->second, 1, 0);
	gctrace_flush(&crossing->second);
}

static void end_pause(struct gctrace_writer *writer)
{
	gctrace_write_pause_end(writer, 1, 0);
	gctrace_flush(writer);
}

/* Else the reader misses the batch that is under way, and takes the loss back when it comes. */
static void an_end_beside_a_batch_under_way_does_not_count_it(void **state)
{
	static struct crossing crossing;

	(void)state;
	gctrace_emitter_init(&crossing.emitter);
	crossing.emitter.sink = cross;
	crossing.emitter.context = &crossing;
	gctrace_writer_init(&crossing.first, &crossing.emitter, crossing.buffers[0]);
	gctrace_writer_init(&crossing.second, &crossing.emitter, crossing.buffers[1]);
	end_pause(&crossing.first);
	end_pause(&crossing.second);
	crossing.crosses = true;
	end_pause(&crossing.first); /* number 2, and in the midst of it number 3 */
	end_pause(&crossing.second);
	assert_int_equal(crossing.count, 5);
	assert_int_equal(crossing.said[0], 0);
	assert_int_equal(crossing.said[1], 1);
	assert_int_equal(crossing.said[2], 2);
	assert_int_equal(crossing.said[3], 0); /* 2 is not there yet */
	assert_int_equal(crossing.said[4], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_lost_batch_is_told),
		cmocka_unit_test(an_end_beside_a_batch_under_way_does_not_count_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
