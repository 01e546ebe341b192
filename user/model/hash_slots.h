/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of indices into an array that somebody else keeps. All zero is an empty one.
 *
 *	for (at = hash_slots__first(slots, hash); slots->of[at]; at = hash_slots__next(slots, at))
 *		if (items[slots->of[at] - 1] is the one)
 *			...
 */
#ifndef MODEL_HASH_SLOTS_H
#define MODEL_HASH_SLOTS_H

#include <stdint.h>

#include "memory.h"

struct hash_slots {
	uint32_t *of; /* index + 1; 0: free */
	uint32_t mask, count;
};

static inline uint64_t hash__mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Call hash_slots__room() once before the first use. */
static inline uint32_t hash_slots__first(const struct hash_slots *slots, uint64_t hash)
{
	return (uint32_t)(hash >> 20) & slots->mask;
}

static inline uint32_t hash_slots__next(const struct hash_slots *slots, uint32_t at)
{
	return (at + 1) & slots->mask;
}

/*
 * Room for one more; hash(context, index) tells what each had. After it `first` and `next` start
 * anew. 0, -ENOMEM or -EDQUOT.
 */
int hash_slots__room(struct hash_slots *slots, struct memory *memory,
		     uint64_t (*hash)(const void *context, uint32_t index), const void *context);

void hash_slots__free(struct hash_slots *slots, struct memory *memory);

#endif
