/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects without their references: whatever the bytes are, who skips references is told of the
 * same objects and the same losses, in the same order, as who reads them; and so is who has them
 * from batches that were split (stream/split.h), which joined again are what they were.
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

#include "object_tale.h"
#include "stream/split.h"
#include "unit/random.h"

struct world {
	uint64_t random;
	struct gctrace_emitter emitter;
	struct gctrace_writer writer;
	_Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
	struct object_tale read, skipped, split;
	struct feed *reading, *skipping, *of_split;
	struct splitter *splitter;
	uint64_t splits;
	uint64_t stamp;
	unsigned int damage; /* places in each batch that are overwritten */
};

static uint64_t any(struct world *world)
{
	return random__next(&world->random);
}

static uint64_t pick(struct world *world, uint64_t below)
{
	return random__below(&world->random, below);
}

static uint8_t *with_slack(const struct buf *bytes)
{
	uint8_t *copy = malloc(bytes->len + SPLIT_SLACK);

	memcpy(copy, buf__str(bytes), bytes->len);
	memset(copy + bytes->len, 0xff, SPLIT_SLACK);
	return copy;
}

/* What was split is what it was when it is joined. */
static void check_join(const struct record *record, const struct buf *heads,
		       const struct buf *references)
{
	const size_t whole = (record->bytes + 7u) & ~7u;
	uint8_t *parts[2] = { with_slack(heads), with_slack(references) };
	uint8_t *joined = malloc(whole + SPLIT_SLACK);

	assert_int_equal(split__join((struct split_part){ parts[0], heads->len },
				     (struct split_part){ parts[1], references->len }, joined,
				     whole),
			 0);
	assert_memory_equal(joined, record, record->bytes);
	free(parts[0]);
	free(parts[1]);
	free(joined);
}

static void feed_split(struct world *world, const struct record *record)
{
	struct buf heads = BUF_INIT, references = BUF_INIT;
	struct record *split;

	if (!splitter__add(world->splitter, record, record + 1, &heads, &references)) {
		assert_int_equal(heads.len + references.len, 0);
		assert_int_equal(feed__record(world->of_split, record), 0);
	} else {
		assert_true(heads.len < record->bytes);
		check_join(record, &heads, &references);
		split = malloc(heads.len);
		memcpy(split, heads.data, heads.len);
		assert_int_equal(feed__record(world->of_split, split), 0);
		free(split);
		world->splits++;
	}
	buf__free(&heads);
	buf__free(&references);
}

/* In memory of its own and of exactly its size, so that ASan sees one byte too far. */
static void feed_all(struct world *world, unsigned int kind, const void *body, size_t bytes)
{
	struct record *record = malloc(sizeof(*record) + bytes);

	*record = (struct record){
		.stamp = ++world->stamp,
		.bytes = (uint32_t)(sizeof(*record) + bytes),
		.kind = (uint16_t)kind,
		.tid = 5,
	};
	memcpy(record + 1, body, bytes);
	assert_int_equal(feed__record(world->reading, record), 0);
	assert_int_equal(feed__record(world->skipping, record), 0);
	feed_split(world, record);
	free(record);
}

/* Some bytes in a row that make a number longer, or end it, or mean something else. */
static void overwrite(struct world *world, uint8_t *at, size_t bytes)
{
	static const uint8_t fills[] = { 0xff, 0x80, 0x7f, 0x00, 0x10, 0x08 };
	const size_t from = pick(world, bytes), row = 1 + pick(world, 12);
	const uint8_t fill = fills[pick(world, sizeof(fills))];

	for (size_t i = from; i < from + row && i < bytes; i++)
		at[i] = pick(world, 8) ? fill : (uint8_t)any(world);
}

static void take_batch(void *ctx, const void *batch, uint32_t bytes)
{
	const size_t whole = sizeof(struct gctrace_batch);
	struct world *world = ctx;
	uint8_t *copy = malloc(bytes);

	memcpy(copy, batch, bytes);
	for (unsigned int i = 0; i < world->damage; i++)
		overwrite(world, copy + whole, bytes - whole);
	feed_all(world, RECORD_BATCH, copy, bytes);
	free(copy);
}

