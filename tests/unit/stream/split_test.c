/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches split and joined: an example byte by byte, what stays whole, and hostile parts. That any
 * batch comes back as it was, decode_heads_test.c has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/split.h"
#include "unit/random.h"

#define OBJECTS 12
#define OBJECT_BYTES 8
#define PADDED (OBJECTS * OBJECT_BYTES + 7) /* room for what is added to them */

/* A batch with one record, of objects with two references each; the last in a way of its own. */
struct sample {
	struct record record;
	struct gctrace_batch batch;
	struct gctrace_objects objects;
	uint8_t bytes[PADDED + 9];
};

static const uint8_t near_object[OBJECT_BYTES] = { 0, 8, 0x93, 1, 4, 2, 9, 9 };
static const uint8_t far_object[OBJECT_BYTES] = { GCTRACE_OBJECT_FLAGS, 6, 7, 5, 1, 2, 3, 4 };

static void set_lengths(struct sample *sample, uint32_t bytes)
{
	sample->objects.head.bytes = sizeof(sample->objects) + bytes;
	sample->batch.bytes = (sizeof(sample->batch) + sample->objects.head.bytes + 7) & ~7u;
	sample->record.bytes = sizeof(sample->record) + sample->batch.bytes;
}

static struct sample sample(void)
{
	struct sample sample = {
		.record = { .stamp = 77, .kind = RECORD_BATCH, .target = 3, .tid = 5 },
		.batch = { .magic = GCTRACE_MAGIC,
			   .major = GCTRACE_MAJOR,
			   .header_bytes = sizeof(sample.batch),
			   .records = 1,
			   .sequence = 9 },
		.objects = { .head = { .kind = GCTRACE_OBJECTS }, .base = 4096, .count = OBJECTS },
	};

	for (size_t i = 0; i < OBJECTS; i++)
		memcpy(sample.bytes + i * OBJECT_BYTES,
		       i == OBJECTS - 1 ? far_object : near_object, OBJECT_BYTES);
	set_lengths(&sample, OBJECTS * OBJECT_BYTES);
	return sample;
}

struct parts {
	struct buf heads, references;
};

static bool split(const struct sample *sample, struct parts *parts)
{
	struct splitter *splitter = splitter__new();
	bool answer;

	*parts = (struct parts){ BUF_INIT, BUF_INIT };
	answer = splitter__add(splitter, &sample->record, &sample->batch, &parts->heads,
			       &parts->references);
	splitter__free(splitter);
	return answer;
}

static void parts__free(struct parts *parts)
{
	buf__free(&parts->heads);
	buf__free(&parts->references);
}

/* In memory of exactly its size, and the slack. */
static uint8_t *with_slack(const struct buf *part)
{
	uint8_t *copy = malloc(part->len + SPLIT_SLACK);

	memcpy(copy, buf__str(part), part->len);
	memset(copy + part->len, 0, SPLIT_SLACK);
	return copy;
}

static int join(const struct parts *parts, uint8_t *to, size_t bytes)
{
	uint8_t *heads = with_slack(&parts->heads), *references = with_slack(&parts->references);
	const int err = split__join((struct split_part){ heads, parts->heads.len },
				    (struct split_part){ references, parts->references.len }, to,
				    bytes);

	free(heads);
	free(references);
	return err;
}

