/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/report.h"
#include "base/units.h"
#include "gctrace/wire.h"
#include "recording.h"

/*
 * Levels of zstd. A heap dump comes as fast as it can be taken, with a process that stands still,
 * and is large: what is packed and unpacked more than half as fast again is worth a quarter more
 * disk (docs/recording.md has the figures). All else trickles in and packs ten times and more.
 */
#define LEVEL 1
#define LEVEL_OF_OBJECTS -3

struct recording_writer {
	int fd;
	char *path;
	int error;	/* the first there was: nothing is written any more */
	uint64_t bytes; /* in the file, in whole blocks */
	uint64_t records;
	uint32_t number; /* of the next block */

	struct buf plain; /* records of the block that is being filled */
	uint64_t first, last;
	uint64_t block_records;
	uint64_t objects; /* bytes of batches of objects in it */

	ZSTD_CCtx *zstd;
	void *stored; /* room for a block's header and its stored bytes */
	size_t room;
};

static void writer_free(struct recording_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	ZSTD_freeCCtx(writer->zstd);
	buf__free(&writer->plain);
	free(writer->stored);
	free(writer->path);
	free(writer);
}

/*
 * What was written of the last block is taken back, so that the file ends with a whole one. That
 * is good manners only: a reader copes with half a block.
 */
static int fail(struct recording_writer *writer, int err)
{
	if (writer->error)
		return writer->error;
	writer->error = err;
	if (ftruncate(writer->fd, (off_t)writer->bytes) == 0)
		(void)lseek(writer->fd, (off_t)writer->bytes, SEEK_SET);
	error("cannot write to %s: %s; the recording ends here, with %llu record%s that can be"
	      " read",
	      escape(writer->path), strerror(-err), (unsigned long long)writer->records,
	      units__s(writer->records));
	return err;
}

static int put(struct recording_writer *writer, const void *bytes, size_t count)
{
	int err = files__write_all(writer->fd, bytes, count);

	if (err)
		return fail(writer, err);
	writer->bytes += count;
	return 0;
}

static int make_room(struct recording_writer *writer, size_t plain)
{
	size_t room = sizeof(struct recording_block) + ZSTD_compressBound(plain);
	void *stored;

	if (room <= writer->room)
		return 0;
	stored = realloc(writer->stored, room);
	if (!stored)
		return fail(writer, -ENOMEM);
	writer->stored = stored;
	writer->room = room;
	return 0;
}

/* Header and bytes go out by one write, so that a killed writer leaves few halves. */
static int put_block(struct recording_writer *writer, unsigned int kind, const void *plain,
		     size_t bytes, uint64_t first, uint64_t last)
{
	struct recording_block block = {
		.magic = RECORDING_BLOCK_MAGIC,
		.number = writer->number,
		.kind = (uint16_t)kind,
		.plain = (uint32_t)bytes,
		.first = first,
		.last = last,
	};
	uint8_t *stored;
	size_t count;

	if (writer->error || make_room(writer, bytes))
		return writer->error;
	stored = (uint8_t *)writer->stored + sizeof(block);
	count = ZSTD_compressCCtx(writer->zstd, stored, writer->room - sizeof(block), plain, bytes,
				  writer->objects > bytes / 2 ? LEVEL_OF_OBJECTS : LEVEL);
	if (!ZSTD_isError(count) && count < bytes) {
		block.flags = RECORDING_ZSTD;
	} else {
		count = bytes;
		if (bytes)
			memcpy(stored, plain, bytes);
	}
	block.stored = (uint32_t)count;
	block.checksum = crc32__of(stored, count);
	block.header_checksum =
		crc32__of(&block, offsetof(struct recording_block, header_checksum));
	memcpy(writer->stored, &block, sizeof(block));
	if (put(writer, writer->stored, sizeof(block) + count))
		return writer->error;
	writer->number++;
	return 0;
}

static int put_header(struct recording_writer *writer)
{
	struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.major = RECORDING_MAJOR,
		.minor = RECORDING_MINOR,
		.header_bytes = sizeof(header),
		.created_ns = clock__monotonic_ns() + (uint64_t)clock__wall_offset_ns(),
		.text = RECORDING_TEXT,
	};

	header.checksum = crc32__of(&header, offsetof(struct recording_header, checksum));
	return put(writer, &header, sizeof(header));
}

static struct recording_writer *writer_new(int fd, const char *path)
{
	struct recording_writer *writer = calloc(1, sizeof(*writer));

	if (!writer) {
		close(fd);
		return NULL;
	}
	writer->fd = fd;
	writer->path = strdup(path);
	writer->zstd = ZSTD_createCCtx();
	if (writer->path && writer->zstd)
		return writer;
	writer_free(writer);
	return NULL;
}

