/* SPDX-License-Identifier: BSD-2-Clause */
#include "escape.h"

#include <stdbool.h>
#include <string.h>

#include "search.h"

struct range {
	uint32_t first, last;
};

/*
 * Characters that show nothing themselves but change what stands beside them, or nothing
 * at all: the Unicode properties Bidi_Control, Default_Ignorable_Code_Point, and the two
 * separators. In ascending order.
 */
static const struct range unsafe[] = {
	{ 0x0080, 0x009f },   /* C1 controls */
	{ 0x00ad, 0x00ad },   /* soft hyphen */
	{ 0x034f, 0x034f },   /* grapheme joiner */
	{ 0x061c, 0x061c },   /* Arabic letter mark */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian selectors */
	{ 0x200b, 0x200f },   /* zero width, left-to-right and right-to-left marks */
	{ 0x2028, 0x202e },   /* separators, embeddings, overrides */
	{ 0x2060, 0x206f },   /* joiners, isolates */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfdd0, 0xfdef },   /* noncharacters */
	{ 0xfe00, 0xfe0f },   /* variation selectors */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xffa0, 0xffa0 },   /* half width filler */
	{ 0xfff0, 0xfffb },   /* annotations */
	{ 0x1bca0, 0x1bca3 }, /* shorthand controls */
	{ 0x1d173, 0x1d17a }, /* musical controls */
	{ 0xe0000, 0xe0fff }, /* tags, selectors */
};

/* East Asian wide and the pictographs that terminals draw two columns wide. */
static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
	{ 0x2e80, 0x303e },   { 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18aff },
	{ 0x1b000, 0x1b2ff }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1faff },
	{ 0x20000, 0x3fffd },
};

/* The blocks of marks that sit on the character before them. */
static const struct range combining[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff },
	{ 0xfe20, 0xfe2f },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool within(const struct range *ranges, size_t count, uint32_t c)
{
	const size_t low = search__front(ranges, count, range, c > range->last);

	return low < count && c >= ranges[low].first;
}

bool utf8__is_unsafe(uint32_t c)
{
	return (c & 0xfffe) == 0xfffe || within(unsafe, COUNT(unsafe), c);
}

size_t utf8__decode(const void *bytes, size_t len, uint32_t *code_point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = bytes;
	size_t size, i;
	uint32_t c;

	if (p[0] < 0x80) {
		*code_point = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	size = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (size > len)
		return 0;
	c = p[0] & (0xffu >> (size + 1));
	for (i = 1; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < smallest[size] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code_point = c;
	return size;
}

static void add_byte(struct buf *buf, unsigned char byte)
{
	switch (byte) {
	case '\t':
		buf__add_str(buf, "\\t");
		break;
	case '\n':
		buf__add_str(buf, "\\n");
		break;
	case '\r':
		buf__add_str(buf, "\\r");
		break;
	case '\\':
		buf__add_str(buf, "\\\\");
		break;
	default:
		buf__printf(buf, "\\x%02x", byte);
	}
}

void escape__add(struct buf *buf, const void *bytes, size_t len)
{
	const unsigned char *p = bytes, *end = p + len;

	while (p < end) {
		uint32_t c = 0;
		size_t size = utf8__decode(p, (size_t)(end - p), &c);

		if (size == 0 || c < 0x20 || c == 0x7f || c == '\\') {
			add_byte(buf, *p);
			size = 1;
		} else if (utf8__is_unsafe(c)) {
			buf__printf(buf, "\\u{%x}", c);
		} else {
			buf__add(buf, p, size);
		}
		p += size;
	}
}

void escape__move(struct buf *buf, struct buf *raw)
{
	escape__add(buf, buf__str(raw), raw->len);
	if (raw->error && !buf->error)
		buf->error = raw->error;
	buf__reset(raw);
}

const char *escape_bytes(const void *bytes, size_t len)
{
	static _Thread_local struct buf buffers[16];
	static _Thread_local unsigned int next;
	struct buf *buf = &buffers[next++ % COUNT(buffers)];

	buf__reset(buf);
	escape__add(buf, bytes, len);
	return buf->error ? "(out of memory)" : buf__str(buf);
}

const char *escape(const char *text)
{
	return text ? escape_bytes(text, strlen(text)) : "(none)";
}

size_t utf8__columns(const char *text, size_t len)
{
	size_t columns = 0, i = 0;

	while (i < len) {
		uint32_t c = 0;
		size_t size = utf8__decode(text + i, len - i, &c);

		if (size == 0)
			size = 1;
		if (!within(combining, COUNT(combining), c))
			columns += within(wide, COUNT(wide), c) ? 2 : 1;
		i += size;
	}
	return columns;
}
