/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split batches joined again (split.h). Lengths are looked at, numbers are copied without a look at
 * what they mean: that is for who reads the batch. The bytes are hostile: what runs over the end of
 * what it stands in is found before it is used, or in the slack behind it.
 */
#include <errno.h>
#include <string.h>

#include "near_object.h"
#include "split.h"

#define STRIDE 16 /* bytes that are copied at once, of which most are no part of it */
#define HEAD_MOST (1 + 3 * NUMBER_MOST)
_Static_assert(HEAD_MOST + STRIDE <= SPLIT_SLACK, "room behind an object");

struct joining {
	const uint8_t *from, *end; /* of the heads */
	const uint8_t *references, *references_end;
	uint8_t *to, *to_end;
};

bool split__columns(const uint8_t *record, size_t bytes, struct split_objects *objects,
		    const uint8_t *columns[SPLIT_COLUMNS + 1])
{
	size_t left;

	if (bytes < sizeof(*objects))
		return false;
	memcpy(objects, record, sizeof(*objects));
	left = bytes - sizeof(*objects);
	columns[SPLIT_BITS] = record + sizeof(*objects);
	if (objects->fixed.count > left)
		return false;
	left -= objects->fixed.count;
	columns[SPLIT_ADDRESSES] = columns[SPLIT_BITS] + objects->fixed.count;
	for (unsigned int i = SPLIT_ADDRESSES; i < SPLIT_COLUMNS; i++) {
		const uint32_t each = objects->column[i - SPLIT_ADDRESSES];

		if (each > left)
			return false;
		left -= each;
		columns[i + 1] = columns[i] + each;
	}
	return left == 0;
}

/* ---------------------------------------------------------------------------------------------
 * Objects
 */

/* Up to here; NULL: it has no end, or one behind that. */
static const uint8_t *behind_number(const uint8_t *at, const uint8_t *end)
{
	const uint64_t stops = number_stops(at);
	const uint8_t *most = end - at > NUMBER_MOST ? at + NUMBER_MOST : end;

	if (stops)
		at = number_behind(at, stops);
	else
		for (at += sizeof(stops); at < most && *at++ & 0x80;)
			;
	return at <= most && !(at[-1] & 0x80) ? at : NULL;
}

static inline bool join_number(uint8_t **to, const uint8_t **from, const uint8_t *end)
{
	const uint8_t *const at = *from, *behind = at + 1;

	if (at >= end)
		return false;
	if (*at & 0x80)
		behind = at + 1 < end && at[1] < 0x80 ? at + 2 : behind_number(at, end);
	if (!behind)
		return false;
	memcpy(*to, at, STRIDE);
	*to += behind - at;
	*from = behind;
	return true;
}

static const uint8_t *behind_numbers(const uint8_t *at, const uint8_t *end, uint64_t count)
{
	for (; count && at; count--)
		at = at < end ? behind_number(at, end) : NULL;
	return at;
}

/* All of an object that stands apart. NULL: it runs over the end. */
static inline const uint8_t *behind_references(const uint8_t *at, const uint8_t *end,
					       unsigned int bits)
{
	const uint8_t *behind;
	struct number count;
	uint64_t numbers;

	at = behind_numbers(at, end, (bits & GCTRACE_OBJECT_FLAGS ? 1u : 0u) +
					     (bits & GCTRACE_OBJECT_PART ? 1u : 0u));
	if (!at || at >= end)
		return NULL;
	count = number_at(at);
	if (!count.behind || count.behind > end || count.value > (size_t)(end - at))
		return NULL;
	numbers = near_object__numbers(bits, count.value);
	behind = near_object__skip(count.behind, end, numbers, false);
	if (!behind)
		behind = behind_numbers(count.behind, end, numbers);
	return behind && behind <= end ? behind : NULL;
}

static inline bool join_references(struct joining *joining, unsigned int bits)
{
	const uint8_t *const at = joining->references;
	const uint8_t *const behind = behind_references(at, joining->references_end, bits);
	size_t bytes;

	if (!behind)
		return false;
	bytes = (size_t)(behind - at);
	if (bytes <= STRIDE)
		memcpy(joining->to, at, STRIDE);
	else if (bytes <= (size_t)(joining->to_end + SPLIT_SLACK - joining->to))
		memcpy(joining->to, at, bytes);
	else
		return false;
	joining->to += bytes;
	joining->references = behind;
	return true;
}

