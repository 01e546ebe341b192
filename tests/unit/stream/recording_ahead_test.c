/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a recording is read ahead by a second thread (from a file) or block by block by one (from
 * a pipe): it has the same records, the same losses in the same places, and is damaged in the same
 * words, whatever its bytes are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "stream/loss.h"
#include "stream/recording.h"
#include "unit/random.h"

static uint64_t seed = 4711;

static uint64_t pick(uint64_t below)
{
	return random__below(&seed, below);
}

/* ---------------------------------------------------------------------------------------------
 * A file of small blocks
 */

static uint32_t checksum(const void *bytes, size_t count)
{
	return (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)count);
}

/* How a block is not what it says, though both its checksums are right. */
enum lie { NO_LIE, LIE_PACKED, LIE_PLAIN, LIE_FLAGS, LIE_NUMBER, LIES };

static void add_block(struct buf *file, uint32_t number, unsigned int kind, const void *plain,
		      size_t bytes, enum lie lie)
{
	struct recording_block block = { .magic = RECORDING_BLOCK_MAGIC, .kind = (uint16_t)kind };
	uint8_t stored[8192];

	assert_true(ZSTD_compressBound(bytes) <= sizeof(stored));
	block.stored = (uint32_t)bytes;
	if (pick(3)) {
		block.flags = RECORDING_ZSTD;
		block.stored =
			(uint32_t)ZSTD_compress(stored, sizeof(stored), plain, bytes, 1);
	} else if (bytes) {
		memcpy(stored, plain, bytes);
	}
	if (lie == LIE_PACKED && block.stored)
		stored[pick(block.stored)] ^= 0x55;
	block.number = lie == LIE_NUMBER ? (uint32_t)pick(number + 3) : number;
	block.plain = (uint32_t)(lie == LIE_PLAIN ? pick(2 * bytes + 9) : bytes);
	block.flags |= lie == LIE_FLAGS ? 0x80 : 0;
	block.first = block.last = 1000 + number;
	block.checksum = checksum(stored, block.stored);
	block.header_checksum = checksum(&block, offsetof(struct recording_block, header_checksum));
	buf__add(file, &block, sizeof(block));
	buf__add(file, stored, block.stored);
}

/* What a target would put into its records to have it read: a block, or its beginning. */
static void add_forged(uint8_t body[72], uint32_t number)
{
	struct recording_block inner = {
		.magic = RECORDING_BLOCK_MAGIC,
		.number = number + (uint32_t)pick(3),
		.kind = pick(2) ? RECORDING_RECORDS : RECORDING_END,
		.stored = 16,
		.plain = 16,
		.checksum = checksum(body + sizeof(inner), 16),
	};

	if (pick(3))
		inner.header_checksum =
			checksum(&inner, offsetof(struct recording_block, header_checksum));
	memcpy(body, &inner, sizeof(inner));
}

static void add_records(struct buf *file, uint32_t number, enum lie lie)
{
	struct buf plain = BUF_INIT;

	for (uint64_t i = pick(6); i > 0; i--) {
		struct {
			struct record head;
			uint8_t body[72];
		} record = { .head = { .stamp = 1000 + number, .bytes = sizeof(record.head),
				       .kind = 900, .tid = (uint32_t)i } };

		record.head.bytes += (uint32_t)pick(sizeof(record.body));
		memset(record.body, (int)number, sizeof(record.body));
		if (pick(4) == 0)
			add_forged(record.body, number);
		buf__add(&plain, &record, (record.head.bytes + 7) & ~7u);
	}
	add_block(file, number, RECORDING_RECORDS, buf__str(&plain), plain.len, lie);
	buf__free(&plain);
}

/* Lies one block of so many; 0: none. */
static void make(struct buf *file, unsigned int blocks, unsigned int lies)
{
	struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.major = RECORDING_MAJOR,
		.minor = RECORDING_MINOR,
		.header_bytes = sizeof(header),
		.text = RECORDING_TEXT,
	};
	static const char facts[] = "gctrace=0.1.0\n";

	header.checksum = checksum(&header, offsetof(struct recording_header, checksum));
	buf__add(file, &header, sizeof(header));
	for (uint32_t number = 0; number < blocks; number++) {
		const enum lie lie = lies && pick(lies) == 0 ? (enum lie)pick(LIES) : NO_LIE;

		if (number == 0 || pick(10) == 0)
			add_block(file, number, RECORDING_FACTS, facts, sizeof(facts) - 1, lie);
		else
			add_records(file, number, lie);
		if (lies && pick(lies) == 0)
			buf__add(file, "some bytes between", pick(18));
	}
	if (pick(8))
		add_block(file, blocks, RECORDING_END, NULL, 0, NO_LIE);
}

