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
#include "recording.h"
#include "split.h"

/*
 * How zstd packs. A heap dump comes as fast as it can be taken, with a process that stands still,
 * and is large: what is packed and unpacked faster by half is worth a quarter more disk
 * (docs/recording.md has the figures). Its heads unpack fastest where few short pieces of them are
 * taken for alike: hence the small table. All else trickles in and packs ten times and more.
 */
struct packing {
	int level, hash_log, min_match; /* 0: as the level has it */
};
static const struct packing packing = { .level = 1 };
static const struct packing packing_of_heads = { .level = -3, .hash_log = 10, .min_match = 7 };
static const struct packing packing_of_references = { .level = -3 };

struct recording_writer {
	int fd;
	char *path;
	int error;	/* the first there was: nothing is written any more */
	uint64_t bytes; /* in the file, in whole blocks */
	uint64_t records;
	uint32_t number; /* of the next block */

	struct buf plain;	/* records of the block that is being filled */
	struct buf references;	/* of those that were split (split.h) */
	size_t bytes_before;	/* of all of them, before they were */
	uint64_t first, last;
	uint64_t block_records;
	struct splitter *splitter;

	ZSTD_CCtx *zstd;
	void *stored; /* room for a block's header and its stored bytes */
	size_t room;
};

static void writer_free(struct recording_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	ZSTD_freeCCtx(writer->zstd);
	splitter__free(writer->splitter);
	buf__free(&writer->plain);
	buf__free(&writer->references);
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

static int make_room(struct recording_writer *writer, size_t room)
{
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

/* One frame: its bytes, or 0 after an error. */
static size_t pack(struct recording_writer *writer, const struct packing *how,
		   const struct buf *plain, uint8_t *to)
{
	size_t count;

	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, how->level);
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_hashLog, how->hash_log);
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_minMatch, how->min_match);
	count = ZSTD_compress2(writer->zstd, to, ZSTD_compressBound(plain->len), buf__str(plain),
			       plain->len);
	if (!ZSTD_isError(count))
		return count;
	fail(writer, -ENOMEM); /* there is room, and the parameters are right */
	return 0;
}

/* What a block holds, as short as it gets: sets how it is stored, and how much that is. */
static void store(struct recording_writer *writer, struct recording_block *block,
		  const struct buf *plain, const struct buf *references, uint8_t *to)
{
	size_t count;

	if (references->len) {
		block->flags = RECORDING_SPLIT;
		count = pack(writer, &packing_of_heads, plain, to);
		count += pack(writer, &packing_of_references, references, to + count);
	} else {
		block->flags = RECORDING_ZSTD;
		count = pack(writer, &packing, plain, to);
		if (count >= plain->len) {
			block->flags = 0;
			count = plain->len;
			memcpy(to, buf__str(plain), count);
		}
	}
	block->stored = (uint32_t)count;
}

/*
 * The kind, the plain bytes and stamps are the caller's. Header and bytes go out by one write, so
 * that a killed writer leaves few halves.
 */
static int put_block(struct recording_writer *writer, struct recording_block block,
		     const struct buf *plain, const struct buf *references)
{
	uint8_t *stored;

	if (writer->error || make_room(writer, sizeof(block) + ZSTD_compressBound(plain->len) +
						       ZSTD_compressBound(references->len)))
		return writer->error;
	stored = (uint8_t *)writer->stored + sizeof(block);
	store(writer, &block, plain, references, stored);
	memcpy(block.magic, RECORDING_BLOCK_MAGIC, sizeof(block.magic));
	block.number = writer->number;
	block.checksum = crc32__of(stored, block.stored);
	block.header_checksum =
		crc32__of(&block, offsetof(struct recording_block, header_checksum));
	memcpy(writer->stored, &block, sizeof(block));
	if (writer->error || put(writer, writer->stored, sizeof(block) + block.stored))
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
	writer->splitter = splitter__new();
	if (writer->path && writer->zstd && writer->splitter)
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
	const struct recording_block block = {
		.kind = RECORDING_RECORDS,
		.plain = (uint32_t)writer->bytes_before,
		.first = writer->first,
		.last = writer->last,
	};
	int err;

	if (!writer->plain.len || writer->error)
		return writer->error;
	err = put_block(writer, block, &writer->plain, &writer->references);
	if (!err)
		writer->records += writer->block_records;
	buf__reset(&writer->plain);
	buf__reset(&writer->references);
	writer->block_records = writer->bytes_before = 0;
	return err;
}

int recording_writer__facts(struct recording_writer *writer, const struct facts *facts)
{
	const struct buf none = BUF_INIT;
	struct buf text = BUF_INIT;
	int err = recording_writer__flush(writer);

	facts__print(facts, &text);
	if (!err && text.error)
		err = fail(writer, text.error);
	if (!err && text.len > RECORDING_BLOCK_LIMIT)
		err = fail(writer, -EFBIG);
	if (!err)
		err = put_block(writer,
				(struct recording_block){ .kind = RECORDING_FACTS,
							  .plain = (uint32_t)text.len },
				&text, &none);
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

static void add(struct recording_writer *writer, const struct record *head, const void *body)
{
	struct buf *plain = &writer->plain;

	writer->bytes_before += ((size_t)head->bytes + 7) & ~(size_t)7;
	if (splitter__add(writer->splitter, head, body, plain, &writer->references))
		return;
	buf__add(plain, head, sizeof(*head));
	buf__add(plain, body, head->bytes - sizeof(*head));
	buf__add_repeated(plain, '\0', -(size_t)head->bytes & 7);
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
	add(writer, &head, record + 1);
	if (writer->plain.error || writer->references.error)
		return fail(writer, -ENOMEM);
	if (writer->bytes_before >= RECORDING_BLOCK_BYTES)
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
	const struct buf none = BUF_INIT;
	int err;

	recording_writer__flush(writer);
	put_block(writer,
		  (struct recording_block){ .kind = RECORDING_END, .first = writer->records },
		  &none, &none);
	err = writer->error;
	if (close(writer->fd) && !err)
		err = error_errno(errno, "%s: the recording may lack its end",
				  escape(writer->path));
	writer->fd = -1;
	writer_free(writer);
	return err;
}