static void begin(struct world *world, uint64_t seed, unsigned int damage)
{
	const struct feed_options skipping = { .wanted = ~FEED_WANTS(EVENT_OBJECT) };
	const struct event_sink read = { object_tale__add, &world->read };
	const struct event_sink skipped = { object_tale__add, &world->skipped };
	const struct event_sink split = { object_tale__add, &world->split };

	memset(world, 0, sizeof(*world));
	world->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	world->damage = damage;
	gctrace_emitter_init(&world->emitter);
	world->emitter.sink = take_batch;
	world->emitter.context = world;
	gctrace_writer_init(&world->writer, &world->emitter, world->buffer);
	assert_int_equal(feed__new(NULL, &read, &world->reading), 0);
	assert_int_equal(feed__new(&skipping, &skipped, &world->skipping), 0);
	assert_int_equal(feed__new(&skipping, &split, &world->of_split), 0);
	world->splitter = splitter__new();
	assert_non_null(world->splitter);
}

static void compare(const struct object_tale *read, const struct object_tale *skipped)
{
	const char *one = buf__str(&read->text), *other = buf__str(&skipped->text);
	size_t at = 0;

	while (one[at] && one[at] == other[at])
		at++;
	if (one[at] != other[at])
		fail_msg("from byte %zu on\nread    %.200s\nskipped %.200s", at, one + at,
			 other + at);
}

/* All were told the same; whatever that was. */
static void end(struct world *world)
{
	assert_int_equal(feed__end(world->reading), 0);
	assert_int_equal(feed__end(world->skipping), 0);
	assert_int_equal(feed__end(world->of_split), 0);
	compare(&world->read, &world->skipped);
	compare(&world->read, &world->split);
	for (unsigned int kind = 0; kind < LOSS_KINDS; kind++) {
		const uint64_t lost = losses__sum(feed__losses(world->reading), kind);

		assert_int_equal(lost, losses__sum(feed__losses(world->skipping), kind));
		assert_int_equal(lost, losses__sum(feed__losses(world->of_split), kind));
	}
	splitter__free(world->splitter);
	feed__free(world->reading);
	feed__free(world->skipping);
	feed__free(world->of_split);
	buf__free(&world->read.text);
	buf__free(&world->skipped.text);
	buf__free(&world->split.text);
}

/* As heaps have them, mostly: near, sometimes far or odd or anything. */
static uint64_t near(struct world *world, uint64_t address)
{
	switch (pick(world, 64)) {
	case 0:
		return any(world) >> pick(world, 64);
	case 1:
		return address + pick(world, 1000);
	case 2:
		return address ^ pick(world, UINT64_C(1) << 40) << 3;
	default:
		return address + (pick(world, UINT64_C(1) << pick(world, 24)) << 3);
	}
}

static void write_object(struct world *world, uint64_t *address)
{
	const size_t count = pick(world, 100) ? pick(world, 7) : pick(world, 3000);
	uint64_t *numbers = calloc(2 * count + 1, sizeof(*numbers));
	uint32_t *flags = calloc(count + 1, sizeof(*flags));
	const struct gctrace_object object = {
		.id = *address = near(world, *address),
		.class_ = any(world) >> (pick(world, 10) ? 50 + pick(world, 14) : pick(world, 64)),
		.size = pick(world, 30) ? pick(world, 300) * 8 : any(world) >> pick(world, 64),
		.flags = pick(world, 20) ? 0 : (uint32_t)any(world) & ~GCTRACE_MORE_REFERENCES,
		.place = (uint32_t)pick(world, 4),
		.count = count,
		.refs = numbers,
		.ref_flags = pick(world, 3) ? NULL : flags,
		.places = numbers + count,
		.first = pick(world, 20) ? 0 : pick(world, 100000),
	};

	for (size_t i = 0; i < count; i++) {
		numbers[i] = pick(world, 4) ? near(world, *address) : 0;
		numbers[count + i] = pick(world, UINT64_C(1) << pick(world, 40));
		flags[i] = (uint32_t)any(world) >> (pick(world, 9) ? 20 : pick(world, 32));
	}
	gctrace_write_object(&world->writer, &object);
	free(numbers);
	free(flags);
}

static void tell(uint64_t seed, unsigned int objects, unsigned int damage)
{
	struct world *world = malloc(sizeof(*world));
	uint64_t address = 0x7f0000000000;

	begin(world, seed, damage);
	for (unsigned int i = 0; i < objects; i++)
		write_object(world, &address);
	gctrace_flush(&world->writer);
	assert_true(world->read.objects > 0 || damage);
	if (!damage) {
		assert_true(losses__none(feed__losses(world->reading)));
		assert_true(objects < 10 || world->splits == world->stamp);
	}
	end(world);
	free(world);
}

static void what_is_right_is_told_alike(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++)
		tell(seed, 5000, 0);
	for (uint64_t seed = 1; seed <= 300; seed++)
		tell(seed, 1 + seed % 7, 0); /* near a record's end all objects are */
}

