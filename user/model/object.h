/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One object that is followed, in 22 bytes. Its address is its chunk's (chunk.h) and 16 bits of its
 * own: any address will do, aligned or not.
 *
 * WHAT IS LIMITED, AND HOW IT SHOWS
 *
 *	id      40 bits, never used twice in a target. Objects beyond are not taken, and counted.
 *	type    24 bits, an index of types.h; the last one stands for all further types.
 *	size    32 bits; larger sizes stand elsewhere. objects__size() knows both.
 *	birth   24 bits, the collection that ended last before the object was first seen;
 *	        OBJECT_BIRTH_MOST means that or a later one.
 *	age, moves   16 bits; OBJECT_COUNT_MOST means that many or more.
 *
 * Up to OBJECT_SLOTS collections that run at the same time have a slot each, and in it every object
 * has a state.
 */
#ifndef MODEL_OBJECT_H
#define MODEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#define OBJECT_SLOTS 3
#define OBJECT_TYPE_MOST ((1u << 24) - 1)
#define OBJECT_BIRTH_MOST ((1u << 24) - 1)
#define OBJECT_COUNT_MOST UINT16_MAX
#define OBJECT_ID_MOST ((UINT64_C(1) << 40) - 1)

enum object_state {
	OBJECT_UNTOUCHED = 0, /* not condemned by it; lives, whatever it says */
	OBJECT_CONDEMNED = 1, /* dead, unless a range has it */
	OBJECT_PERHAPS = 2,   /* may have been condemned: nothing is known, unless a range has it */
	OBJECT_COVERED = 3    /* was condemned, and a range had it */
};

enum object_flags {
	OBJECT_STATES = 0x3f, /* two bits for each slot */
	OBJECT_BORN = 0x40,   /* its birth was observed: age is exact, not a lower bound */
	OBJECT_HIT = 0x80     /* something moved onto it; gone when the phase is over */
};

struct object {
	uint32_t id_low;
	uint32_t id_high : 8;
	uint32_t type : 24;
	uint32_t size; /* bytes; UINT32_MAX: see objects__size() */
	uint32_t birth : 24;
	uint8_t flags;	 /* set of enum object_flags */
	uint16_t offset; /* in its chunk */
	uint16_t age;	 /* collections that condemned it and that it survived, if known */
	uint16_t moves;	 /* collections' phases that moved it */
} __attribute__((packed, aligned(2)));
_Static_assert(sizeof(struct object) == 22, "22 bytes an object");

int object__by_offset(const void *a, const void *b); /* for qsort() */

/* How an object leaves the table. */
enum object_fate {
	OBJECT_DEAD,	  /* condemned, and in no range */
	OBJECT_GONE,	  /* not in a later dump of the whole heap */
	OBJECT_WITHDRAWN, /* what was known of it is not any more: may live, may not */
	OBJECT_CONFLICT	  /* another object was found in its place */
};

static inline uint64_t object__id(const struct object *object)
{
	return (uint64_t)object->id_high << 32 | object->id_low;
}

static inline enum object_state object__state(const struct object *object, unsigned int slot)
{
	return (enum object_state)(object->flags >> (2 * slot) & 3);
}

static inline void object__set_state(struct object *object, unsigned int slot,
				     enum object_state state)
{
	object->flags = (object->flags & ~(3u << (2 * slot))) | (unsigned int)state << (2 * slot);
}

/* Has the collection of that slot (perhaps) condemned it, and no range has had it yet? */
static inline bool object__is_open(const struct object *object, unsigned int slot)
{
	const unsigned int state = object->flags >> (2 * slot);

	return (state ^ state >> 1) & 1;
}

#endif
