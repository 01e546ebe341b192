/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a recording. The first byte chooses:
 *
 *	0	the rest is the file
 *	1	the rest is the contents of a block of records in a file that is fine otherwise
 *	2	the same of a block of facts
 *	3	the rest is a row of blocks of which all checksums are made right first, so that the
 *		fuzzer gets past them
 *	4	the rest are the two parts of a split block (stream/split.h), the heads as long as
 *		the two bytes in front of them say, joined to as many bytes as the next two
 *	5	the rest is a record of a batch: what is split comes back as it was
 *
 * Each file is read with the references of its objects, and without; samples are put together.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "check.h"
#include "corpus.h"
#include "model/call_stacks.h"
#include "model/sample_reader.h"
#include "model/sample_recorder.h"
#include "stream/recording.h"
#include "stream/split.h"

static volatile uint64_t sum;

struct seen {
	struct sample_reader *samples;
	struct call_stacks *stacks;
};

static int see_sweep(void *ctx, const struct sample_sweep *sweep)
{
	const struct seen *seen = ctx;

	for (size_t i = 0; i < sweep->count; i++) {
		const struct sighting *row = &sweep->sightings[i];
		size_t frames = 0;

		CHECK(row->place < PLACES && row->doing.state);
		CHECK(row->method <= call_stacks__method_count(seen->stacks));
		CHECK(row->function <= call_stacks__method_count(seen->stacks));
		for (size_t j = 0; j < row->name.bytes; j++)
			sum += (uint8_t)row->name.at[j];
		sum += call_stacks__name(seen->stacks, row->method).bytes;
		sum += strlen(row->doing.state);
		if (row->stack)
			call_stacks__frames(seen->stacks, row->stack, &frames);
		sum += frames;
	}
	return 0;
}