static void each_column_stands_by_itself(void **state)
{
	static const uint8_t columns[] =
		"\0\0\0\0\0\0\0\0\0\0\0\4" "\10\10\10\10\10\10\10\10\10\10\10\6"
		"\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\x93\1\7"
		"\4\4\4\4\4\4\4\4\4\4\4\5";
	const size_t headers = sizeof(struct record) + sizeof(struct gctrace_batch);
	struct sample batch = sample();
	struct split_objects objects;
	struct gctrace_batch header;
	struct record record;
	struct parts parts;

	(void)state;
	assert_true(split(&batch, &parts));
	memcpy(&record, parts.heads.data, sizeof(record));
	assert_int_equal(record.kind, RECORD_SPLIT);
	assert_int_equal(record.bytes, parts.heads.len);
	assert_int_equal(record.stamp, 77);
	memcpy(&header, parts.heads.data + sizeof(record), sizeof(header));
	assert_int_equal(header.bytes, parts.heads.len - sizeof(record));
	assert_int_equal(header.sequence, 9);
	memcpy(&objects, parts.heads.data + headers, sizeof(objects));
	assert_int_equal(objects.bytes, batch.objects.head.bytes);
	assert_int_equal(objects.fixed.count, OBJECTS);
	assert_int_equal(objects.column[SPLIT_CLASSES - 1], 23);
	assert_int_equal(objects.fixed.head.bytes, sizeof(objects) + sizeof(columns) - 1);
	assert_memory_equal(parts.heads.data + headers + sizeof(objects), columns,
			    sizeof(columns) - 1);
	assert_int_equal(parts.references.len, 11 * 3 + 4);
	assert_memory_equal(parts.references.data, "\2\11\11\2\11\11", 6);
	assert_memory_equal(parts.references.data + 33, "\1\2\3\4", 4);
	parts__free(&parts);
}

/* ---------------------------------------------------------------------------------------------
 * What stays what it is
 */

static void other_kind(struct sample *sample) { sample->record.kind = RECORD_EXEC; }
static void other_magic(struct sample *sample) { sample->batch.magic++; }
static void other_major(struct sample *sample) { sample->batch.major++; }
static void more_behind(struct sample *sample) { sample->record.bytes += 8; }
static void less_behind(struct sample *sample) { sample->batch.bytes += 8; }
static void long_header(struct sample *sample) { sample->batch.header_bytes = 4096; }
static void odd_header(struct sample *sample) { sample->batch.header_bytes++; }
static void short_record(struct sample *sample) { sample->objects.head.bytes = 7; }
static void no_room_for_fields(struct sample *sample) { sample->objects.head.bytes = 23; }
static void long_record(struct sample *sample) { sample->objects.head.bytes += 8; }
static void more_objects(struct sample *sample) { sample->objects.count++; }
static void too_many(struct sample *sample) { sample->objects.count = UINT32_MAX; }
static void fewer_objects(struct sample *sample) { sample->objects.count--; }
static void no_objects(struct sample *sample) { sample->objects.count = 0; }
static void nothing_of_objects(struct sample *sample)
{
	sample->objects.head.kind = GCTRACE_CLASS;
}
static void padding_of_ones(struct sample *sample)
{
	set_lengths(sample, OBJECTS * OBJECT_BYTES + 1);
	sample->bytes[OBJECTS * OBJECT_BYTES + 5] = 1;
}
static void much_padding(struct sample *sample)
{
	set_lengths(sample, OBJECTS * OBJECT_BYTES + 8);
}
static void long_flags(struct sample *sample)
{
	memcpy(sample->bytes + (OBJECTS - 1) * OBJECT_BYTES,
	       "\4\6\7\5\xff\xff\xff\xff\x1f\0", 10);
	set_lengths(sample, OBJECTS * OBJECT_BYTES + 2);
}
static void no_gain(struct sample *sample)
{
	sample->objects.count = 1;
	set_lengths(sample, OBJECT_BYTES);
}

static void what_would_not_come_back_stays_whole(void **state)
{
	static void (*const odd[])(struct sample *sample) = {
		other_kind,   other_magic,   other_major, more_behind,	less_behind,
		long_header,  odd_header,    short_record, no_room_for_fields, long_record,
		more_objects, too_many,	     fewer_objects, no_objects, nothing_of_objects,
		padding_of_ones, much_padding, long_flags,  no_gain,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct sample batch = sample();
		struct parts parts;

		odd[i](&batch);
		if (split(&batch, &parts))
			fail_msg("number %zu was split", i);
		assert_int_equal(parts.heads.len + parts.references.len, 0);
		parts__free(&parts);
	}
}

