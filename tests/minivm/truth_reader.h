/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a truth file (truth.h), record by record. For tests; needs nothing else of minivm.
 *
 *     struct truth_reader reader;
 *     if (truth__open_reader(&reader, path) == 0)
 *             while (truth__next(&reader) > 0)
 *                     ... reader.kind, reader.payload, reader.bytes ...
 *     truth__close_reader(&reader);
 */
#ifndef MINIVM_TRUTH_READER_H
#define MINIVM_TRUTH_READER_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

struct truth_reader {
	FILE *file;
	struct truth_head head;
	uint32_t kind; /* enum truth_kind */
	uint64_t bytes;
	void *payload; /* until the next call; aligned to 16 */
	size_t capacity;
};

/* 0 or a negative errno; -EPROTO: it is no truth file. */
static inline int truth__open_reader(struct truth_reader *reader, const char *path)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = fopen(path, "rbe");
	if (!reader->file)
		return -errno;
	if (fread(&reader->head, sizeof(reader->head), 1, reader->file) != 1 ||
	    memcmp(reader->head.magic, TRUTH_MAGIC, sizeof(reader->head.magic)) ||
	    reader->head.head_bytes != sizeof(reader->head))
		return -EPROTO;
	return 0;
}

/* 1: a record; 0: the file ends (after TRUTH_END, or because the process was killed, also in the
 * middle of a record); negative errno. */
static inline int truth__next(struct truth_reader *reader)
{
	struct truth_record record;

	if (fread(&record, sizeof(record), 1, reader->file) != 1)
		return ferror(reader->file) ? -EIO : 0;
	if (record.bytes > reader->capacity) {
		void *larger = realloc(reader->payload, record.bytes);

		if (!larger)
			return -ENOMEM;
		reader->payload = larger;
		reader->capacity = record.bytes;
	}
	if (record.bytes && fread(reader->payload, record.bytes, 1, reader->file) != 1)
		return ferror(reader->file) ? -EIO : 0;
	reader->kind = record.kind;
	reader->bytes = record.bytes;
	return 1;
}

static inline void truth__close_reader(struct truth_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	free(reader->payload);
	memset(reader, 0, sizeof(*reader));
}

#endif