int recording_writer__new(int fd, const char *path, const struct facts *facts,
			  struct recording_writer **out)
{
	struct recording_writer *writer = writer_new(fd, path);
	int err;

	if (!writer)
		return error_errno(ENOMEM, "cannot record to %s", escape(path));
	err = put_header(writer);
	if (!err)
		err = recording_writer__facts(writer, facts);
	if (err) {
		writer_free(writer);
		return err;
	}
	*out = writer;
	return 0;
}

int recording_writer__flush(struct recording_writer *writer)
{
	int err;

	if (!writer->plain.len || writer->error)
		return writer->error;
	err = put_block(writer, RECORDING_RECORDS, buf__str(&writer->plain), writer->plain.len,
			writer->first, writer->last);
	if (!err)
		writer->records += writer->block_records;
	buf__reset(&writer->plain);
	writer->block_records = writer->objects = 0;
	return err;
}

int recording_writer__facts(struct recording_writer *writer, const struct facts *facts)
{
	struct buf text = BUF_INIT;
	int err = recording_writer__flush(writer);

	facts__print(facts, &text);
	if (!err && text.error)
		err = fail(writer, text.error);
	if (!err && text.len > RECORDING_BLOCK_LIMIT)
		err = fail(writer, -EFBIG);
	if (!err)
		err = put_block(writer, RECORDING_FACTS, buf__str(&text), text.len, 0, 0);
	buf__free(&text);
	return err;
}

/* The first and the last stamp of a block are the lowest and the highest. */
static void note_stamp(struct recording_writer *writer, uint64_t stamp)
{
	if (!writer->block_records || stamp < writer->first)
		writer->first = stamp;
	if (!writer->block_records || stamp > writer->last)
		writer->last = stamp;
}

/* Of a batch whose first record has objects: most of it are objects then. */
static bool has_objects(const struct record *record)
{
	struct {
		struct gctrace_batch batch;
		struct gctrace_record first;
	} start;

	if (record->kind != RECORD_BATCH || record->bytes < sizeof(*record) + sizeof(start))
		return false;
	memcpy(&start, record + 1, sizeof(start));
	return start.batch.header_bytes == sizeof(start.batch) &&
	       start.first.kind == GCTRACE_OBJECTS;
}

int recording_writer__record(struct recording_writer *writer, const struct record *record,
			     unsigned int ring)
{
	struct record head = *record;

	if (writer->error)
		return writer->error;
	head.ring = (uint16_t)ring;
	note_stamp(writer, head.stamp);
	writer->block_records++;
	writer->objects += has_objects(record) ? record->bytes : 0;
	buf__add(&writer->plain, &head, sizeof(head));
	buf__add(&writer->plain, record + 1, head.bytes - sizeof(head));
	buf__add_repeated(&writer->plain, '\0', -(size_t)head.bytes & 7);
	if (writer->plain.error)
		return fail(writer, writer->plain.error);
	if (writer->plain.len >= RECORDING_BLOCK_BYTES)
		return recording_writer__flush(writer);
	return 0;
}

static int take(void *ctx, const struct record *record, unsigned int ring)
{
	return recording_writer__record(ctx, record, ring);
}

struct record_sink recording_writer__sink(struct recording_writer *writer)
{
	return (struct record_sink){ .record = take, .ctx = writer };
}

/* What cannot be written is not shown either: both say the same, up to the end. */
static int write_and_pass(void *ctx, const struct record *record, unsigned int ring)
{
	struct recording_tee *tee = ctx;
	int err = recording_writer__record(tee->writer, record, ring);

	return err ? err : tee->to->record(tee->to->ctx, record, ring);
}

static int pull_tee(void *ctx, uint64_t timeout_ns, const struct record_sink *sink)
{
	struct recording_tee *tee = ctx;
	const struct record_sink both = { write_and_pass, tee };

	tee->to = sink;
	return source__pull(&tee->from, timeout_ns, &both);
}

struct source recording_tee__source(struct recording_tee *tee)
{
	return (struct source){ .pull = pull_tee, .ctx = tee };
}

uint64_t recording_writer__bytes(const struct recording_writer *writer)
{
	return writer->bytes;
}

uint64_t recording_writer__records(const struct recording_writer *writer)
{
	return writer->records + writer->block_records;
}

int recording_writer__close(struct recording_writer *writer)
{
	int err;

	recording_writer__flush(writer);
	put_block(writer, RECORDING_END, NULL, 0, writer->records, 0);
	err = writer->error;
	if (close(writer->fd) && !err)
		err = error_errno(errno, "%s: the recording may lack its end",
				  escape(writer->path));
	writer->fd = -1;
	writer_free(writer);
	return err;
}
