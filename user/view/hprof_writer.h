/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of an hprof file (JAVA PROFILE 1.0.2; everything is big-endian, ids have 8 bytes):
 *
 *	file    = text, u4 bytes of an id, u8 time; record ...
 *	record  = u1 tag, u4 time, u4 bytes, so many bytes
 *	entry   = u1 tag, what belongs to the tag: in records HEAP_DUMP_SEGMENT
 *
 * Format: "HPROF Agent" in the manual of demo/jvmti/hprof of the JDK (src/manual.html), and
 * what HotSpot writes (heapDumper.cpp).
 */
#ifndef GCTRACE_VIEW_HPROF_WRITER_H
#define GCTRACE_VIEW_HPROF_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/buf.h"

enum hprof_record {
	HPROF_STRING = 0x01,
	HPROF_LOAD_CLASS = 0x02,
	HPROF_STACK_FRAME = 0x04,
	HPROF_STACK_TRACE = 0x05,
	HPROF_HEAP_DUMP_SEGMENT = 0x1c,
	HPROF_HEAP_DUMP_END = 0x2c
};

enum hprof_entry {
	HPROF_ROOT_UNKNOWN = 0xff,
	HPROF_ROOT_JNI_GLOBAL = 0x01,
	HPROF_ROOT_JNI_LOCAL = 0x02,
	HPROF_ROOT_JAVA_FRAME = 0x03,
	HPROF_ROOT_NATIVE_STACK = 0x04,
	HPROF_ROOT_STICKY_CLASS = 0x05,
	HPROF_ROOT_MONITOR_USED = 0x07,
	HPROF_ROOT_THREAD_OBJECT = 0x08,
	HPROF_CLASS = 0x20,
	HPROF_INSTANCE = 0x21,
	HPROF_OBJECT_ARRAY = 0x22,
	HPROF_PRIMITIVE_ARRAY = 0x23
};

enum hprof_type {
	HPROF_OBJECT = 2,
	HPROF_BOOLEAN = 4,
	HPROF_CHAR = 5,
	HPROF_FLOAT = 6,
	HPROF_DOUBLE = 7,
	HPROF_BYTE = 8,
	HPROF_SHORT = 9,
	HPROF_INT = 10,
	HPROF_LONG = 11
};

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
