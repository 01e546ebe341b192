/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: written and read back, cut off anywhere, damaged anywhere, forged, on a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>
#include <zlib.h>

#include "stream/loss.h"
#include "stream/recording.h"

#define BODY 2000 /* bytes of a record here; 131 to a block */

struct numbered {
	struct record head;
	uint64_t number;
	uint8_t body[BODY];
};

static struct numbered numbered(uint64_t number)
{
	struct numbered record = {
		.head = { .stamp = 1000 + number,
			  .bytes = (uint32_t)(sizeof(record) - number % 5),
			  .kind = 900,
			  .target = 3,
			  .tid = 44 },
		.number = number,
	};

	for (size_t i = 0; i < BODY; i++)
		record.body[i] = (uint8_t)((i * 31 + number) >> (number % 3));
	return record;
}

/* A file without a name; the copy outlives the descriptor that the writer closes. */
static int scratch(void)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static struct facts *some_facts(void)
{
	struct facts *facts = facts__new();

	assert_int_equal(facts__set_str(facts, "gctrace", "0.1.0"), 0);
	assert_int_equal(facts__set_i64(facts, "clock_offset_ns", -5), 0);
	assert_int_equal(facts__set_target(facts, 3, "runtime", "HotSpot"), 0);
	return facts;
}

static int write_records(uint64_t count, bool close_it)
{
	struct facts *facts = some_facts();
	struct recording_writer *writer;
	int fd = scratch();

	assert_int_equal(recording_writer__new(dup(fd), "test", facts, &writer), 0);
	for (uint64_t i = 0; i < count; i++) {
		struct numbered record = numbered(i);

		assert_int_equal(recording_writer__record(writer, &record.head, (unsigned)i % 7),
				 0);
	}
	assert_int_equal(recording_writer__records(writer), count);
	if (close_it) {
		assert_int_equal(recording_writer__close(writer), 0);
	} else {
		assert_int_equal(recording_writer__flush(writer), 0);
		recording_writer__close(writer);
	}
	facts__free(facts);
	return fd;
}

struct contents {
	uint8_t *bytes;
	size_t size;
};

static struct contents contents_of(int fd)
{
	struct contents contents;

	contents.size = (size_t)lseek(fd, 0, SEEK_END);
	contents.bytes = malloc(contents.size);
	assert_int_equal(pread(fd, contents.bytes, contents.size, 0), contents.size);
	close(fd);
	return contents;
}

/* ---------------------------------------------------------------------------------------------
 * Reading
 */

struct reading {
	uint64_t next, seen, lost, losses, last_until;
	bool ended;
	bool bad_order;
};

static int see(void *ctx, const struct record *record, unsigned int ring)
{
	struct reading *reading = ctx;
	const struct numbered *got = (const struct numbered *)record;
	struct numbered expected;

	if (record->kind == RECORD_LOSS) {
		const struct record_call *call = (const struct record_call *)record;

		assert_int_equal(call->args[0], LOSS_RECORDING);
		assert_int_equal(record->target, LOSS_ANY_TARGET);
		assert_true(record->stamp <= call->args[2]);
		reading->lost += call->args[1];
		reading->last_until = call->args[2];
		reading->losses++;
		return 0;
	}
	/* Whatever happened to the file: what is handed on is what was written, in order. */
	assert_true(got->number >= reading->next);
	if (got->number > reading->next)
		assert_true(reading->losses > 0);
	expected = numbered(got->number);
	expected.head.ring = (uint16_t)(got->number % 7);
	assert_int_equal(ring, got->number % 7);
	assert_memory_equal(got, &expected, expected.head.bytes);
	reading->next = got->number + 1;
	reading->seen++;
	return 0;
}

static int open_contents(const uint8_t *bytes, size_t size, struct recording **recording)
{
	int fd = scratch();

	assert_int_equal(write(fd, bytes, size), size);
	lseek(fd, 0, SEEK_SET);
	return recording__open_fd(fd, "test", recording);
}

static void read_all(struct recording *recording, struct reading *reading)
{
	struct record_sink sink = { see, reading };
	int answer;

	memset(reading, 0, sizeof(*reading));
	do
		answer = recording__pull(recording, &sink);
	while (answer == SOURCE_MORE);
	assert_int_equal(answer, SOURCE_END);
	assert_int_equal(recording__pull(recording, &sink), SOURCE_END);
}

