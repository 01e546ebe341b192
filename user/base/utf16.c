/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf16.h"

#include <stdint.h>

#define NO_CHARACTER 0xfffd

/* Six bits of it, from this one up, as a byte that goes on. */
static char rest(uint32_t c, unsigned int from)
{
	return (char)(0x80 | (c >> from & 0x3f));
}

static void add_character(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf__add_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf__add_char(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		buf__add_char(out, (char)(0xe0 | c >> 12));
		buf__add_char(out, rest(c, 6));
	} else {
		buf__add_char(out, (char)(0xf0 | c >> 18));
		buf__add_char(out, rest(c, 12));
		buf__add_char(out, rest(c, 6));
	}
	buf__add_char(out, rest(c, 0));
}

static uint32_t unit(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

void utf16__add(struct buf *out, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i + 1 < size; i += 2) {
		uint32_t c = unit(at + i);

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < size && unit(at + i + 2) >> 10 == 0x37) {
			c = 0x10000 + ((c & 0x3ff) << 10) + (unit(at + i + 2) & 0x3ff);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = NO_CHARACTER;
		}
		add_character(out, c);
	}
}

void latin1__add(struct buf *out, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		add_character(out, at[i]);
}
