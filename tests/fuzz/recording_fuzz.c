/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a recording. The first byte chooses:
 *
 *	0	the rest is the file
 *	1	the rest is the contents of a block of records in a file that is fine otherwise
 *	2	the same of a block of facts
 *	3	the rest is a row of blocks of which all checksums are made right first, so that the
 *		fuzzer gets past them
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "corpus.h"
#include "stream/recording.h"

#define CHECK(condition)         \
	do {                     \
		if (!(condition)) \
			abort();  \
	} while (0)

static volatile uint64_t sum;

static int see(void *ctx, const struct record *record, unsigned int ring)
{
	const uint8_t *at = (const uint8_t *)record;

	CHECK((uintptr_t)record % 8 == 0);
	CHECK(record->bytes >= sizeof(*record));
	for (uint32_t i = 0; i < record->bytes; i++)
		sum += at[i];
	sum += ring;
	++*(uint64_t *)ctx;
	return 0;
}

static uint32_t checksum(const void *bytes, size_t count)
{
	return (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)count);
}

static void add_header(struct buf *file)
{
	struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.major = RECORDING_MAJOR,
		.minor = RECORDING_MINOR,
		.header_bytes = sizeof(header),
	};

	header.checksum = checksum(&header, offsetof(struct recording_header, checksum));
	buf__add(file, &header, sizeof(header));
}

static void add_block(struct buf *file, unsigned int number, unsigned int kind, const void *bytes,
		      size_t count)
{
	struct recording_block block = {
		.magic = RECORDING_BLOCK_MAGIC,
		.number = number,
		.kind = (uint16_t)kind,
		.stored = (uint32_t)count,
		.plain = (uint32_t)count,
		.checksum = checksum(bytes, count),
	};

	block.header_checksum = checksum(&block, offsetof(struct recording_block, header_checksum));
	buf__add(file, &block, sizeof(block));
	buf__add(file, bytes, count);
}

/* Headers where the fuzzer put them, with magic and checksums set right. */
static void add_repaired(struct buf *file, const uint8_t *data, size_t size)
{
	struct recording_block block;

	while (size >= sizeof(block)) {
		size_t stored;

		memcpy(&block, data, sizeof(block));
		stored = block.stored < size - sizeof(block) ? block.stored : size - sizeof(block);
		memcpy(block.magic, RECORDING_BLOCK_MAGIC, sizeof(block.magic));
		block.checksum = checksum(data + sizeof(block), stored);
		block.header_checksum =
			checksum(&block, offsetof(struct recording_block, header_checksum));
		buf__add(file, &block, sizeof(block));
		buf__add(file, data + sizeof(block), stored);
		data += sizeof(block) + stored;
		size -= sizeof(block) + stored;
	}
}

static void read_all(const struct buf *file)
{
	struct recording *recording;
	struct record_sink sink;
	uint64_t records = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC), answer;

	CHECK(fd >= 0);
	CHECK(write(fd, buf__str(file), file->len) == (ssize_t)file->len);
	lseek(fd, 0, SEEK_SET);
	if (recording__open_fd(fd, "fuzz", &recording))
		return;
	sink = (struct record_sink){ see, &records };
	do {
		answer = recording__pull(recording, &sink);
	} while (answer == SOURCE_MORE);
	CHECK(answer == SOURCE_END);
	recording__damage(recording);
	for (size_t i = 0; i < facts__count(recording__facts(recording)); i++)
		sum += strlen(facts__name(recording__facts(recording), i));
	recording__close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = BUF_INIT;
	uint8_t mode;

	if (size == 0)
		return 0;
	mode = *data++ & 3;
	size--;
	if (mode)
		add_header(&file);
	switch (mode) {
	case 0:
		buf__add(&file, data, size);
		break;
	case 1:
		add_block(&file, 0, RECORDING_RECORDS, data, size);
		break;
	case 2:
		add_block(&file, 0, RECORDING_FACTS, data, size);
		break;
	case 3:
		add_repaired(&file, data, size);
		break;
	}
	read_all(&file);
	buf__free(&file);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Seeds
 */

static void add_records(struct recording_writer *writer)
{
	for (uint64_t i = 0; i < 20; i++) {
		struct record_call call = {
			.head = { .stamp = 1000 + i,
				  .bytes = sizeof(call),
				  .kind = RECORD_GC_START },
			.args = { i },
		};

		CHECK(recording_writer__record(writer, &call.head, 1) == 0);
		if (i % 8 == 7)
			recording_writer__flush(writer);
	}
}

static void make_seeds(int dir)
{
	struct recording_writer *writer;
	struct facts *facts = facts__new();
	int fd = memfd_create("seed", MFD_CLOEXEC);
	const size_t header = sizeof(struct recording_header);
	char seed[4096];
	ssize_t bytes;

	facts__set_str(facts, "kernel", "6.1");
	CHECK(recording_writer__new(dup(fd), "seed", facts, &writer) == 0);
	add_records(writer);
	CHECK(recording_writer__close(writer) == 0);
	bytes = pread(fd, seed + 1, sizeof(seed) - 1, 0);
	CHECK(bytes > (ssize_t)header);
	seed[0] = 0;
	corpus__add(dir, 0, seed, (size_t)bytes + 1);
	seed[header] = 3;
	corpus__add(dir, 1, seed + header, (size_t)bytes + 1 - header);
	corpus__add(dir, 2, "\2kernel=6.1\ntarget.0.pid=1\n", 27);
	facts__free(facts);
	close(fd);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int dir = corpus__open(*argc, *argv);

	if (dir >= 0) {
		make_seeds(dir);
		close(dir);
	}
	corpus__silence(argc, argv); /* what is wrong with a file is said each time */
	return 0;
}