static void what_is_written_is_read(void **state)
{
	struct contents file = contents_of(write_records(1000, true));
	struct recording *recording;
	struct reading reading;
	size_t bytes;

	(void)state;
	assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
	assert_string_equal(facts__get_target(recording__facts(recording), 3, "runtime", &bytes),
			    "HotSpot");
	assert_int_equal(bytes, 7);
	assert_int_equal(facts__get_i64(recording__facts(recording), "clock_offset_ns", 0), -5);
	read_all(recording, &reading);
	assert_int_equal(reading.seen, 1000);
	assert_int_equal(reading.losses, 0);
	assert_null(recording__damage(recording));
	assert_true(file.size < 1000 * sizeof(struct numbered) / 2); /* it is compressed */
	recording__close(recording);
	free(file.bytes);
}

static void an_empty_recording_is_one(void **state)
{
	struct contents file = contents_of(write_records(0, true));
	struct recording *recording;
	struct reading reading;

	(void)state;
	assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
	read_all(recording, &reading);
	assert_int_equal(reading.seen + reading.losses, 0);
	recording__close(recording);
	free(file.bytes);
}

static void facts_grow_in_the_middle(void **state)
{
	struct facts *facts = some_facts();
	struct recording_writer *writer;
	struct recording *recording;
	struct reading reading;
	struct numbered record = numbered(0);
	struct contents file;
	int fd = scratch();

	(void)state;
	assert_int_equal(recording_writer__new(dup(fd), "test", facts, &writer), 0);
	recording_writer__record(writer, &record.head, 0);
	facts__set_target(facts, 4, "runtime", "Ruby");
	assert_int_equal(recording_writer__facts(writer, facts), 0);
	record = numbered(1);
	recording_writer__record(writer, &record.head, 1);
	assert_int_equal(recording_writer__close(writer), 0);
	facts__free(facts);
	file = contents_of(fd);
	assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
	assert_null(facts__get_target(recording__facts(recording), 4, "runtime", NULL));
	read_all(recording, &reading);
	assert_int_equal(reading.seen, 2);
	assert_string_equal(facts__get_target(recording__facts(recording), 4, "runtime", NULL),
			    "Ruby");
	recording__close(recording);
	free(file.bytes);
}

/* A sink that stops in the middle of a block: the next pull goes on behind that record. */
static int stop_each_time(void *ctx, const struct record *record, unsigned int ring)
{
	see(ctx, record, ring);
	return 1;
}

static void a_stopped_reader_goes_on(void **state)
{
	struct contents file = contents_of(write_records(300, true));
	struct reading reading = { 0 };
	struct record_sink sink = { stop_each_time, &reading };
	struct recording *recording;
	unsigned int stops = 0;
	int answer;

	(void)state;
	assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
	while ((answer = recording__pull(recording, &sink)) != SOURCE_END)
		stops += answer == SOURCE_STOPPED;
	assert_int_equal(stops, 300);
	assert_int_equal(reading.seen, 300);
	recording__close(recording);
	free(file.bytes);
}

/* ---------------------------------------------------------------------------------------------
 * Damage
 */

/* At every length: read up to there, and said. */
static void a_file_cut_off_anywhere_is_read_up_to_there(void **state)
{
	struct contents file = contents_of(write_records(400, true));
	uint64_t most = 0;

	(void)state;
	for (size_t size = 0; size < file.size; size += size < 63 ? 7 : size < 2000 ? 1 : 37) {
		struct recording *recording;
		struct reading reading;
		int err = open_contents(file.bytes, size, &recording);

		if (size < sizeof(struct recording_header)) {
			assert_int_equal(err, -EBADMSG);
			continue;
		}
		assert_int_equal(err, 0);
		read_all(recording, &reading);
		assert_int_equal(reading.next, reading.seen); /* no hole */
		assert_int_equal(reading.lost, 1);
		assert_true(reading.last_until == UINT64_MAX);
		assert_non_null(strstr(recording__damage(recording), "test: it is cut off"));
		assert_true(reading.seen >= most);
		most = reading.seen;
		recording__close(recording);
	}
	assert_int_equal(most, 400); /* only END is missing */
	free(file.bytes);
}

