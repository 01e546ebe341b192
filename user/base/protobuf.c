/* SPDX-License-Identifier: BSD-2-Clause */
#include "protobuf.h"

#include <string.h>

#define VARINT_MOST 10

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf__varint(struct buf *out, uint64_t value)
{
	unsigned char bytes[VARINT_MOST];
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (unsigned char)(value | 0x80);
	bytes[len++] = (unsigned char)value;
	buf__add(out, bytes, len);
}

static void add_key(struct buf *out, uint32_t field, enum wire_type type)
{
	protobuf__varint(out, (uint64_t)field << 3 | type);
}

void protobuf__u64(struct buf *out, uint32_t field, uint64_t value)
{
	add_key(out, field, WIRE_VARINT);
	protobuf__varint(out, value);
}

void protobuf__bytes(struct buf *out, uint32_t field, const void *bytes, size_t len)
{
	add_key(out, field, WIRE_BYTES);
	protobuf__varint(out, len);
	buf__add(out, bytes, len);
}

void protobuf__str(struct buf *out, uint32_t field, const char *text)
{
	protobuf__bytes(out, field, text, strlen(text));
}

void protobuf__message(struct buf *out, uint32_t field, struct buf *message)
{
	protobuf__bytes(out, field, buf__str(message), message->len);
	if (message->error && !out->error)
		out->error = message->error;
	buf__reset(message);
}
