/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of split batches (split.h), of which only the heads are here: column beside column, so
 * that no number waits for where the one before it ends but in its own column. Where there are
 * enough bytes for any numbers and all is told in units of 8 bytes, GROUP objects are read without
 * a look at that.
 */
#include "decoding.h"
#include "near_object.h"
#include "split.h"

#define GROUP 8
#define PLAIN_ALL (GCTRACE_OBJECT_PLAIN * UINT64_C(0x0101010101010101))
_Static_assert(GROUP == sizeof(uint64_t), "their bits are one word");

struct columns {
	const uint8_t *at[SPLIT_COLUMNS];
	const uint8_t *end[SPLIT_COLUMNS];
	uint64_t last; /* address of the object before; at first the record's base */
};

static bool read_one(struct columns *columns, struct object_head *head)
{
	const unsigned int shift = *columns->at[SPLIT_BITS]++ & GCTRACE_OBJECT_PLAIN ? 0 : 3;
	uint64_t value[SPLIT_COLUMNS];

	for (unsigned int i = SPLIT_ADDRESSES; i < SPLIT_COLUMNS; i++) {
		struct cursor cursor = { columns->at[i], columns->end[i], false };

		value[i] = varint__read(&cursor);
		if (cursor.bad)
			return false;
		columns->at[i] = cursor.at;
	}
	columns->last = ((columns->last >> shift) + varint__unzigzag(value[SPLIT_ADDRESSES]))
			<< shift;
	head->id = columns->last;
	head->class_ = value[SPLIT_CLASSES];
	head->size = event__size(value[SPLIT_SIZES] << shift);
	return true;
}

static inline bool has_group(const struct columns *columns)
{
	uint64_t bits;

	for (unsigned int i = 0; i < SPLIT_COLUMNS; i++)
		if (columns->end[i] - columns->at[i] < (i ? GROUP * NUMBER_MOST : GROUP))
			return false;
	memcpy(&bits, columns->at[SPLIT_BITS], sizeof(bits));
	return !(bits & PLAIN_ALL);
}

static inline bool read_group(struct columns *columns, struct object_head *heads)
{
	struct number address = { columns->at[SPLIT_ADDRESSES], 0 };
	struct number class_ = { columns->at[SPLIT_CLASSES], 0 };
	struct number size = { columns->at[SPLIT_SIZES], 0 };
	uint64_t last = columns->last >> 3;

	for (unsigned int i = 0; i < GROUP; i++) {
		address = number_at(address.behind);
		class_ = number_at(class_.behind);
		size = number_at(size.behind);
		if (!address.behind || !class_.behind || !size.behind)
			return false;
		last += varint__unzigzag(address.value);
		heads[i].id = last << 3;
		heads[i].class_ = class_.value;
		heads[i].size = size.value << 3;
	}
	columns->at[SPLIT_BITS] += GROUP;
	columns->at[SPLIT_ADDRESSES] = address.behind;
	columns->at[SPLIT_CLASSES] = class_.behind;
	columns->at[SPLIT_SIZES] = size.behind;
	columns->last = last << 3;
	return true;
}

/* Up to so many; how many there were before a malformed one. */
static size_t read_some(struct columns *columns, size_t some, struct object_head *heads)
{
	size_t told = 0;

	while (told < some) {
		if (some - told >= GROUP && has_group(columns) && read_group(columns, heads + told))
			told += GROUP;
		else if (read_one(columns, heads + told))
			told++;
		else
			break;
	}
	return told;
}

int decode__split_objects(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_HEADS);
	const uint8_t *bounds[SPLIT_COLUMNS + 1];
	struct split_objects objects;
	struct columns columns;
	size_t some;

	if (decoder__wants(decoder, EVENT_OBJECT) || !split__columns(at, bytes, &objects, bounds))
		return -EBADMSG;
	columns.last = objects.fixed.base;
	memcpy(columns.at, bounds, sizeof(columns.at));
	memcpy(columns.end, bounds + 1, sizeof(columns.end));
	event.heads.heads = decoder->room->chunk.heads;
	for (uint32_t left = objects.fixed.count; left && !decoder->answer; left -= some) {
		some = left < DECODE_CHUNK ? left : DECODE_CHUNK;
		event.heads.count = read_some(&columns, some, decoder->room->chunk.heads);
		if (event.heads.count)
			decoder__tell(decoder, &event);
		if (event.heads.count < some)
			return decoder->answer ? decoder->answer : -EBADMSG;
	}
	if (decoder->answer)
		return decoder->answer;
	return memcmp(columns.at, columns.end, sizeof(columns.at)) ? -EBADMSG : 0;
}