static int see(void *ctx, const struct record *record, unsigned int ring)
{
	const uint8_t *at = (const uint8_t *)record;

	CHECK((uintptr_t)record % 8 == 0);
	CHECK(record->bytes >= sizeof(*record));
	for (uint32_t i = 0; i < record->bytes; i++)
		sum += at[i];
	sum += ring;
	return sample_reader__record(((struct seen *)ctx)->samples, record);
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

static void add_block(struct buf *file, struct recording_block block, const void *bytes,
		      size_t count)
{
	memcpy(block.magic, RECORDING_BLOCK_MAGIC, sizeof(block.magic));
	block.stored = (uint32_t)count;
	block.checksum = checksum(bytes, count);
	block.header_checksum = checksum(&block, offsetof(struct recording_block, header_checksum));
	buf__add(file, &block, sizeof(block));
	buf__add(file, bytes, count);
}

static void add_plain(struct buf *file, unsigned int kind, const void *bytes, size_t count)
{
	add_block(file,
		  (struct recording_block){ .kind = (uint16_t)kind, .plain = (uint32_t)count },
		  bytes, count);
}

/* A number of two bytes, which are gone then. */
static size_t take_number(const uint8_t **data, size_t *size)
{
	uint16_t number = 0;

	if (*size < sizeof(number))
		return 0;
	memcpy(&number, *data, sizeof(number));
	*data += sizeof(number);
	*size -= sizeof(number);
	return number;
}

static void add_split(struct buf *file, const uint8_t *data, size_t size)
{
	const size_t named = take_number(&data, &size), bytes = take_number(&data, &size);
	const size_t heads = named < size ? named : size, room = ZSTD_compressBound(size) + 64;
	uint8_t *frames = malloc(room);
	size_t count = ZSTD_compress(frames, room, data, heads, -3);

	count += ZSTD_compress(frames + count, room - count, data + heads, size - heads, -3);
	add_block(file,
		  (struct recording_block){ .kind = RECORDING_RECORDS,
					    .flags = RECORDING_SPLIT,
					    .plain = (uint32_t)bytes },
		  frames, count);
	free(frames);
}

static void split_and_join(const uint8_t *data, size_t size)
{
	const size_t whole = (sizeof(struct record) + size + 7) & ~(size_t)7;
	const struct record head = { .bytes = (uint32_t)(sizeof(head) + size),
				     .kind = RECORD_BATCH };
	struct buf heads = BUF_INIT, references = BUF_INIT;
	struct splitter *splitter = splitter__new();
	uint8_t *joined = malloc(whole + SPLIT_SLACK);

	if (splitter__add(splitter, &head, data, &heads, &references)) {
		buf__reserve(&heads, SPLIT_SLACK);
		buf__reserve(&references, SPLIT_SLACK);
		CHECK(split__join((struct split_part){ (uint8_t *)heads.data, heads.len },
				  (struct split_part){ (uint8_t *)references.data,
						       references.len },
				  joined, whole) == 0);
		CHECK(!memcmp(joined, &head, sizeof(head)));
		CHECK(!memcmp(joined + sizeof(head), data, size));
	}
	splitter__free(splitter);
	buf__free(&heads);
	buf__free(&references);
	free(joined);
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

static void forget(struct seen *seen)
{
	sum += sample_reader__lost(seen->samples);
	sample_reader__free(seen->samples);
	call_stacks__free(seen->stacks);
}

static void read_all(const struct buf *file, bool leave_references)
{
	struct recording *recording;
	struct record_sink sink;
	struct seen seen = { .stacks = call_stacks__new() };
	int fd = memfd_create("fuzz", MFD_CLOEXEC), answer;

	CHECK(fd >= 0);
	CHECK(write(fd, buf__str(file), file->len) == (ssize_t)file->len);
	lseek(fd, 0, SEEK_SET);
	CHECK(sample_reader__new(0, 1, seen.stacks, (struct sample_sink){ see_sweep, &seen },
				 &seen.samples) == 0);
	if (recording__open_fd(fd, "fuzz", &recording)) {
		forget(&seen);
		return;
	}
	if (leave_references)
		recording__leave_references(recording);
	sink = (struct record_sink){ see, &seen };
	do {
		answer = recording__pull(recording, &sink);
	} while (answer == SOURCE_MORE);
	CHECK(answer == SOURCE_END);
	recording__damage(recording);
	for (size_t i = 0; i < facts__count(recording__facts(recording)); i++)
		sum += strlen(facts__name(recording__facts(recording), i));
	recording__close(recording);
	forget(&seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = BUF_INIT;
	uint8_t mode;

	if (size == 0)
		return 0;
	mode = *data++ % 6;
	size--;
	if (mode == 5) {
		split_and_join(data, size);
		return 0;
	}
	if (mode)
		add_header(&file);
	switch (mode) {
	case 0:
		buf__add(&file, data, size);
		break;
	case 1:
		add_plain(&file, RECORDING_RECORDS, data, size);
		break;
	case 2:
		add_plain(&file, RECORDING_FACTS, data, size);
		break;
	case 3:
		add_repaired(&file, data, size);
		break;
	case 4:
		add_split(&file, data, size);
		break;
	}
	read_all(&file, false);
	read_all(&file, true);
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

/* A batch with a row of objects, as it is, and as it is split. */
static void add_objects(int dir)
{
	static const uint8_t object[] = { 0, 8, 0x93, 1, 4, 2, 9, 9 };
	struct {
		uint8_t mode[8]; /* the last one */
		struct gctrace_batch batch;
		struct gctrace_objects objects;
		uint8_t bytes[20 * sizeof(object)];
	} seed = {
		.mode = { [7] = 5 },
		.batch = { .magic = GCTRACE_MAGIC,
			   .major = GCTRACE_MAJOR,
			   .header_bytes = sizeof(seed.batch),
			   .bytes = sizeof(seed) - sizeof(seed.mode),
			   .records = 1 },
		.objects = { .head = { .kind = GCTRACE_OBJECTS,
				       .bytes = sizeof(seed.objects) + sizeof(seed.bytes) },
			     .count = 20 },
	};
	const struct record head = { .bytes = sizeof(head) + seed.batch.bytes,
				     .kind = RECORD_BATCH };
	struct buf heads = BUF_INIT, references = BUF_INIT, parts = BUF_INIT;
	struct splitter *splitter = splitter__new();
	uint16_t lengths[2];

	for (size_t i = 0; i < 20; i++)
		memcpy(seed.bytes + i * sizeof(object), object, sizeof(object));
	corpus__add(dir, 3, (const uint8_t *)&seed + 7, sizeof(seed) - 7);
	CHECK(splitter__add(splitter, &head, &seed.batch, &heads, &references));
	lengths[0] = (uint16_t)heads.len;
	lengths[1] = (uint16_t)head.bytes;
	buf__add_char(&parts, 4);
	buf__add(&parts, lengths, sizeof(lengths));
	buf__move(&parts, &heads);
	buf__move(&parts, &references);
	corpus__add(dir, 4, buf__str(&parts), parts.len);
	splitter__free(splitter);
	buf__free(&heads);
	buf__free(&references);
	buf__free(&parts);
}

static int keep(void *ctx, const struct record *record, unsigned int ring)
{
	(void)ring;
	buf__add(ctx, record, record->bytes);
	buf__add_repeated(ctx, '\0', -(size_t)record->bytes & 7);
	return 0;
}

static void add_samples(int dir)
{
	struct call_stacks *stacks = call_stacks__new();
	struct sighting row = {
		.tid = 7, .name = text__of("main"), .place = PLACE_JIT,
		.flags = SAMPLE_METHOD_ID | SAMPLE_STACK_ID, .accuracy = ACCURACY_EXACT,
		.doing = { "waiting", "futex", "lock" },
	};
	struct sample_sweep sweep = { .number = 1, .end_ns = 9, .sightings = &row, .count = 1 };
	struct buf seed = BUF_INIT;
	struct sample_recorder *recorder;
	bool is_new;

	CHECK(call_stacks__method(stacks, METHOD_MANAGED, 1, &row.method, &is_new) == 0);
	CHECK(call_stacks__set_name(stacks, row.method, text__of("run")) == 0);
	CHECK(call_stacks__stack(stacks, &row.method, 1, &row.stack) == 0);
	buf__add_char(&seed, 1);
	CHECK(sample_recorder__new(stacks, 0, (struct record_sink){ keep, &seed }, &recorder) ==
	      0);
	CHECK(sample_recorder__sweep(recorder, &sweep) == 0);
	sweep.number++;
	CHECK(sample_recorder__sweep(recorder, &sweep) == 0);
	corpus__add(dir, 5, buf__str(&seed), seed.len);
	sample_recorder__free(recorder);
	call_stacks__free(stacks);
	buf__free(&seed);
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
	add_objects(dir);
	add_samples(dir);
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