/* Any byte behind the header changed: at most its block is lost, and it is told. */
static void a_changed_byte_costs_a_block(void **state)
{
	struct contents file = contents_of(write_records(600, true));
	unsigned int with_loss = 0, tried = 0;

	(void)state;
	for (size_t at = sizeof(struct recording_header); at < file.size; at += 1 + at % 61) {
		struct recording *recording;
		struct reading reading;

		file.bytes[at] ^= 0x41;
		assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
		read_all(recording, &reading);
		assert_true(reading.seen >= 600 - 131);
		assert_true(reading.lost <= 2);
		tried++;
		with_loss += reading.lost > 0;
		assert_int_equal(!reading.lost, !recording__damage(recording));
		recording__close(recording);
		file.bytes[at] ^= 0x41;
	}
	assert_int_equal(with_loss, tried);
	free(file.bytes);
}

static void seal_header(struct contents *file)
{
	struct recording_header *header = (void *)file->bytes;

	header->checksum = (uint32_t)crc32(crc32(0, NULL, 0), file->bytes,
					   offsetof(struct recording_header, checksum));
}

/* All of it can be read; is anything said? */
static bool read_with_a_word(const struct contents *file)
{
	const int words = memfd_create("stderr", MFD_CLOEXEC), before = dup(STDERR_FILENO);
	struct recording *recording;
	struct reading reading;
	bool said;

	dup2(words, STDERR_FILENO);
	assert_int_equal(open_contents(file->bytes, file->size, &recording), 0);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	read_all(recording, &reading);
	assert_int_equal(reading.seen, 200);
	assert_int_equal(reading.lost, 0);
	assert_null(recording__damage(recording));
	recording__close(recording);
	said = lseek(words, 0, SEEK_END) > 0;
	close(words);
	close(before);
	return said;
}

