/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_rows.h"

#include <string.h>

#include "gctrace/wire.h"
#include "stream/event.h"

static uint8_t *put_number(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static uint64_t get_number(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	do
		value |= (uint64_t)(**at & 0x7f) << shift;
	while (shift += 7, *(*at)++ & 0x80);
	return value;
}

static uint64_t zigzag(uint64_t step)
{
	return step << 1 ^ (step >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

/*
 * A step as zigzag has 64 bits and the doubling needs one more: the first byte has 6 bits of it
 * and the flag, the rest follows if bit 7 is set.
 */
bool places_writer__end_run(struct places_writer *writer)
{
	uint8_t bytes[PLACES_RUN_MOST + 4], *at = bytes;
	const uint64_t step = zigzag(writer->step);
	void *to;

	*at++ = (uint8_t)((step & 0x3f) << 1 | (writer->length > 1) | (step > 0x3f ? 0x80 : 0));
	if (step > 0x3f)
		at = put_number(at, step >> 6);
	if (writer->length > 1)
		at = put_number(at, writer->length - 2);
	to = pile__add(writer->to, writer->memory, (uint64_t)(at - bytes));
	if (!to)
		return false;
	__builtin_memcpy(to, bytes, (size_t)(at - bytes));
	writer->length = 0;
	return true;
}

void places_reader__next_run(struct places_reader *places)
{
	const uint8_t first = *places->at++;
	uint64_t step = first >> 1 & 0x3f;

	if (first & 0x80)
		step |= get_number(&places->at) << 6;
	places->step = unzigzag(step);
	places->left = first & 1 ? get_number(&places->at) + 2 : 1;
}

/* Where the places of a row's references begin. */
static const uint8_t *places_of(const uint32_t *row)
{
	const uint32_t *at = row + ROW_REFERENCES;

	while (!(*at++ & ROW_HIGH))
		;
	return (const uint8_t *)at;
}

struct row_cursor row_cursor__of(const uint32_t *row)
{
	struct row_cursor cursor = {
		.at = row[ROW_TYPE] & ROW_HAS_REFERENCES ? row + ROW_REFERENCES : NULL,
		.known = (row[ROW_TYPE] & ROW_KIND) >> ROW_KIND_SHIFT != GCTRACE_PLACE_UNKNOWN ||
			 row[ROW_TYPE] & ROW_PLACED,
		.places = places_reader__of(row[ROW_TYPE] & ROW_PLACED ? places_of(row) : NULL),
	};

	return cursor;
}

bool row_cursor__next(struct row_cursor *cursor)
{
	uint32_t word;

	if (!cursor->at)
		return false;
	word = *cursor->at;
	cursor->to = word & ROW_LOW;
	cursor->at = word & ROW_HIGH ? NULL : cursor->at + 1;
	cursor->place = cursor->known ? places_reader__next(&cursor->places) : EVENT_UNKNOWN;
	return true;
}

bool rows__reach(struct heap_rows *rows, struct memory *memory, uint64_t end)
{
	const uint64_t more = (end / 64 + 1) * sizeof(uint64_t) - rows->starts.used;
	void *to = pile__add(&rows->starts, memory, more);

	if (to)
		memset(to, 0, more);
	return to;
}

void rows__free(struct heap_rows *rows, struct memory *memory)
{
	pile__free(&rows->pile, memory);
	pile__free(&rows->starts, memory);
	pile__free(&rows->large, memory);
}
