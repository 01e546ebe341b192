/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of objects, whose references stand apart: read with them they are what was written,
 * read without them they tell the same objects, and damage costs the block that it is in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include "object_tale.h"
#include "stream/recording.h"
#include "unit/random.h"

#define OBJECTS 100000

struct world {
	uint64_t random, stamp;
	struct gctrace_emitter emitter;
	struct gctrace_writer writer;
	_Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
	struct recording_writer *recording;
	struct buf written; /* records as they were, padded, one behind the other */
	uint64_t records;
};

static int scratch(void)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void take_batch(void *ctx, const void *batch, uint32_t bytes)
{
	struct world *world = ctx;
	struct record *record = malloc(sizeof(*record) + bytes);

	*record = (struct record){
		.stamp = ++world->stamp,
		.bytes = (uint32_t)sizeof(*record) + bytes,
		.kind = RECORD_BATCH,
		.ring = 2,
	};
	memcpy(record + 1, batch, bytes);
	/* One in seven is damaged: it stays whole, and is told all the same. */
	if (world->stamp % 7 == 0)
		memset((uint8_t *)(record + 1) + bytes / 2, 0xff, 30);
	assert_int_equal(recording_writer__record(world->recording, record, 2), 0);
	world->records++;
	buf__add(&world->written, record, record->bytes);
	buf__add_repeated(&world->written, '\0', -(size_t)record->bytes & 7);
	free(record);
}

static void write_object(struct world *world, uint64_t id)
{
	uint64_t refs[40] = { 0 };
	const struct gctrace_object object = {
		.id = id,
		.class_ = random__below(&world->random, 300),
		.size = 8 + random__below(&world->random, 9) * 8,
		.flags = random__below(&world->random, 50) ? 0 : GCTRACE_OBJECT_PINNED,
		.place = GCTRACE_PLACE_POSITION,
		.count = random__below(&world->random, random__below(&world->random, 9) ? 4 : 40),
		.refs = refs,
	};

	for (size_t i = 0; i < object.count; i++)
		refs[i] = id + random__below(&world->random, 1 << 20) * 8;
	gctrace_write_object(&world->writer, &object);
}

/* The file; what went into it is in world->written, which is the caller's to free. */
static int write_objects(struct world *world)
{
	struct facts *facts = facts__new();
	const int fd = scratch();

	memset(world, 0, sizeof(*world));
	world->random = 1;
	gctrace_emitter_init(&world->emitter);
	world->emitter.sink = take_batch;
	world->emitter.context = world;
	gctrace_writer_init(&world->writer, &world->emitter, world->buffer);
	assert_int_equal(recording_writer__new(dup(fd), "test", facts, &world->recording), 0);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		write_object(world, 0x7f0000000000 + i * 32);
		if (i % 5000 == 0)
			gctrace_write_container(&world->writer, GCTRACE_C_STATIC, i, 0);
	}
	gctrace_flush(&world->writer);
	assert_int_equal(recording_writer__close(world->recording), 0);
	facts__free(facts);
	return fd;
}

static struct recording *open_copy(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	char *bytes = malloc((size_t)size);
	struct recording *recording;
	const int copy = scratch();

	assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
	assert_int_equal(write(copy, bytes, (size_t)size), size);
	lseek(copy, 0, SEEK_SET);
	free(bytes);
	assert_int_equal(recording__open_fd(copy, "test", &recording), 0);
	return recording;
}

/* ---------------------------------------------------------------------------------------------
 * With references
 */

struct comparing {
	const struct buf *written;
	size_t at;
};

static int compare(void *ctx, const struct record *record, unsigned int ring)
{
	struct comparing *comparing = ctx;

	assert_int_equal(ring, 2);
	assert_true(comparing->at + record->bytes <= comparing->written->len);
	assert_memory_equal(record, comparing->written->data + comparing->at, record->bytes);
	comparing->at += (record->bytes + 7u) & ~7u;
	return 0;
}

static void what_was_split_is_read_as_it_was(void **state)
{
	struct world *world = malloc(sizeof(*world));
	const int fd = write_objects(world);
	struct recording *recording = open_copy(fd);
	struct comparing comparing = { &world->written, 0 };
	const struct record_sink sink = { compare, &comparing };

	(void)state;
	while (recording__pull(recording, &sink) == SOURCE_MORE)
		;
	assert_int_equal(comparing.at, world->written.len);
	assert_null(recording__damage(recording));
	recording__close(recording);
	buf__free(&world->written);
	close(fd);
	free(world);
}