/* A changed bit of the header costs nothing, and is told; without its magic it is no recording. */
static void a_changed_header_is_told(void **state)
{
	struct contents file = contents_of(write_records(200, true));
	struct recording *recording;

	(void)state;
	assert_false(read_with_a_word(&file));
	for (size_t bit = 0; bit < 8 * sizeof(struct recording_header); bit++) {
		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (bit < 64)
			assert_int_equal(open_contents(file.bytes, file.size, &recording),
					 -EBADMSG);
		else
			assert_true(read_with_a_word(&file));
		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(file.bytes);
}

/* A file of version 1.0, whose header had no checksum, and one with a longer header. */
static void headers_of_other_lengths_are_read(void **state)
{
	struct contents file = contents_of(write_records(200, true)), longer;
	struct recording_header *header = (void *)file.bytes;
	const size_t rest = file.size - sizeof(*header);

	(void)state;
	longer.size = file.size + 32;
	longer.bytes = calloc(1, longer.size);
	memcpy(longer.bytes, file.bytes, sizeof(*header));
	memcpy(longer.bytes + sizeof(*header) + 32, file.bytes + sizeof(*header), rest);
	((struct recording_header *)(void *)longer.bytes)->minor++;
	((struct recording_header *)(void *)longer.bytes)->header_bytes += 32;
	seal_header(&longer);
	assert_false(read_with_a_word(&longer));

	header->minor = 0;
	header->header_bytes = RECORDING_HEADER_FIRST;
	memmove(file.bytes + RECORDING_HEADER_FIRST, file.bytes + sizeof(*header), rest);
	file.size = RECORDING_HEADER_FIRST + rest;
	assert_false(read_with_a_word(&file));
	free(longer.bytes);
	free(file.bytes);
}

/* Bytes taken out of or put into the middle: the next header is found again. */
static void lost_and_added_bytes_are_stepped_over(void **state)
{
	struct contents file = contents_of(write_records(1000, true));
	struct buf changed = BUF_INIT;

	(void)state;
	for (size_t at = 100; at + 50 < file.size; at += file.size / 50) {
		for (int add = 0; add < 2; add++) {
			struct recording *recording;
			struct reading reading;

			buf__reset(&changed);
			buf__add(&changed, file.bytes, at);
			if (add)
				buf__add_repeated(&changed, '\xff', 50);
			buf__add(&changed, file.bytes + at + (add ? 0 : 50),
				 file.size - at - (add ? 0 : 50));
			assert_int_equal(open_contents((uint8_t *)changed.data, changed.len,
						       &recording),
					 0);
			read_all(recording, &reading);
			assert_true(reading.seen >= 1000 - 2 * 131);
			assert_true(reading.lost > 0 || add);
			recording__close(recording);
		}
	}
	buf__free(&changed);
	free(file.bytes);
}

/* Whatever follows the end is said: rubbish, another recording, and also of a damaged one. */
static void nothing_may_follow_the_end(void **state)
{
	static const size_t rubbish[] = { 1, 47, 48, 49, 5000, 100000 };
	struct contents file = contents_of(write_records(1000, true));
	struct buf changed = BUF_INIT;

	(void)state;
	for (size_t i = 0; i <= sizeof(rubbish) / sizeof(rubbish[0]); i++) {
		for (int damaged = 0; damaged < 2; damaged++) {
			struct recording *recording;
			struct reading reading;

			buf__reset(&changed);
			buf__add(&changed, file.bytes, 100);
			if (damaged)
				buf__add_repeated(&changed, '\xff', 50);
			buf__add(&changed, file.bytes + 100, file.size - 100);
			if (i < sizeof(rubbish) / sizeof(rubbish[0]))
				buf__add_repeated(&changed, 'x', rubbish[i]);
			else
				buf__add(&changed, file.bytes, file.size);
			assert_int_equal(open_contents((uint8_t *)changed.data, changed.len,
						       &recording),
					 0);
			read_all(recording, &reading);
			assert_true(reading.seen <= 1000);
			assert_true(reading.lost >= 1);
			assert_non_null(strstr(recording__damage(recording), "follows its end"));
			recording__close(recording);
		}
	}
	buf__free(&changed);
	free(file.bytes);
}

/*
 * A target that puts a whole block, checksums and all, into its data, hoping for damage: what
 * is inside a block's stored bytes is not read as a block as long as lengths are known.
 */
static void a_block_in_a_block_is_not_read(void **state)
{
	struct recording_writer *writer;
	struct recording *recording;
	struct reading reading;
	struct facts *facts = some_facts();
	struct contents inner = contents_of(write_records(1, true)), file;
	struct {
		struct numbered record;
		uint8_t noise[4000]; /* so that it is not compressed */
	} carrier;
	int fd = scratch();
	size_t blocks = inner.size - sizeof(struct recording_header), at;
	uint8_t *found;

	(void)state;
	carrier.record = numbered(0);
	carrier.record.head.bytes = sizeof(carrier);
	srand(1);
	for (size_t i = 0; i < sizeof(carrier.record.body); i++)
		carrier.record.body[i] = (uint8_t)rand();
	for (size_t i = 0; i < sizeof(carrier.noise); i++)
		carrier.noise[i] = (uint8_t)rand();
	assert_true(blocks < sizeof(carrier.noise));
	memcpy(carrier.noise, inner.bytes + sizeof(struct recording_header), blocks);
	assert_int_equal(recording_writer__new(dup(fd), "test", facts, &writer), 0);
	recording_writer__record(writer, &carrier.record.head, 0);
	assert_int_equal(recording_writer__close(writer), 0);
	file = contents_of(fd);
	found = memmem(file.bytes, file.size, carrier.record.body, 16);
	assert_non_null(found); /* stored as it is */
	found[0] ^= 1;
	/* Damaged; and, besides, without what follows, cut off at the block's end and inside it. */
	for (at = 0; at < 3; at++) {
		const size_t less[] = { 0, sizeof(struct recording_block), 200 };

		assert_int_equal(open_contents(file.bytes, file.size - less[at], &recording), 0);
		read_all(recording, &reading);
		assert_int_equal(reading.seen, 0);
		assert_true(reading.lost >= 1);
		recording__close(recording);
	}
	facts__free(facts);
	free(inner.bytes);
	free(file.bytes);
}

static void set_checksum(struct recording_block *block)
{
	block->header_checksum = (uint32_t)crc32(crc32(0, NULL, 0), (const void *)block,
						 offsetof(struct recording_block, header_checksum));
}

/* Headers that are right by their checksum and wrong by what they say. */
static void forged_headers_do_no_harm(void **state)
{
	struct contents file = contents_of(write_records(10, true));
	uint8_t *at = file.bytes + sizeof(struct recording_header);
	struct recording_block block, saved;
	struct recording *recording;
	struct reading reading;

	(void)state;
	memcpy(&block, at, sizeof(block));
	at += sizeof(block) + block.stored; /* to that of the records */
	memcpy(&saved, at, sizeof(saved));
	assert_int_equal(saved.kind, RECORDING_RECORDS);
	for (unsigned int i = 0; i <= 8; i++) {
		block = saved;
		switch (i) {
		case 0:
			block.stored = UINT32_MAX;
			break;
		case 1:
			block.plain = UINT32_MAX;
			break;
		case 2:
			block.plain = RECORDING_BLOCK_LIMIT;
			break;
		case 3:
			block.plain = 1;
			break;
		case 4:
			block.flags = 0;
			break;
		case 5:
			block.flags = 0xffff;
			break;
		case 6:
			block.number = 0;
			break;
		case 7:
			block.number = UINT32_MAX;
			break;
		case 8:
			block.kind = 77; /* of a later version: skipped */
			break;
		}
		set_checksum(&block);
		memcpy(at, &block, sizeof(block));
		assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
		read_all(recording, &reading);
		assert_int_equal(reading.lost > 0, i != 8);
		assert_int_equal(reading.seen, i == 7 ? 10 : 0);
		recording__close(recording);
	}
	free(file.bytes);
}

/* ---------------------------------------------------------------------------------------------
 * What is no recording, and what cannot be written
 */

static void other_files_are_refused(void **state)
{
	struct contents file = contents_of(write_records(1, true));
	struct recording *recording;

	(void)state;
	assert_int_equal(open_contents((const uint8_t *)"", 0, &recording), -EBADMSG);
	assert_int_equal(open_contents((const uint8_t *)"#!/bin/sh\x1b[2J\n", 14, &recording),
			 -EBADMSG);
	assert_int_equal(recording__open("/nonexistent", &recording), -ENOENT);
	assert_int_equal(recording__open("/", &recording), -EISDIR);
	((struct recording_header *)(void *)file.bytes)->major++;
	seal_header(&file);
	assert_int_equal(open_contents(file.bytes, file.size, &recording), -EPROTONOSUPPORT);
	free(file.bytes);
}

static void a_full_disk_ends_the_recording(void **state)
{
	struct facts *facts = some_facts();
	struct recording_writer *writer;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(recording_writer__new(full, "/dev/full", facts, &writer), -ENOSPC);
	facts__free(facts);
}

/* Full in the middle, which a limit on file sizes stands in for: readable up to a whole block. */
static void a_disk_that_gets_full_leaves_a_readable_file(void **state)
{
	const struct rlimit small = { 6000, RLIM_INFINITY };
	struct facts *facts = some_facts();
	struct recording_writer *writer;
	struct recording *recording;
	struct reading reading;
	struct rlimit before;
	struct contents file;
	int fd = scratch(), err = 0;
	uint64_t i;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(recording_writer__new(dup(fd), "test", facts, &writer), 0);
	for (i = 0; i < 10000 && !err; i++) {
		struct numbered record = numbered(i);

		err = recording_writer__record(writer, &record.head, (unsigned)i % 7);
	}
	assert_int_equal(err, -EFBIG);
	assert_int_equal(recording_writer__flush(writer), -EFBIG);
	/* What was written of the last block was taken back. */
	assert_int_equal(lseek(fd, 0, SEEK_END), recording_writer__bytes(writer));
	assert_int_equal(recording_writer__close(writer), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	file = contents_of(fd);
	assert_int_equal(open_contents(file.bytes, file.size, &recording), 0);
	read_all(recording, &reading);
	assert_true(reading.seen > 0 && reading.seen < i);
	assert_int_equal(reading.next, reading.seen);
	assert_non_null(strstr(recording__damage(recording), "test: it is cut off"));
	recording__close(recording);
	facts__free(facts);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(an_empty_recording_is_one),
		cmocka_unit_test(facts_grow_in_the_middle),
		cmocka_unit_test(a_stopped_reader_goes_on),
		cmocka_unit_test(a_file_cut_off_anywhere_is_read_up_to_there),
		cmocka_unit_test(a_changed_byte_costs_a_block),
		cmocka_unit_test(a_changed_header_is_told),
		cmocka_unit_test(headers_of_other_lengths_are_read),
		cmocka_unit_test(lost_and_added_bytes_are_stepped_over),
		cmocka_unit_test(nothing_may_follow_the_end),
		cmocka_unit_test(a_block_in_a_block_is_not_read),
		cmocka_unit_test(forged_headers_do_no_harm),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_full_disk_ends_the_recording),
		cmocka_unit_test(a_disk_that_gets_full_leaves_a_readable_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
