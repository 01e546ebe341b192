/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compact numbers of <gctrace/wire.h>, read from hostile bytes.
 *
 * A struct cursor is what is left of a record. When a number runs over the end or is longer than
 * a u64, the cursor becomes bad and stays so; numbers read from then on are 0. So a reader of a
 * whole item checks once, behind it.
 */
#ifndef STREAM_VARINT_H
#define STREAM_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

static inline size_t cursor__left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline uint8_t cursor__byte(struct cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->bad = true;
		return 0;
	}
	return *cursor->at++;
}

/* The long way, for numbers of two bytes and more. */
static inline uint64_t varint__long(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (cursor->at == cursor->end)
			break;
		byte = *cursor->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor->bad = true;
	cursor->at = cursor->end;
	return 0;
}

static inline uint64_t varint__read(struct cursor *cursor)
{
	if (cursor->at < cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	return varint__long(cursor);
}

/* Signed ones as the u64 that adding them needs: -1 is ~0. */
static inline uint64_t varint__unzigzag(uint64_t value)
{
	return (value >> 1) ^ (0 - (value & 1));
}

static inline uint64_t varint__read_signed(struct cursor *cursor)
{
	return varint__unzigzag(varint__read(cursor));
}

/* Of which only 32 bits have a meaning. */
static inline uint32_t varint__read_flags(struct cursor *cursor)
{
	uint64_t flags = varint__read(cursor);

	if (flags > UINT32_MAX)
		cursor->bad = true;
	return (uint32_t)flags;
}

#endif
