/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects that lie in one 64 KiB of addresses.
 *
 *	items     [ object object object ... ]     in the order of addresses
 *	arrivals  [ object object ]                moved here in this phase, in any order
 *	told      [ object object ... ]            of a heap dump that is not matched yet
 *
 * What moves arrives in runs: the objects of one range, in their order. A collector that compacts
 * sends them almost in order, one that copies in none.
 */
#ifndef MODEL_CHUNK_H
#define MODEL_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

#define CHUNK_SHIFT 16
#define CHUNK_BYTES (UINT64_C(1) << CHUNK_SHIFT)

struct chunk {
	uint64_t number; /* address / CHUNK_BYTES */
	struct object *items;
	struct object *arrivals;
	struct object *told;
	uint32_t count, alloc;
	uint32_t arrival_count, arrival_alloc;
	uint32_t told_count, told_alloc;
	uint32_t held[OBJECT_SLOTS];
	bool listed[OBJECT_SLOTS]; /* in objects.held */
	bool touched;		   /* in objects.touched */
	bool unsorted;		   /* the arrivals are */
	bool hit;		   /* some objects here have OBJECT_HIT */
};

static inline uint64_t chunk__address(const struct chunk *chunk, const struct object *object)
{
	return (chunk->number << CHUNK_SHIFT) + object->offset;
}

void chunk__free(struct chunk *chunk); /* NULL is fine */

/*
 * Room for so many objects and a few more. Sizes of memory are few, so that what one chunk gives
 * back is what the next one asks for: it is in the cache, and does not fall to pieces.
 */
static inline uint32_t chunk__room(uint32_t count)
{
	const uint32_t step = count < 1024 ? 16 : 64;

	return (count + step - 1) & ~(step - 1);
}

/* No objects, and nobody's list has it. */
bool chunk__is_idle(const struct chunk *chunk);

/* Index of the first object at this offset or above. */
uint32_t chunk__index(const struct chunk *chunk, uint64_t offset);

/* Room for `extra` more arrivals; guess: how many are likely to come in all. 0 or -ENOMEM. */
int chunk__reserve(struct chunk *chunk, uint32_t extra, uint32_t guess);

/* Add to chunk.told. 0 or -ENOMEM. */
int chunk__tell(struct chunk *chunk, const struct object *object);
void chunk__drop_told(struct chunk *chunk);

/* It has only its first `count` objects any more; gives memory back. */
void chunk__shrink(struct chunk *chunk, uint32_t count);

/* Take out what has OBJECT_HIT. */
void chunk__drop_hits(struct chunk *chunk);

/*
 * The last `count` arrivals, in order among themselves, have come behind others that lie above
 * them. Puts them where they belong, if that is near, while the cache has them.
 */
void chunk__put_in_order(struct chunk *chunk, uint32_t count);

/*
 * Arrivals in among the items, in the order of offsets, those that share one next to one another:
 * *may_share if there may be such. 0 or -ENOMEM.
 */
int chunk__merge(struct chunk *chunk, bool *may_share);

#endif
