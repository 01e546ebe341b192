/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which objects a dump has named, and which it has visited: two bits for each 8 bytes of address.
 *
 *	id  | 128 MiB | 256 bytes |       a leaf for each 128 MiB in which there is an object,
 *	       tops       word            4 MiB of address space; pages come as they are touched
 *
 * It is looked at in the order of the references, that is in none: huge pages save a fifth of a
 * dump's time where the system gives them.
 *
 * WHERE IT ENDS. An object's first 8 bytes have its bits, those of the others are free. Where its
 * size is still to be asked for, the last 8 bytes of it are marked as visited and not as reported,
 * which no object is. One of 8 bytes in all has no such mark.
 *
 * So it needs to know nothing of where the heap lies. All of it is given back after a dump.
 */
#ifndef GCTRACE_HOTSPOT_SEEN_H
#define GCTRACE_HOTSPOT_SEEN_H

#include <gctrace/wire.h>

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/region.h"

#define SEEN_ADDRESS_BITS 48
#define SEEN_LEAF_BITS 27
#define SEEN_WORD_BITS 8
#define SEEN_LEAF_BYTES (sizeof(uint64_t) << (SEEN_LEAF_BITS - SEEN_WORD_BITS))

/* The bits are the flags of a reference to the object (spec S1). */
enum seen_marks {
	SEEN_REPORTED = GCTRACE_ALREADY_REPORTED,
	SEEN_VISITED = GCTRACE_ALREADY_VISITED,
	SEEN_NO_ROOM = 4 /* never set: the answer where there is no room for a mark */
};

struct seen {
	struct region tops;	/* uint32_t: leaf + 1; 0: none */
	struct region leaves;
};

extern struct seen seen;

/* Once, outside of a pause. False: no address space. */
bool seen__init(void);
void seen__empty(void);

/* The word with the id's bits, in a leaf that is new. NULL: no room. */
uint64_t *seen__add_leaf(uint64_t id);

/* NULL: nothing is marked near it. */
static inline uint64_t *seen__find_word(uint64_t id)
{
	const uint64_t words = SEEN_LEAF_BYTES / sizeof(uint64_t);
	const uint64_t word = id >> SEEN_WORD_BITS & (words - 1);
	uint32_t leaf;

	if (id >> SEEN_ADDRESS_BITS)
		return NULL;
	leaf = ((const uint32_t *)(const void *)seen.tops.at)[id >> SEEN_LEAF_BITS];
	if (!leaf)
		return NULL;
	return (uint64_t *)(void *)(seen.leaves.at + (leaf - 1) * SEEN_LEAF_BYTES) + word;
}

static inline uint64_t *seen__word(uint64_t id)
{
	uint64_t *word = seen__find_word(id);

	return word ? word : seen__add_leaf(id);
}

/* Sets marks of an object; the answer is what was set before. */
static inline unsigned seen__mark(uint64_t id, unsigned marks)
{
	const unsigned shift = (unsigned)(id >> 3 & 31) * 2;
	uint64_t *word = seen__word(id);
	unsigned before;

	if (!word)
		return SEEN_NO_ROOM;
	before = (unsigned)(*word >> shift) & 3;
	if ((before & marks) != marks)
		*word |= (uint64_t)marks << shift;
	return before;
}

/* Where an object ends that is marked. False: no room. */
static inline bool seen__mark_end(uint64_t id, uint64_t size)
{
	return size <= 8 || seen__mark(id + size - 8, SEEN_VISITED) != SEEN_NO_ROOM;
}

/* How long an object is whose end was marked. */
uint64_t seen__bytes(uint64_t id);

#endif