/* ---------------------------------------------------------------------------------------------
 * Without
 */

struct telling {
	struct feed *feed;
	uint64_t split, whole;
};

static int count_and_feed(void *ctx, const struct record *record, unsigned int ring)
{
	struct telling *telling = ctx;

	(void)ring;
	telling->split += record->kind == RECORD_SPLIT;
	telling->whole += record->kind == RECORD_BATCH;
	return feed__record(telling->feed, record);
}

static struct telling tell(int fd, bool leave, struct object_tale *tale)
{
	const struct feed_options options = { .wanted = FEED_WANTS(EVENT_HEADS) };
	const struct event_sink sink = { object_tale__add, tale };
	struct recording *recording = open_copy(fd);
	struct telling telling = { .split = 0 };
	const struct record_sink to = { count_and_feed, &telling };

	assert_int_equal(feed__new(&options, &sink, &telling.feed), 0);
	if (leave)
		recording__leave_references(recording);
	while (recording__pull(recording, &to) == SOURCE_MORE)
		;
	assert_int_equal(feed__end(telling.feed), 0);
	feed__free(telling.feed);
	recording__close(recording);
	return telling;
}

static void heads_alone_tell_the_same(void **state)
{
	struct world *world = malloc(sizeof(*world));
	const int fd = write_objects(world);
	struct object_tale all = { .objects = 0 }, heads = { .objects = 0 };
	struct telling with = tell(fd, false, &all), without = tell(fd, true, &heads);

	(void)state;
	assert_int_equal(with.split, 0);
	assert_int_equal(with.whole, world->records);
	assert_int_equal(without.split + without.whole, world->records);
	assert_true(without.split > world->records / 2);
	assert_true(without.whole >= world->records / 7); /* those that were damaged */
	assert_true(all.objects > OBJECTS / 2);
	assert_string_equal(buf__str(&all.text), buf__str(&heads.text));
	buf__free(&all.text);
	buf__free(&heads.text);
	buf__free(&world->written);
	close(fd);
	free(world);
}

/* ---------------------------------------------------------------------------------------------
 * Other files
 */

/* The file's blocks: walks from header to header. */
static size_t next_block(const struct buf *file, size_t at, struct recording_block *block)
{
	if (at + sizeof(*block) > file->len)
		return 0;
	memcpy(block, file->data + at, sizeof(*block));
	return sizeof(*block) + block->stored;
}

static struct buf contents_of(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	struct buf file = BUF_INIT;

	assert_int_equal(buf__reserve(&file, (size_t)size), 0);
	assert_int_equal(pread(fd, file.data, (size_t)size, 0), size);
	file.len = (size_t)size;
	return file;
}

static void put_back(int fd, const struct buf *file)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, file->data, file->len, 0), file->len);
}

static uint32_t checksum(const void *bytes, size_t count)
{
	return (uint32_t)crc32(0, bytes, (uInt)count);
}

/* Made by version 1.1: all that there was of a batch in one frame. */
static void older_files_are_read(void **state)
{
	struct recording_header header = { .magic = RECORDING_MAGIC, .major = 1, .minor = 1,
					   .header_bytes = sizeof(header) };
	struct recording_block block = { .magic = RECORDING_BLOCK_MAGIC,
					 .kind = RECORDING_RECORDS, .flags = RECORDING_ZSTD };
	struct world *world = malloc(sizeof(*world));
	struct comparing comparing = { &world->written, 0 };
	const struct record_sink sink = { compare, &comparing };
	const int fd = write_objects(world);
	struct recording *recording;
	struct buf file = BUF_INIT;
	size_t room = ZSTD_compressBound(world->written.len);
	uint8_t *stored = malloc(room);

	(void)state;
	header.checksum = checksum(&header, offsetof(struct recording_header, checksum));
	block.plain = (uint32_t)world->written.len;
	block.stored = (uint32_t)ZSTD_compress(stored, room, world->written.data,
					       world->written.len, 1);
	block.checksum = checksum(stored, block.stored);
	block.header_checksum = checksum(&block, offsetof(struct recording_block, header_checksum));
	buf__add(&file, &header, sizeof(header));
	buf__add(&file, &block, sizeof(block));
	buf__add(&file, stored, block.stored);
	put_back(fd, &file);
	recording = open_copy(fd);
	recording__leave_references(recording);
	while (recording__pull(recording, &sink) == SOURCE_MORE && comparing.at < block.plain)
		;
	assert_int_equal(comparing.at, world->written.len);
	recording__close(recording);
	buf__free(&file);
	buf__free(&world->written);
	free(stored);
	close(fd);
	free(world);
}

