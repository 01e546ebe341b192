/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is alive in the old space: two bitmaps with a bit for each 8 bytes.
 *
 *     objects     |  A (24 bytes) | dead (16)  |  B (16) |  C (24)        |
 *     starts        1    0    0      0    0      1   0     1    0    0
 *     live          1    1    1      0    0      1   1     1    1    1
 *                   \____run____/  \__hole__/  \__________run__________/
 *
 * 64 bits are a block of 512 bytes. A run of live bits is a block of contiguous live objects:
 * exactly a range that a collection reports; a run of zeros is a hole to put into a free list;
 * and the ones below an object, counted, say where it slides to. None of that looks at objects.
 */
#ifndef MINIVM_MARKS_H
#define MINIVM_MARKS_H

#include "heap.h"

#define BLOCK_BYTES 512u

struct marks {
	uint64_t *starts, *live;
};

extern struct marks marks;

void marks__init(void);
/* Clears what concerns [heap.old, end). */
void marks__clear(uint64_t end);

static inline uint64_t marks__bit(uint64_t address)
{
	return (address - heap.old) >> 3;
}

static inline uint64_t marks__address(uint64_t bit)
{
	return heap.old + (bit << 3);
}

static inline bool marks__has(const struct object *o)
{
	const uint64_t bit = marks__bit((uint64_t)(uintptr_t)o);

	return __atomic_load_n(&marks.starts[bit >> 6], __ATOMIC_RELAXED) >> (bit & 63) & 1;
}

/* Is the word at address part of a live object? */
static inline bool marks__is_live(uint64_t address)
{
	const uint64_t bit = marks__bit(address);

	return marks.live[bit >> 6] >> (bit & 63) & 1;
}

/* Sets the start bit; false: somebody else has done so. parallel: others may be at it too. */
ALWAYS_INLINE bool marks__claim(const struct object *o, bool parallel)
{
	const uint64_t bit = marks__bit((uint64_t)(uintptr_t)o), mask = (uint64_t)1 << (bit & 63);
	uint64_t *word = &marks.starts[bit >> 6];

	if (parallel) {
		if (__atomic_load_n(word, __ATOMIC_RELAXED) & mask)
			return false;
		return !(__atomic_fetch_or(word, mask, __ATOMIC_RELAXED) & mask);
	}
	if (*word & mask)
		return false;
	*word |= mask;
	return true;
}

ALWAYS_INLINE void marks__or(uint64_t *word, uint64_t mask, bool parallel)
{
	if (parallel)
		__atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
	else
		*word |= mask;
}

/* Sets the live bits of a claimed object. */
ALWAYS_INLINE void marks__set_live(uint64_t address, uint64_t bytes, bool parallel)
{
	uint64_t bit = marks__bit(address), left = bytes >> 3, *word = &marks.live[bit >> 6];
	uint64_t room = 64 - (bit & 63), n = left < room ? left : room;

	marks__or(word, (n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << (bit & 63), parallel);
	for (left -= n; left >= 64; left -= 64)
		marks__or(++word, ~(uint64_t)0, parallel);
	if (left)
		marks__or(++word, ((uint64_t)1 << left) - 1, parallel);
}

/* Takes an object out of both, as if it were dead. */
void marks__unset(uint64_t address, uint64_t bytes);

/* The first bit in [from, to) that is set (or not set), else `to`. */
uint64_t marks__next_set(const uint64_t *map, uint64_t from, uint64_t to);
uint64_t marks__next_clear(const uint64_t *map, uint64_t from, uint64_t to);

/* The first object that starts in [address, end), else end. */
static inline uint64_t marks__next_start(uint64_t address, uint64_t end)
{
	return marks__address(marks__next_set(marks.starts, marks__bit(address), marks__bit(end)));
}

#endif