static bool join_object(struct joining *joining, const uint8_t *at[SPLIT_COLUMNS],
			const uint8_t *const ends[SPLIT_COLUMNS])
{
	const unsigned int bits = *at[SPLIT_BITS]++;

	if (joining->to > joining->to_end)
		return false;
	*joining->to++ = (uint8_t)bits;
	for (unsigned int i = SPLIT_ADDRESSES; i < SPLIT_COLUMNS; i++)
		if (!join_number(&joining->to, &at[i], ends[i]))
			return false;
	return join_references(joining, bits);
}

/* ---------------------------------------------------------------------------------------------
 * Records
 */

static bool join_plain(struct joining *joining, size_t bytes)
{
	if (bytes > (size_t)(joining->end - joining->from) ||
	    bytes > (size_t)(joining->to_end - joining->to))
		return false;
	memcpy(joining->to, joining->from, bytes);
	joining->from += bytes;
	joining->to += bytes;
	return true;
}

/* What a record is padded with up to here. */
static bool pad(struct joining *joining, uint8_t *behind)
{
	if (joining->to > behind || behind - joining->to >= 8)
		return false;
	memset(joining->to, 0, (size_t)(behind - joining->to));
	joining->to = behind;
	return true;
}

static bool join_objects(struct joining *joining, size_t bytes)
{
	const uint8_t *columns[SPLIT_COLUMNS + 1], *at[SPLIT_COLUMNS];
	struct split_objects objects;
	uint8_t *behind;
	size_t whole;

	if (!split__columns(joining->from, bytes, &objects, columns))
		return false;
	whole = ((size_t)objects.bytes + 7) & ~(size_t)7;
	if (objects.bytes < sizeof(objects.fixed) ||
	    whole > (size_t)(joining->to_end - joining->to))
		return false;
	behind = joining->to + whole;
	objects.fixed.head.bytes = objects.bytes;
	memcpy(joining->to, &objects.fixed, sizeof(objects.fixed));
	joining->to += sizeof(objects.fixed);
	memcpy(at, columns, sizeof(at));
	for (uint32_t left = objects.fixed.count; left; left--)
		if (!join_object(joining, at, columns + 1))
			return false;
	joining->from += (bytes + 7) & ~(size_t)7;
	return !memcmp(at, columns + 1, sizeof(at)) && pad(joining, behind);
}

/* The records of a batch, up to here. */
static bool join_records(struct joining *joining, const uint8_t *end)
{
	while (joining->from < end) {
		struct gctrace_record head;
		size_t whole;

		if ((size_t)(end - joining->from) < sizeof(head))
			return false;
		memcpy(&head, joining->from, sizeof(head));
		whole = ((size_t)head.bytes + 7) & ~(size_t)7;
		if (head.bytes < sizeof(head) || whole > (size_t)(end - joining->from))
			return false;
		if (head.kind == GCTRACE_OBJECTS ? !join_objects(joining, head.bytes) :
						   !join_plain(joining, whole))
			return false;
	}
	return true;
}

static bool join_batch(struct joining *joining, struct record record)
{
	const uint8_t *const end = joining->from + record.bytes;
	uint8_t *const start = joining->to;
	struct gctrace_batch batch;

	if (record.bytes < sizeof(record) + sizeof(batch) || record.bytes % 8)
		return false;
	memcpy(&batch, joining->from + sizeof(record), sizeof(batch));
	if (batch.bytes != record.bytes - sizeof(record) ||
	    batch.header_bytes < sizeof(batch) || batch.header_bytes > batch.bytes ||
	    !join_plain(joining, sizeof(record) + batch.header_bytes) ||
	    !join_records(joining, end))
		return false;
	record.kind = RECORD_BATCH;
	record.bytes = (uint32_t)(joining->to - start);
	batch.bytes = record.bytes - (uint32_t)sizeof(record);
	memcpy(start, &record, sizeof(record));
	memcpy(start + sizeof(record), &batch, sizeof(batch));
	return true;
}

int split__join(struct split_part heads, struct split_part references, uint8_t *to, size_t bytes)
{
	struct joining joining = {
		.from = heads.at,
		.end = heads.at + heads.bytes,
		.references = references.at,
		.references_end = references.at + references.bytes,
		.to = to,
		.to_end = to + bytes,
	};

	while (joining.from < joining.end) {
		const size_t left = (size_t)(joining.end - joining.from);
		struct record record;

		if (left < sizeof(record))
			return -EBADMSG;
		memcpy(&record, joining.from, sizeof(record));
		if (record.bytes < sizeof(record) || record.bytes > left)
			return -EBADMSG;
		if (record.kind == RECORD_SPLIT ?
			    !join_batch(&joining, record) :
			    !join_plain(&joining, ((size_t)record.bytes + 7) & ~(size_t)7))
			return -EBADMSG;
	}
	return joining.to == joining.to_end && joining.references == joining.references_end ?
		       0 :
		       -EBADMSG;
}