struct damage {
	uint64_t lost, records;
};

static int count(void *ctx, const struct record *record, unsigned int ring)
{
	struct damage *damage = ctx;

	(void)ring;
	if (record->kind == RECORD_LOSS)
		damage->lost += ((const struct record_call *)record)->args[1];
	else
		damage->records++;
	return 0;
}

static struct damage read_damaged(int fd, bool leave)
{
	struct recording *recording = open_copy(fd);
	struct damage damage = { 0, 0 };
	const struct record_sink sink = { count, &damage };
	int answer;

	if (leave)
		recording__leave_references(recording);
	do
		answer = recording__pull(recording, &sink);
	while (answer == SOURCE_MORE);
	assert_int_equal(answer, SOURCE_END);
	recording__close(recording);
	return damage;
}

/* A block's stored bytes, damaged anywhere: in its heads, in its references. */
static void a_damaged_block_is_lost_whole(void **state)
{
	struct world *world = malloc(sizeof(*world));
	const int fd = write_objects(world);
	struct buf file = contents_of(fd);
	struct recording_block block;
	size_t at = sizeof(struct recording_header), bytes, blocks = 0;

	(void)state;
	for (; (bytes = next_block(&file, at, &block)); at += bytes) {
		if (block.flags != RECORDING_SPLIT)
			continue;
		for (unsigned int part = 1; part < 8; part++) {
			char *byte = file.data + at + sizeof(block) + block.stored * part / 8;

			*byte ^= 0x10;
			put_back(fd, &file);
			assert_int_equal(read_damaged(fd, part % 2).lost, 1);
			*byte ^= 0x10;
		}
		blocks++;
	}
	assert_true(blocks > 3);
	buf__free(&file);
	buf__free(&world->written);
	close(fd);
	free(world);
}

/*
 * Checksums that are right over bytes that are not what the header says: lost, or told as far as
 * they go. A reader that leaves references does not see what is wrong with them.
 */
static void forged_blocks_do_no_harm(void **state)
{
	struct world *world = malloc(sizeof(*world));
	const int fd = write_objects(world);
	struct buf file = contents_of(fd), forged = BUF_INIT;
	struct recording_block block;
	const size_t header = sizeof(struct recording_header);
	size_t at = header, bytes, behind;
	uint64_t random = 7, lost = 0;

	(void)state;
	while ((bytes = next_block(&file, at, &block)) && block.flags != RECORDING_SPLIT)
		at += bytes;
	assert_true(bytes > 1000);
	behind = next_block(&file, at + bytes, &block); /* its number shows what is lost */
	for (unsigned int i = 0; i < 300; i++) {
		char *stored;

		buf__reset(&forged);
		buf__add(&forged, file.data, at + bytes + behind);
		stored = forged.data + at + sizeof(block);
		memcpy(&block, file.data + at, sizeof(block));
		if (i % 3 == 0)
			block.plain += (uint32_t)random__below(&random, 32) - 16;
		else
			for (unsigned int k = 0; k < i % 3; k++)
				stored[random__below(&random, block.stored)] ^= (char)(1 << i % 8);
		block.checksum = checksum(stored, block.stored);
		block.header_checksum =
			checksum(&block, offsetof(struct recording_block, header_checksum));
		memcpy(forged.data + at, &block, sizeof(block));
		put_back(fd, &forged);
		lost += read_damaged(fd, i % 2).lost > 1; /* END is missing anyhow */
	}
	assert_true(lost > 30);
	buf__free(&file);
	buf__free(&forged);
	buf__free(&world->written);
	close(fd);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_split_is_read_as_it_was),
		cmocka_unit_test(heads_alone_tell_the_same),
		cmocka_unit_test(older_files_are_read),
		cmocka_unit_test(a_damaged_block_is_lost_whole),
		cmocka_unit_test(forged_blocks_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
