/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: the records of a trace in a file, as they came, in the order in which the merge
 * handed them on, with the facts about their targets.
 *
 * FILE
 *
 *   All numbers are little-endian. A file is a file header and then blocks:
 *
 *     +-------------+-------+-------+     +---------+
 *     | file header | FACTS | block | ... |   END   |
 *     +-------------+-------+-------+     +---------+
 *       72 bytes      each: a block header of 48 bytes, then `stored` bytes
 *
 *   file header   magic, version, what is needed to refuse a file politely, and a line of text
 *                 for whoever meets the file without gctrace. Since 1.1 with a checksum, which
 *                 stands there in every version to come: a header for which it is wrong is
 *                 damaged, and blocks are looked for behind it as if it was ours.
 *   block header  starts with eight bytes that are found again after damage; has a checksum
 *                 (CRC-32 of zlib) of itself and one of the stored bytes; the number of the
 *                 block; sizes stored and plain; kind; how it is compressed (zstd).
 *
 * BLOCKS
 *
 *   FACTS    `name=value` lines (facts.h): the first block, and again whenever there are new
 *            ones (a target joined). Later ones add to and replace earlier ones.
 *   RECORDS  ring records one after the other (bpf/record.h), each padded to 8 bytes; the block's
 *            header tells the lowest and the highest stamp. A record never spans blocks.
 *            Losses are among them as RECORD_LOSS, as the counters grew. Where there are objects
 *            of heap dumps, their references stand apart in the block (split.h): a reader may
 *            leave them packed.
 *   MARK     a place with a name, for later versions: where a heap dump starts (FILE@2).
 *   END      the recording was ended as it should; tells how many blocks and records there are.
 *
 *   Blocks of kinds that a reader doesn't know are skipped.
 *
 * DAMAGE
 *
 *   A block is used only if both its checksums are right. From a damaged block the reader searches
 *   forward for the next block header that is right; the numbers of blocks say how many are
 *   missing. A file without END was cut off: read up to there, and said. Each missing block
 *   is a RECORD_LOSS of LOSS_RECORDING at its place.
 */
#ifndef STREAM_RECORDING_H
#define STREAM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "facts.h"
#include "source.h"

#define RECORDING_MAGIC "GCTRREC\n"
#define RECORDING_BLOCK_MAGIC "\xffGCTBLK\n"
#define RECORDING_TEXT "gctrace recording, docs/recording.md\n"
#define RECORDING_MAJOR 1
#define RECORDING_MINOR 2
#define RECORDING_HEADER_FIRST 64u /* bytes of the header in version 1.0: without a checksum */
#define RECORDING_BLOCK_BYTES (256u << 10) /* plain bytes at which a writer closes a block */
#define RECORDING_BLOCK_LIMIT (16u << 20)  /* plain or stored bytes of a block: no more */

struct recording_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_bytes; /* the first block stands here */
	uint64_t created_ns;   /* ns since 1970, UTC */
	char text[40];	       /* RECORDING_TEXT, zeros */
	/* Since 1.1. */
	uint32_t reserved;
	uint32_t checksum; /* of this header up to here */
};
_Static_assert(offsetof(struct recording_header, reserved) == RECORDING_HEADER_FIRST, "as in 1.0");
_Static_assert(sizeof(struct recording_header) == 72, "recording header");

enum recording_block_kind {
	RECORDING_FACTS = 1,
	RECORDING_RECORDS = 2,
	RECORDING_END = 3,
	RECORDING_MARK = 4,
};

enum recording_block_flags { /* one of them, or none */
	RECORDING_ZSTD = 1,  /* the stored bytes are one zstd frame */
	RECORDING_SPLIT = 2, /* they are two: heads, and references (split.h); since 1.2 */
};

struct recording_block {
	char magic[8];
	uint32_t number; /* from 0, each one more */
	uint16_t kind;
	uint16_t flags;
	uint32_t stored; /* bytes behind this header */
	uint32_t plain;	 /* bytes when uncompressed */
	uint64_t first;	 /* RECORDS: lowest and highest stamp; END: number of records */
	uint64_t last;
	uint32_t checksum;	  /* of the stored bytes */
	uint32_t header_checksum; /* of this header up to here */
};
_Static_assert(sizeof(struct recording_block) == 48, "recording block");

/* ------------------------------------------------------------------------------------------ */

struct recording_writer;

/*
 * Write a recording to a descriptor (of files__create(); the writer closes it). The facts are
 * written at once. 0 or negative errno; `path` is for messages. On an error the descriptor is
 * closed too.
 */
int recording_writer__new(int fd, const char *path, const struct facts *facts,
			  struct recording_writer **out);

/*
 * Append. -ENOSPC, -EIO, ...: said once, the file ends with the last whole block and is readable;
 * every later call answers the same without a word.
 */
int recording_writer__record(struct recording_writer *writer, const struct record *record,
			     unsigned int ring);
struct record_sink recording_writer__sink(struct recording_writer *writer);

/* A source that writes all that it hands on; the writer and the tee must outlive it. */
struct recording_tee {
	struct recording_writer *writer;
	struct source from;
	const struct record_sink *to; /* of the pull that is going on */
};
struct source recording_tee__source(struct recording_tee *tee);

/* New or changed facts; call it before the first record that they concern. */
int recording_writer__facts(struct recording_writer *writer, const struct facts *facts);

/* Write what is collected so far (a reader of the growing file sees it). */
int recording_writer__flush(struct recording_writer *writer);

uint64_t recording_writer__bytes(const struct recording_writer *writer); /* in the file */
uint64_t recording_writer__records(const struct recording_writer *writer);

/* Write the END block, close the file, free the writer. 0 or the first error there was. */
int recording_writer__close(struct recording_writer *writer);

/* ------------------------------------------------------------------------------------------ */

struct recording;

/*
 * Open a file and read the facts at its start. 0 or negative errno, said with what to do:
 *   -EBADMSG           no recording
 *   -EPROTONOSUPPORT   of a later major version
 * Of a damaged header a warning is given; nothing is lost by it.
 */
int recording__open(const char *path, struct recording **out);
int recording__open_fd(int fd, const char *path, struct recording **out); /* takes fd */
void recording__close(struct recording *recording);

/* As known so far: they grow while the file is read. */
const struct facts *recording__facts(const struct recording *recording);

/*
 * Nobody wants references of objects: most batches that have objects come without from soon on, as
 * RECORD_SPLIT, which a feed understands that does not want EVENT_OBJECT.
 */
void recording__leave_references(struct recording *recording);

/* All that this target told from this time on (ns) is in it. */
uint64_t recording__whole_from(const struct recording *recording, uint32_t target);

/*
 * Hand on the records of the next block. SOURCE_END: at the end, or where the file is cut off;
 * everything that is missing was handed on as RECORD_LOSS (LOSS_RECORDING) before.
 */
int recording__pull(struct recording *recording, const struct record_sink *sink);
struct source recording__source(struct recording *recording);

/*
 * What is wrong with the file, for a person, known by its end: "FILE: it is cut off after 1.200 s,
 * and 3 of its blocks are damaged or missing". NULL: nothing. Valid until the next call.
 */
const char *recording__damage(struct recording *recording);

#endif
