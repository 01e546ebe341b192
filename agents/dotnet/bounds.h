/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the generations lie, and how large they are: what the runtime's GetGenerationBounds says.
 * Its own table is made anew when a collection starts and when it ends; it was seen to be right,
 * to the byte, in the callbacks GarbageCollectionStarted and GarbageCollectionFinished (compared
 * with GCPerHeapHistory and GCHeapStats of .NET 10), and is looked at only there.
 *
 * A size is what a generation spans: what is free between its objects is in it.
 */
#ifndef GCTRACE_DOTNET_BOUNDS_H
#define GCTRACE_DOTNET_BOUNDS_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "clr.h"

#define GENERATIONS 5 /* 0, 1, 2, large objects, pinned objects */

/* Gets memory for the first look. Once; false: no memory. */
bool bounds__init(void);

/*
 * Memory for as many parts as there may be soon; by the watcher's thread, at each look. A heap of
 * which there are more parts than room for them is not known until then.
 */
void bounds__make_room(void);

/* By the thread that the runtime calls back, in the two callbacks. Sorts the parts by address. */
void bounds__look(void);

/* Is there anything known? */
bool bounds__are_known(void);

/* Bytes of each generation; UINT64_MAX where nothing is known. */
void bounds__sizes(uint64_t sizes[GENERATIONS]);

/* Addresses that are all of one generation. Of none: no bytes. */
struct bounds_part {
	uint64_t start, bytes;
	uint32_t generation;
};

static inline bool bounds_part__has(const struct bounds_part *part, uint64_t address)
{
	return address - part->start < part->bytes;
}

/*
 * Did a young collection take gen1 along? From where gen1 lay when it was remembered: one of gen0
 * alone leaves all of it in gen1, and gen2 as it was. Both behind bounds__look().
 */
void bounds__remember(void);
bool bounds__gen1_was_collected(void);

/*
 * The part that an address lies in; where it lies in none, one without bytes, of the generation
 * `otherwise`. Neighbours are mostly in the same: who has one asks bounds_part__has() first. By any
 * thread of the collector.
 */
struct bounds_part bounds__part(uint64_t address, uint32_t otherwise);

/* Writes them all. */
void bounds__write(struct gctrace_writer *writer, enum gctrace_when when, uint64_t gc);

#endif
