/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An object of a record OBJECTS (wire.h) as most are, taken apart without a look at its references:
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
 * That is for objects in the midst of a record. All others (with parts or flags of their own, odd
 * addresses, near the record's end, with numbers that are too long) are for object_reader.h, number
 * by number. What is read here is well-formed for that too.
 */
#ifndef STREAM_NEAR_OBJECT_H
#define STREAM_NEAR_OBJECT_H

#include <string.h>

#include "gctrace/wire.h"
#include "varint.h"

#define NUMBER_MOST 10		     /* bytes */
#define NUMBER_ENDS UINT64_C(0x8080808080808080)
#define NEAR_OBJECT_BYTES (1 + 4 * NUMBER_MOST + 8) /* of its head, and of one step */

struct number {
	const uint8_t *behind; /* NULL: it is malformed */
	uint64_t value;
};

struct near_object {
	struct number address, class_, size, count;
	const uint8_t *behind;
};

struct number near_object__long_number(const uint8_t *at);
const uint8_t *near_object__skip_many(const uint8_t *at, const uint8_t *end, uint64_t count,
				      bool flags);

/* Where NUMBER_MOST bytes are there. */
static inline struct number number_at(const uint8_t *at)
{
	if (at[0] < 0x80)
		return (struct number){ at + 1, at[0] };
	if (at[1] < 0x80)
		return (struct number){ at + 2, (at[0] & 0x7fu) | (uint32_t)at[1] << 7 };
	return near_object__long_number(at);
}

/* A bit for each of eight bytes that ends a number. */
static inline uint64_t number_stops(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return ~word & NUMBER_ENDS;
}

/* Behind the first byte of these that ends a number. */
static inline const uint8_t *number_behind(const uint8_t *at, uint64_t stops)
{
	return at + (__builtin_ctzll(stops) >> 3) + 1;
}

/* One of these numbers takes five bytes or more: as flags it might be malformed. */
static inline bool number_is_long(uint64_t stops)
{
	const uint64_t on = ~stops & NUMBER_ENDS, pairs = on & on >> 8;

	return pairs & pairs >> 16;
}

/* So many numbers; eight bytes are there. NULL: look closer. */
static inline const uint8_t *near_object__skip(const uint8_t *at, const uint8_t *end,
					       uint64_t count, bool flags)
{
	uint64_t stops = number_stops(at);

	if (!count)
		return at;
	if (count > 4 || (flags && number_is_long(stops)))
		return near_object__skip_many(at, end, count, flags);
	for (uint64_t i = 1; i < count; i++)
		stops &= stops - 1;
	return stops ? number_behind(at, stops) :
		       near_object__skip_many(at, end, count, flags);
}

/* Numbers that all references of such an object take. */
static inline uint64_t near_object__numbers(unsigned int bits, uint64_t references)
{
	return references * (1 + (bits & GCTRACE_PLACE_OFFSET) +
			     ((bits & GCTRACE_OBJECT_REF_FLAGS) != 0));
}

/* False: read it number by number. */
static inline bool near_object__read(const uint8_t *at, const uint8_t *end,
				     struct near_object *object)
{
	unsigned int bits;

	if (end - at < NEAR_OBJECT_BYTES)
		return false;
	bits = *at;
	if (bits & ~(unsigned int)(GCTRACE_PLACE_MASK | GCTRACE_OBJECT_REF_FLAGS))
		return false;
	object->address = number_at(at + 1);
	if (!object->address.behind)
		return false;
	object->class_ = number_at(object->address.behind);
	if (!object->class_.behind)
		return false;
	object->size = number_at(object->class_.behind);
	if (!object->size.behind)
		return false;
	object->count = number_at(object->size.behind);
	if (!object->count.behind || object->count.value > UINT32_MAX)
		return false;
	object->behind = near_object__skip(object->count.behind, end,
					   near_object__numbers(bits, object->count.value),
					   bits & GCTRACE_OBJECT_REF_FLAGS);
	return object->behind;
}

#endif
