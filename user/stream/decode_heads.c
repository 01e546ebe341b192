/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects without their references, for who counts objects only.
 *
 *	| bits | address | class | size | number | reference | reference | ...
 *	  '--------------- read ----------------'  '------- skipped -------'
 *
 * A reference is not decoded to be skipped: a number ends with the byte whose high bit is clear, so
 * eight bytes at once tell where the n-th number from here ends:
 *
 *	w          83 91 04  7f  a0 02  ff ff        stops = ~w & 0x80 in each byte
 *	stops       .  .  *   *   .  *   .  .        three numbers, the third ends with byte 5
 *
 * Each step begins where a number does, and goes to behind the last one that ends in the eight
 * bytes; so none that ended was longer than they are, and none needs to be looked at for its value.
 *
 * That is for objects as most are, in the midst of a record. All others (with parts or flags of
 * their own, odd addresses, near the record's end, with numbers that are too long) are read number
 * by number like those whose references are wanted, by the same functions: so what
 * decode__objects() finds malformed is malformed here, and what it tells before that is told.
 */
#include "decoding.h"
#include "object_reader.h"

#define ENDS UINT64_C(0x8080808080808080)
#define NUMBER_MOST 10		     /* bytes */
#define NEAR (1 + 4 * NUMBER_MOST + 8) /* bytes of a head as most are, and of one step */

struct number {
	const uint8_t *behind; /* NULL: it is malformed */
	uint64_t value;
};

static __attribute__((noinline)) struct number long_number(const uint8_t *at)
{
	struct cursor cursor = { at, at + NUMBER_MOST, false };
	const uint64_t value = varint__long(&cursor);

	return (struct number){ cursor.bad ? NULL : cursor.at, value };
}

static inline struct number number_at(const uint8_t *at)
{
	if (at[0] < 0x80)
		return (struct number){ at + 1, at[0] };
	if (at[1] < 0x80)
		return (struct number){ at + 2, (at[0] & 0x7fu) | (uint32_t)at[1] << 7 };
	return long_number(at);
}

static inline uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Behind the last byte of these that is marked, from the first. */
static inline const uint8_t *behind_first(const uint8_t *at, uint64_t marks)
{
	return at + (__builtin_ctzll(marks) >> 3) + 1;
}

/* One of these numbers takes five bytes or more: as flags it might be malformed. */
static inline bool has_long(uint64_t word)
{
	const uint64_t on = word & ENDS, pairs = on & on >> 8;

	return pairs & pairs >> 16;
}

/* NULL: look closer. */
static __attribute__((noinline)) const uint8_t *skip_many(const uint8_t *at, const uint8_t *end,
							  uint64_t count, bool flags)
{
	while ((size_t)(end - at) >= sizeof(uint64_t)) {
		const uint64_t word = word_at(at);
		uint64_t stops = ~word & ENDS, found;

		if (!stops || (flags && has_long(word)))
			return NULL;
		found = (stops >> 7) * UINT64_C(0x0101010101010101) >> 56;
		if (found >= count) {
			while (--count)
				stops &= stops - 1;
			return behind_first(at, stops);
		}
		count -= found;
		at += 8 - (__builtin_clzll(stops) >> 3);
	}
	return NULL;
}

/* At least eight bytes are there. NULL: look closer. */
static inline const uint8_t *skip(const uint8_t *at, const uint8_t *end, uint64_t count, bool flags)
{
	const uint64_t word = word_at(at);
	uint64_t stops = ~word & ENDS;

	if (!count)
		return at;
	if (count > 4 || (flags && has_long(word)))
		return skip_many(at, end, count, flags);
	for (uint64_t i = 1; i < count; i++)
		stops &= stops - 1;
	return stops ? behind_first(at, stops) : skip_many(at, end, count, flags);
}

/* An object as most are. Answers what stands behind it; NULL: read it number by number. */
static inline const uint8_t *read_near(const uint8_t *at, const uint8_t *end, uint64_t last,
				       struct object_head *head)
{
	const unsigned int bits = *at;
	const bool flags = bits & GCTRACE_OBJECT_REF_FLAGS;
	struct number address, class_, size, count;

	if (bits & ~(unsigned int)(GCTRACE_PLACE_MASK | GCTRACE_OBJECT_REF_FLAGS))
		return NULL;
	address = number_at(at + 1);
	if (!address.behind)
		return NULL;
	class_ = number_at(address.behind);
	if (!class_.behind)
		return NULL;
	size = number_at(class_.behind);
	if (!size.behind)
		return NULL;
	count = number_at(size.behind);
	if (!count.behind || count.value > UINT32_MAX)
		return NULL;
	head->id = ((last >> 3) + varint__unzigzag(address.value)) << 3;
	head->class_ = class_.value;
	head->size = size.value << 3;
	return skip(count.behind, end, count.value * (1 + (bits & GCTRACE_PLACE_OFFSET) + flags),
		    flags);
}

/* Any object: how many heads it tells, 1 or 0. It may be malformed behind its head. */
static size_t read_far(struct object_reader *reader, struct object_head *head)
{
	struct event event;
	struct reference passed_over;
	uint64_t some;

	object_reader__head(reader, &event);
	some = reader->left < DECODE_CHUNK ? reader->left : DECODE_CHUNK;
	for (reader->left -= some; some && !reader->cursor.bad; some--)
		object_reader__reference(reader, event.object.id, &passed_over);
	if (reader->cursor.bad)
		return 0;
	*head = (struct object_head){ event.object.id, event.object.class_, event.object.size };
	for (; reader->left && !reader->cursor.bad; reader->left--)
		object_reader__reference(reader, event.object.id, &passed_over);
	return 1;
}

/* Up to so many objects, and to DECODE_CHUNK; how many it told. */
static size_t read_some(struct object_reader *reader, uint32_t *left, struct object_head *heads)
{
	const uint8_t *at = reader->cursor.at, *const end = reader->cursor.end;
	uint64_t last = reader->last;
	size_t told = 0;

	for (; *left && told < DECODE_CHUNK && !reader->cursor.bad; --*left) {
		const uint8_t *behind = NULL;

		if (end - at >= NEAR)
			behind = read_near(at, end, last, &heads[told]);
		if (behind) {
			at = behind;
			last = heads[told++].id;
			continue;
		}
		reader->cursor.at = at;
		reader->last = last;
		told += read_far(reader, &heads[told]);
		at = reader->cursor.at;
		last = reader->last;
	}
	reader->cursor.at = at;
	reader->last = last;
	return told;
}

int decode__heads(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_HEADS);
	struct gctrace_objects fixed;
	struct object_reader reader;
	uint32_t left;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	reader = (struct object_reader){
		.cursor = { at + sizeof(fixed), at + bytes, false },
		.last = fixed.base,
	};
	event.heads.heads = decoder->room->chunk.heads;
	for (left = fixed.count; left && !reader.cursor.bad && !decoder->answer;) {
		event.heads.count = read_some(&reader, &left, decoder->room->chunk.heads);
		if (event.heads.count)
			decoder__tell(decoder, &event);
	}
	return decoder->answer ? decoder->answer : reader.cursor.bad ? -EBADMSG : 0;
}

int decode__single_head(struct decoder *decoder, const struct record_call *call)
{
	const struct object_head head = { call->args[0], call->args[2],
					  event__size(call->args[3]) };
	struct event event = decoder__event(decoder, EVENT_HEADS);

	event.heads.heads = &head;
	event.heads.count = 1;
	return decoder__tell(decoder, &event);
}