/* Zeros behind the objects, inside the record's length or not. */
static void padding_comes_back(void **state)
{
	uint8_t joined[sizeof(struct sample) + SPLIT_SLACK];

	(void)state;
	for (uint32_t inside = 0; inside < 4; inside++) {
		struct sample batch = sample();
		struct parts parts;

		/* The last object has no references: it ends two bytes before a multiple of 8. */
		memset(batch.bytes + OBJECTS * OBJECT_BYTES - 3, 0, 3);
		set_lengths(&batch, OBJECTS * OBJECT_BYTES - 2 + inside);
		assert_int_equal(split(&batch, &parts), inside <= 2);
		if (inside <= 2) {
			assert_int_equal(join(&parts, joined, batch.record.bytes), 0);
			assert_memory_equal(joined, &batch, batch.record.bytes);
		}
		parts__free(&parts);
	}
}

/* ---------------------------------------------------------------------------------------------
 * Hostile parts
 */

static void damage(struct buf *part, uint64_t *random)
{
	static const uint8_t fills[] = { 0xff, 0x80, 0x7f, 0x00, 0x10, 0x01 };

	if (!part->len)
		return;
	switch (random__below(random, 4)) {
	case 0:
		buf__truncate(part, random__below(random, part->len));
		break;
	case 1:
		buf__reserve(part, part->len); /* so that its bytes stay where they are */
		buf__add(part, part->data, random__below(random, part->len));
		break;
	default:
		for (size_t at = random__below(random, part->len),
			    left = 1 + random__below(random, 12);
		     at < part->len && left; at++, left--)
			part->data[at] = (char)fills[random__below(random, sizeof(fills))];
	}
}

/* Joined to so many bytes, and no other number, or refused; never one byte too far. */
static void any_parts_are_joined_or_refused(void **state)
{
	unsigned int joined = 0, refused = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
		struct sample batch = sample();
		struct parts parts;
		uint8_t *to;
		size_t bytes;
		int err;

		assert_true(split(&batch, &parts));
		for (uint64_t i = random__below(&random, 4); i; i--)
			damage(random__below(&random, 2) ? &parts.heads : &parts.references,
			       &random);
		bytes = batch.record.bytes +
			(random__below(&random, 8) ? 0 : random__below(&random, 32) - 16);
		to = malloc(bytes + SPLIT_SLACK);
		err = join(&parts, to, bytes);
		assert_true(!err || err == -EBADMSG);
		joined += !err;
		refused += err != 0;
		free(to);
		parts__free(&parts);
	}
	assert_true(joined > 1000 && refused > 1000);
}

static void columns_are_within_their_record(void **state)
{
	const uint8_t *columns[SPLIT_COLUMNS + 1];
	struct split_objects objects = { .fixed = { .count = 2 }, .column = { 2, 3, 4 } }, found;
	uint8_t bytes[sizeof(objects) + 11];

	(void)state;
	memcpy(bytes, &objects, sizeof(objects));
	assert_true(split__columns(bytes, sizeof(bytes), &found, columns));
	assert_ptr_equal(columns[SPLIT_SIZES], bytes + sizeof(objects) + 7);
	assert_ptr_equal(columns[SPLIT_COLUMNS], bytes + sizeof(bytes));
	assert_false(split__columns(bytes, sizeof(bytes) - 1, &found, columns));
	assert_false(split__columns(bytes, sizeof(objects) - 1, &found, columns));
	objects.column[2] = 3;
	memcpy(bytes, &objects, sizeof(objects));
	assert_false(split__columns(bytes, sizeof(bytes), &found, columns));
	objects.column[0] = UINT32_MAX;
	memcpy(bytes, &objects, sizeof(objects));
	assert_false(split__columns(bytes, sizeof(bytes), &found, columns));
	objects.fixed.count = UINT32_MAX;
	memcpy(bytes, &objects, sizeof(objects));
	assert_false(split__columns(bytes, sizeof(bytes), &found, columns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_stands_by_itself),
		cmocka_unit_test(what_would_not_come_back_stays_whole),
		cmocka_unit_test(padding_comes_back),
		cmocka_unit_test(any_parts_are_joined_or_refused),
		cmocka_unit_test(columns_are_within_their_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
