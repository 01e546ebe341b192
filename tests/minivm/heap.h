/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap: one range of addresses, reserved at start, touched as it is used.
 *
 *     +------+------------+------------+---------------------+---------------------+
 *     | eden | survivor 0 | survivor 1 |  old space          |  large objects      |
 *     +------+------------+------------+---------------------+---------------------+
 *     GEN_NURSERY                      GEN_OLD               GEN_LARGE
 *
 * So an address alone says the generation. All spaces can be walked from object to object
 * (fillers in between, see object.h) whenever the world stands still and the threads' buffers
 * have been closed; large objects have a table.
 *
 * Who may touch what: mutators allocate in eden and among the large objects, and store
 * references through put() (mutator.h), whose barrier keeps the remembered set precise. All else
 * belongs to the collector, in a stopped world; only the concurrent sweep runs beside the program.
 */
#ifndef MINIVM_HEAP_H
#define MINIVM_HEAP_H

#include "object.h"

enum generation { GEN_NURSERY, GEN_OLD, GEN_LARGE, GENERATIONS };

struct heap {
	uint64_t young, young_bytes; /* addresses and sizes of the three parts */
	uint64_t old, old_bytes;
	uint64_t large, large_bytes;
	uint64_t next_id; /* atomic: ids are handed out in blocks */
};

extern struct heap heap;

void heap__init(void);

static inline bool heap__is_young(const void *o)
{
	return (uint64_t)(uintptr_t)o - heap.young < heap.young_bytes;
}

static inline bool heap__is_old(const void *o)
{
	return (uint64_t)(uintptr_t)o - heap.old < heap.old_bytes;
}

static inline bool heap__is_large(const void *o)
{
	return (uint64_t)(uintptr_t)o - heap.large < heap.large_bytes;
}

static inline enum generation heap__generation(const void *o)
{
	return heap__is_young(o) ? GEN_NURSERY : heap__is_large(o) ? GEN_LARGE : GEN_OLD;
}

/* A block of ids that nobody else gets; returns the first. */
#define HEAP_ID_BLOCK 4096u
uint64_t heap__take_ids(void);

/* A piece of a space that one thread allocates from. */
struct chunk {
	uint64_t next, end;
};

static inline struct object *chunk__take(struct chunk *chunk, uint64_t bytes)
{
	uint64_t at = chunk->next;

	if (chunk->end - at < bytes)
		return NULL;
	chunk->next = at + bytes;
	return (struct object *)(uintptr_t)at;
}

/*
 * Calls see() for each object, in order of addresses within each generation; the world stands
 * still. What a running concurrent sweep knows to be dead is left out. see() returning false ends
 * the walk, and heap__walk() returns false then.
 */
typedef bool heap__see(void *context, struct object *o);
bool heap__walk(heap__see *see, void *context);

/* The same for [start, end), which must be filled by objects and fillers. */
bool heap__walk_range(uint64_t start, uint64_t end, heap__see *see, void *context);

/* How full it is: of objects, not of pages. */
struct usage {
	uint64_t objects, bytes;
};

void heap__usage(struct usage usage[GENERATIONS]);

#endif