static void what_is_damaged_is_lost_alike(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++)
		tell(seed, 4000, 1 + seed % 5);
	for (uint64_t seed = 1; seed <= 3000; seed++)
		tell(seed, 1 + seed % 40, 1 + seed % 3);
}

/* A record OBJECTS with one object at 0x1000 of so many references, and these bytes behind. */
static void tell_bytes(struct world *world, const uint8_t *bytes, size_t count)
{
	uint8_t body[2048] = { 0 };
	struct gctrace_batch *batch = (struct gctrace_batch *)(void *)body;
	struct gctrace_objects *objects = (struct gctrace_objects *)(batch + 1);

	assert_true(sizeof(*batch) + sizeof(*objects) + count + 8 <= sizeof(body));
	*batch = (struct gctrace_batch){
		.magic = GCTRACE_MAGIC,
		.major = GCTRACE_MAJOR,
		.header_bytes = sizeof(*batch),
		.records = 1,
		.sequence = world->stamp,
	};
	*objects = (struct gctrace_objects){
		.head = { .kind = GCTRACE_OBJECTS,
			  .bytes = (uint32_t)(sizeof(*objects) + count) },
		.base = 0x1000,
		.count = 1,
	};
	memcpy(objects + 1, bytes, count);
	batch->bytes = (uint32_t)((sizeof(*batch) + objects->head.bytes + 7) & ~7u);
	feed_all(world, RECORD_BATCH, body, batch->bytes);
}

/*
 * Each number of an object in turn as long as a number can be, and longer: what a u64 or flags of
 * 32 bits have no room for is malformed, wherever it stands among eight bytes.
 */
static void numbers_of_all_lengths(void **state)
{
	static const uint8_t lasts[] = { 0x00, 0x01, 0x02, 0x0f, 0x10, 0x7f };
	struct world *world = malloc(sizeof(*world));

	(void)state;
	begin(world, 1, 0);
	for (unsigned int bits = 0; bits < 64; bits++) {
		for (size_t which = 1; which < 20; which++) {
			for (size_t length = 1; length <= 12; length++) {
				uint8_t bytes[200] = { (uint8_t)bits, 2, 7, 3, 9, 9, 9 };

				memset(bytes + 4, 9, sizeof(bytes) - 4);
				memset(bytes + which, 0xff, length - 1);
				bytes[which + length - 1] = lasts[(bits + which) % 6];
				tell_bytes(world, bytes, sizeof(bytes));
				tell_bytes(world, bytes, which + length + 3);
			}
		}
	}
	assert_true(world->read.objects > 1000);
	assert_true(losses__sum(feed__losses(world->reading), LOSS_MALFORMED) > 1000);
	end(world);
	free(world);
}

/* What is malformed behind the first references of an object has no way back to its head. */
static void an_object_counts_as_soon_as_a_part_of_it_is_told(void **state)
{
	struct world *world = malloc(sizeof(*world));
	uint8_t bytes[700] = { 0, 2, 7, 3, 0x80 | (600 & 0x7f), 600 >> 7 };

	(void)state;
	begin(world, 1, 0);
	memset(bytes + 6, 9, sizeof(bytes) - 6);
	memset(bytes + 6 + 550, 0xff, 20);
	tell_bytes(world, bytes, sizeof(bytes));
	assert_int_equal(world->skipped.objects, 1);
	memset(bytes + 6 + 500, 0xff, 20);
	tell_bytes(world, bytes, sizeof(bytes));
	assert_int_equal(world->skipped.objects, 1);
	assert_int_equal(losses__sum(feed__losses(world->skipping), LOSS_MALFORMED), 2);
	end(world);
	free(world);
}

static void single_probes_tell_heads(void **state)
{
	struct {
		struct record_part part;
		uint64_t args[6];
		uint64_t refs[2];
	} hit = { .part = { .count = 2, .total = 2 }, .args = { 0x1000, 0, 7, 24, 0 } };
	struct world *world = malloc(sizeof(*world));

	(void)state;
	begin(world, 1, 0);
	feed_all(world, RECORD_OBJECT, &hit, sizeof(hit));
	hit.part.count = 3; /* more than are there */
	feed_all(world, RECORD_OBJECT, &hit, sizeof(hit));
	assert_string_equal(buf__str(&world->skipped.text), "1000 7 24\nlost malformed 1\n");
	end(world);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_right_is_told_alike),
		cmocka_unit_test(what_is_damaged_is_lost_alike),
		cmocka_unit_test(numbers_of_all_lengths),
		cmocka_unit_test(an_object_counts_as_soon_as_a_part_of_it_is_told),
		cmocka_unit_test(single_probes_tell_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
