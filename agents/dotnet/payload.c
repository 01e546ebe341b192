/* SPDX-License-Identifier: BSD-2-Clause */
#include "payload.h"

#define REPLACEMENT 0xfffdu

static uint16_t unit(struct utf16 text, size_t at)
{
	uint16_t unit;

	memcpy(&unit, text.at + 2 * at, sizeof(unit));
	return unit;
}

struct utf16 payload__utf16(struct payload *payload)
{
	struct utf16 text = { payload->at, payload__left(payload) / 2 };

	for (size_t i = 0; i < text.units; i++) {
		if (unit(text, i))
			continue;
		text.units = i;
		payload->at += 2 * (i + 1);
		return text;
	}
	payload->bad = true;
	payload->at = payload->end;
	return (struct utf16){ payload->end, 0 };
}

struct utf16 utf16__of(const uint16_t *text)
{
	size_t units = 0;

	while (text[units])
		units++;
	return (struct utf16){ (const uint8_t *)text, units };
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* The character at *at, which moves behind it. */
static uint32_t next_character(struct utf16 text, size_t *at)
{
	const uint32_t first = unit(text, (*at)++);
	uint32_t second;

	if (!is_high(first))
		return is_low(first) ? REPLACEMENT : first;
	second = *at < text.units ? unit(text, *at) : 0;
	if (!is_low(second))
		return REPLACEMENT;
	++*at;
	return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

static size_t encode(uint32_t character, char bytes[4])
{
	static const uint8_t heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t count = character < 0x80 ? 1 : character < 0x800 ? 2 :
			     character < 0x10000 ? 3 : 4;

	for (size_t i = count; i-- > 1; character >>= 6)
		bytes[i] = (char)(0x80 | (character & 0x3f));
	bytes[0] = (char)(heads[count] | character);
	return count;
}

size_t utf16__to_utf8(struct utf16 text, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < text.units;) {
		char bytes[4];
		const size_t count = encode(next_character(text, &i), bytes);

		if (count > room - used)
			break;
		memcpy(to + used, bytes, count);
		used += count;
	}
	return used;
}
