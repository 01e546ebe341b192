/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_writer.h"

#include <endian.h>

#define SEGMENT_BYTES (1u << 20)

static void put(struct hprof_writer *writer, const void *bytes, size_t count)
{
	if (writer->waits)
		buf__add(&writer->segment, bytes, count);
	else
		fwrite_unlocked(bytes, 1, count, writer->out);
}

void hprof__u1(struct hprof_writer *writer, uint8_t value)
{
	put(writer, &value, sizeof(value));
}

void hprof__u2(struct hprof_writer *writer, uint16_t value)
{
	value = htobe16(value);
	put(writer, &value, sizeof(value));
}

void hprof__u4(struct hprof_writer *writer, uint32_t value)
{
	value = htobe32(value);
	put(writer, &value, sizeof(value));
}

void hprof__u8(struct hprof_writer *writer, uint64_t value)
{
	value = htobe64(value);
	put(writer, &value, sizeof(value));
}

void hprof__zeros(struct hprof_writer *writer, uint64_t count)
{
	static const char zeros[1 << 16];

	for (; count > sizeof(zeros); count -= sizeof(zeros)) {
		put(writer, zeros, sizeof(zeros));
		if (ferror_unlocked(writer->out))
			return; /* there may be gigabytes, and nobody wants them */
	}
	put(writer, zeros, (size_t)count);
}

static void head(struct hprof_writer *writer, enum hprof_record tag, uint64_t bytes)
{
	writer->waits = false;
	hprof__u1(writer, (uint8_t)tag);
	hprof__u4(writer, 0); /* microseconds since the time in the file's head */
	hprof__u4(writer, (uint32_t)bytes);
}

static void flush(struct hprof_writer *writer)
{
	if (!writer->segment.len)
		return;
	head(writer, HPROF_HEAP_DUMP_SEGMENT, writer->segment.len);
	put(writer, writer->segment.data, writer->segment.len);
	buf__truncate(&writer->segment, 0);
}

void hprof__record(struct hprof_writer *writer, enum hprof_record tag, uint64_t bytes)
{
	flush(writer);
	head(writer, tag, bytes);
}

/* What is large gets a segment of its own, and does not wait. */
void hprof__entry(struct hprof_writer *writer, enum hprof_entry tag, uint64_t bytes)
{
	if (writer->segment.len + 1 + bytes > SEGMENT_BYTES)
		flush(writer);
	writer->waits = 1 + bytes <= SEGMENT_BYTES;
	if (!writer->waits)
		head(writer, HPROF_HEAP_DUMP_SEGMENT, 1 + bytes);
	hprof__u1(writer, (uint8_t)tag);
}

void hprof__head(struct hprof_writer *writer, uint64_t ms)
{
	static const char format[] = HPROF_TEXT "1.0.2";

	put(writer, format, sizeof(format));
	hprof__u4(writer, sizeof(uint64_t));
	hprof__u8(writer, ms);
}

int hprof__end(struct hprof_writer *writer)
{
	const int err = writer->segment.error;

	hprof__record(writer, HPROF_HEAP_DUMP_END, 0);
	buf__free(&writer->segment);
	return err;
}

void hprof__string(struct hprof_writer *writer, uint64_t id, const struct buf *text)
{
	hprof__record(writer, HPROF_STRING, sizeof(id) + text->len);
	hprof__u8(writer, id);
	put(writer, buf__str(text), text->len);
	if (text->error)
		writer->segment.error = text->error;
}