/* ---------------------------------------------------------------------------------------------
 * Reading it both ways
 */

static int see(void *context, const struct record *record, unsigned int ring)
{
	struct buf *told = context;

	if (record->kind == RECORD_LOSS) {
		const struct record_call *call = (const struct record_call *)record;

		buf__printf(told, "lost %" PRIu64 " from %" PRIu64 " until %" PRIu64 "\n",
			    (uint64_t)call->args[1], (uint64_t)record->stamp,
			    (uint64_t)call->args[2]);
		return 0;
	}
	buf__printf(told, "%" PRIu64 " kind %u tid %u ring %u, %08x\n", (uint64_t)record->stamp,
		    record->kind, record->tid, ring, checksum(record, record->bytes));
	return 0;
}

/* Closes fd. A pull is told apart, for what is lost has its place between them. */
static void read_all(int fd, struct buf *told)
{
	const struct record_sink sink = { see, told };
	struct recording *recording;
	const char *damage;
	int answer = recording__open_fd(fd, "test", &recording);

	assert_int_equal(answer, 0);
	do {
		answer = recording__pull(recording, &sink);
		buf__printf(told, "%d, %zu facts\n", answer,
			    facts__count(recording__facts(recording)));
	} while (answer == SOURCE_MORE);
	damage = recording__damage(recording);
	buf__add_str(told, damage ? damage : "whole");
	recording__close(recording);
}

struct pouring {
	const struct buf *file;
	int fd;
};

static void *pour(void *context)
{
	const struct pouring *pouring = context;
	size_t done = 0;
	ssize_t some;

	while (done < pouring->file->len) {
		some = write(pouring->fd, pouring->file->data + done, pouring->file->len - done);
		if (some <= 0)
			break;
		done += (size_t)some;
	}
	close(pouring->fd);
	return NULL;
}

static void read_piped(const struct buf *file, struct buf *told)
{
	struct pouring pouring = { .file = file };
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	pouring.fd = fds[1];
	assert_int_equal(pthread_create(&thread, NULL, pour, &pouring), 0);
	read_all(fds[0], told);
	pthread_join(thread, NULL);
}

static void read_both(const struct buf *file)
{
	struct buf ahead = BUF_INIT, piped = BUF_INIT;
	const int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_int_equal(write(fd, file->data, file->len), file->len);
	lseek(fd, 0, SEEK_SET);
	read_all(fd, &ahead);
	read_piped(file, &piped);
	assert_string_equal(buf__str(&ahead), buf__str(&piped));
	buf__free(&ahead);
	buf__free(&piped);
}

/* ---------------------------------------------------------------------------------------------
 * Tests
 */

static void whole_files(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		struct buf file = BUF_INIT;

		make(&file, 1 + i % 60, 0);
		read_both(&file);
		buf__free(&file);
	}
}

static void blocks_that_lie(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 1500; i++) {
		struct buf file = BUF_INIT;

		make(&file, 5 + i % 50, 1 + i % 12);
		read_both(&file);
		buf__free(&file);
	}
}

static void damaged_files(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 1500; i++) {
		struct buf file = BUF_INIT;
		const size_t keep = sizeof(struct recording_header);

		make(&file, 5 + i % 50, i % 2 ? 8 : 0);
		for (uint64_t n = pick(6); n > 0; n--)
			file.data[keep + pick(file.len - keep)] ^= (char)(1 + pick(255));
		if (pick(3) == 0)
			buf__truncate(&file, keep + pick(file.len - keep));
		read_both(&file);
		buf__free(&file);
	}
}

/* Who stops in the midst leaves no thread and no memory behind. */
static int stop(void *context, const struct record *record, unsigned int ring)
{
	(void)record;
	(void)ring;
	return --*(int *)context == 0;
}

static void closed_in_the_midst(void **state)
{
	struct buf file = BUF_INIT;

	(void)state;
	make(&file, 60, 0);
	for (int records = 1; records < 60; records++) {
		const int fd = memfd_create("recording", MFD_CLOEXEC);
		int left = records, answer;
		const struct record_sink sink = { stop, &left };
		struct recording *recording;

		assert_int_equal(write(fd, file.data, file.len), file.len);
		lseek(fd, 0, SEEK_SET);
		assert_int_equal(recording__open_fd(fd, "test", &recording), 0);
		do
			answer = recording__pull(recording, &sink);
		while (answer == SOURCE_MORE);
		assert_int_equal(answer, SOURCE_STOPPED);
		recording__close(recording);
	}
	buf__free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files),
		cmocka_unit_test(blocks_that_lie),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(closed_in_the_midst),
	};

	return cmocka_run_group_tests_name("stream/recording_ahead", tests, NULL, NULL);
}
