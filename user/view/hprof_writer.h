/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of an hprof file (stream/hprof_format.h): JAVA PROFILE 1.0.2, ids have 8 bytes, and all
 * entries stand in records HEAP_DUMP_SEGMENT.
 */
#ifndef GCTRACE_VIEW_HPROF_WRITER_H
#define GCTRACE_VIEW_HPROF_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/buf.h"
#include "../stream/hprof_format.h"

struct hprof_writer {
	FILE *out;
	struct buf segment; /* entries that wait for the head of their record */
	bool waits;	    /* what is written goes there */
};

/* The file's head; ms since 1970, 0: nobody knows. */
void hprof__head(struct hprof_writer *writer, uint64_t ms);

/* The last record; frees what the writer has. 0, or -ENOMEM: something is missing. */
int hprof__end(struct hprof_writer *writer);

/* Begin a record of so many bytes. The entries before it are written out. */
void hprof__record(struct hprof_writer *writer, enum hprof_record tag, uint64_t bytes);
/* Begin an entry of so many bytes behind its tag, less than 4 GiB. */
void hprof__entry(struct hprof_writer *writer, enum hprof_entry tag, uint64_t bytes);

/* What is in it. */
void hprof__u1(struct hprof_writer *writer, uint8_t value);
void hprof__u2(struct hprof_writer *writer, uint16_t value);
void hprof__u4(struct hprof_writer *writer, uint32_t value);
void hprof__u8(struct hprof_writer *writer, uint64_t value);
void hprof__zeros(struct hprof_writer *writer, uint64_t count);

/* A whole record; what text has lost, hprof__end() says. */
void hprof__string(struct hprof_writer *writer, uint64_t id, const struct buf *text);

#endif
