/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An object in memory:
 *
 *      0        8        16              16 + 8 * references
 *     +--------+--------+---------------+----------------------+
 *     | head   | id     | references ...| plain bytes ...      |   a multiple of 8 bytes
 *     +--------+--------+---------------+----------------------+
 *
 *   head  bit 0       HEAD_FORWARDED: it has moved, the whole word without bit 0 says where to
 *         bit 1       HEAD_PINNED: never moves as long as this is set
 *         bit 2       HEAD_LEFTOVER: stays in a survivor space since an earlier collection
 *         bit 3       HEAD_MARKED: reached in this collection (large objects only)
 *         bits 4-7    age: collections survived in the nursery
 *         bits 16-31  class
 *         bits 32-63  length: elements of an array; 0 of an instance
 *   id    a number that no other object of this process has or had
 *
 * Class 0 is the filler: what is not an object in a space that is walked from one object to the
 * next. A filler of 8 bytes is the head alone; its length is its size in words.
 *
 * The first plain word of an object holds a number made from its id, by which the self-check
 * (verify.c) sees a copy that went wrong.
 */
#ifndef MINIVM_OBJECT_H
#define MINIVM_OBJECT_H

#include "base.h"

/* A word of the heap, whatever it holds. */
typedef uint64_t __attribute__((may_alias)) word;

struct object {
	uint64_t head;
	uint64_t id;
	struct object *refs[];
};

#define HEAD_FORWARDED 0x1u
#define HEAD_PINNED 0x2u
#define HEAD_LEFTOVER 0x4u
#define HEAD_MARKED 0x8u
#define HEAD_FLAGS 0xfu
#define HEAD_AGE_SHIFT 4
#define HEAD_AGE_MASK 0xf0u
#define HEAD_AGE_MAX 15u

/*
 * What a collector has to know of a class, in 8 bytes:
 * size = base + (length << shift), rounded up to 8; references = all + (length & lengths).
 */
struct shape {
	uint16_t base;	 /* bytes of an instance, header included */
	uint8_t shift;	 /* an array's element is 1 << shift bytes */
	uint8_t all;	 /* reference fields of an instance */
	uint8_t strong;	 /* the first `strong` of them keep alive what they refer to */
	uint8_t lengths; /* 1: the elements are references */
};

extern struct shape shapes[];

static inline uint64_t head__make(unsigned class_, uint64_t length)
{
	return length << 32 | (uint64_t)class_ << 16;
}

static inline unsigned head__class(uint64_t head)
{
	return (unsigned)(head >> 16) & 0xffff;
}

static inline uint64_t head__length(uint64_t head)
{
	return head >> 32;
}

static inline unsigned head__age(uint64_t head)
{
	return (unsigned)(head & HEAD_AGE_MASK) >> HEAD_AGE_SHIFT;
}

static inline uint64_t shape__size(const struct shape *shape, uint64_t length)
{
	return (shape->base + (length << shape->shift) + 7) & ~(uint64_t)7;
}

static inline uint64_t head__size(uint64_t head)
{
	return shape__size(&shapes[head__class(head)], head__length(head));
}

static inline uint64_t object__head(const struct object *o)
{
	return __atomic_load_n(&o->head, __ATOMIC_RELAXED);
}

static inline unsigned object__class(const struct object *o)
{
	return head__class(object__head(o));
}

static inline uint64_t object__size(const struct object *o)
{
	return head__size(object__head(o));
}

/* All reference slots, or those that keep alive what they refer to. */
static inline uint64_t head__refs(uint64_t head)
{
	const struct shape *shape = &shapes[head__class(head)];

	return shape->all + (shape->lengths ? head__length(head) : 0);
}

static inline uint64_t head__strong_refs(uint64_t head)
{
	const struct shape *shape = &shapes[head__class(head)];

	return shape->strong + (shape->lengths ? head__length(head) : 0);
}

static inline struct object *slot__load(struct object *const *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static inline void slot__store(struct object **slot, struct object *o)
{
	__atomic_store_n(slot, o, __ATOMIC_RELAXED);
}

/* Makes [start, start + bytes) one filler; bytes: a multiple of 8, 0 is legal. */
static inline void filler__write(uint64_t start, uint64_t bytes)
{
	if (bytes)
		*(word *)(uintptr_t)start = head__make(0, bytes >> 3);
}

/* The n-th plain word of an object. */
static inline word *object__plain(struct object *o, uint64_t n)
{
	return (word *)o + 2 + head__refs(object__head(o)) + n;
}

static inline uint64_t object__pattern(uint64_t id)
{
	return id * 0x9e3779b97f4a7c15u | 1;
}

#endif
