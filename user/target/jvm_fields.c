/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table: six numbers of two bytes for each field: access, name, signature, initial value, and
 * the offset in the upper 30 bits of the last two, whose lowest bits say that it is one.
 *
 * The stream: how many fields there are, how many of them the JVM has put in (which come last and
 * are not looked at), then for each: name, signature, offset, access, flags, and what the flags say
 * that follows. A number is 1 to 5 bytes, least significant first: each counts from 1, six bits
 * further up than the one before, and one of less than 192 is the last.
 */
#include "jvm_fields.h"

#include <errno.h>
#include <stdbool.h>

#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_symbols.h"

#define MOST_FIELDS 65536

enum { SLOT_NAME = 1, SLOT_SIGNATURE, SLOT_LOW = 4, SLOT_HIGH, SLOTS };
#define TAG_BITS 2
#define TAG_MASK 3u
#define TAG_OFFSET 1

#define FLAG_INITIAL 0x1
#define FLAG_GENERIC 0x4
#define FLAG_CONTENDED 0x10
#define LOW_NUMBERS 191u
#define NUMBER_BYTES 5

struct wanted {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
	uint64_t pool;
	const char *name, *signature;
};

static bool is_it(const struct wanted *wanted, uint32_t name, uint32_t signature)
{
	uint64_t symbol;

	return jvm_symbols__in_pool(wanted->memory, wanted->layout, wanted->pool, name, &symbol) &&
	       jvm_symbols__is(wanted->memory, wanted->layout, symbol, wanted->name) &&
	       jvm_symbols__in_pool(wanted->memory, wanted->layout, wanted->pool, signature,
				    &symbol) &&
	       jvm_symbols__is(wanted->memory, wanted->layout, symbol, wanted->signature);
}

/* ---------------------------------------------------------------- the table */

static int find_in_table(const struct wanted *wanted, uint64_t table, uint16_t count,
			 uint32_t *offset)
{
	uint64_t at = table + wanted->layout->array_bytes;
	uint16_t slots[SLOTS];
	uint32_t packed;

	for (; count; count--, at += sizeof(slots)) {
		if (!jvm_memory__read(wanted->memory, at, slots, sizeof(slots)))
			return -ENOENT;
		if (!is_it(wanted, slots[SLOT_NAME], slots[SLOT_SIGNATURE]))
			continue;
		packed = (uint32_t)slots[SLOT_HIGH] << 16 | slots[SLOT_LOW];
		*offset = packed >> TAG_BITS;
		return (packed & TAG_MASK) == TAG_OFFSET ? 0 : -ENOENT;
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------- the stream */

struct stream {
	struct jvm_memory *memory;
	uint64_t at, end;
};

static bool read_number(struct stream *stream, uint32_t *number)
{
	*number = 0;
	for (unsigned int i = 0; i < NUMBER_BYTES; i++) {
		uint8_t byte;

		if (stream->at >= stream->end ||
		    !jvm_memory__u8(stream->memory, stream->at, &byte) || !byte)
			return false;
		stream->at++;
		*number += (byte - 1u) << 6 * i;
		if (byte - 1u < LOW_NUMBERS)
			return true;
	}
	return true;
}

static bool skip_more(struct stream *stream, uint32_t flags)
{
	uint32_t ignored;

	return (!(flags & FLAG_INITIAL) || read_number(stream, &ignored)) &&
	       (!(flags & FLAG_GENERIC) || read_number(stream, &ignored)) &&
	       (!(flags & FLAG_CONTENDED) || read_number(stream, &ignored));
}

static int find_in_stream(const struct wanted *wanted, struct stream *stream, uint32_t *offset)
{
	uint32_t count, injected, name, signature, access, flags;

	if (!read_number(stream, &count) || !read_number(stream, &injected) || count > MOST_FIELDS)
		return -ENOENT;
	for (; count; count--) {
		if (!read_number(stream, &name) || !read_number(stream, &signature) ||
		    !read_number(stream, offset) || !read_number(stream, &access) ||
		    !read_number(stream, &flags) || !skip_more(stream, flags))
			return -ENOENT;
		if (is_it(wanted, name, signature))
			return 0;
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------- either */

int jvm_fields__find(struct jvm_memory *memory, const struct jvm_layout *layout, uint64_t klass,
		     const char *name, const char *signature, uint32_t *offset)
{
	struct wanted wanted = { memory, layout, 0, name, signature };
	const bool is_table = layout->klass_field_stream == JVM_NONE;
	struct stream stream = { .memory = memory };
	uint32_t length, found = 0;
	uint64_t fields;
	uint16_t count;
	int err;

	if (!jvm_memory__u64(memory, klass + layout->klass_constants, &wanted.pool) ||
	    !jvm_memory__u64(memory, klass + (is_table ? layout->klass_fields :
							 layout->klass_field_stream), &fields) ||
	    !jvm_memory__u32(memory, fields + layout->array_length, &length))
		return -ENOENT;
	stream.at = fields + layout->array_bytes;
	stream.end = stream.at + length;
	if (!is_table)
		err = find_in_stream(&wanted, &stream, &found);
	else if (jvm_memory__u16(memory, klass + layout->klass_field_count, &count) &&
		 count <= length / SLOTS)
		err = find_in_table(&wanted, fields, count, &found);
	else
		err = -ENOENT;
	if (!err && found > JVM_FIELD_MOST)
		err = -ENOENT;
	if (!err)
		*offset = found;
	return err;
}
