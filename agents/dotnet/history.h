/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the runtime has counted itself in one collection: whether it compacted
 * (GCGlobalHeapHistory), of each generation the bytes on free lists and in free objects
 * (GCPerHeapHistory, one event a heap), what was promoted, pinned, finalized (GCHeapStats). They
 * come in any order.
 */
#ifndef GCTRACE_DOTNET_HISTORY_H
#define GCTRACE_DOTNET_HISTORY_H

#include "bounds.h"
#include "payload.h"

struct history {
	uint32_t heaps;	       /* how many there are; 0: not told */
	uint32_t heaps_told;
	uint32_t how;	       /* enum gctrace_how, 0: not told */
	uint64_t free_before[GENERATIONS], free_after[GENERATIONS];
	uint64_t survived[GENERATIONS];
	bool has_stats;
	uint64_t promoted[GENERATIONS]; /* of pinned objects it says 0 (seen with .NET 10) */
	uint64_t finalized_bytes, finalized_objects;
	uint32_t pinned, monitors, handles;
};

void history__clear(struct history *history);

/* GLOBAL_HISTORY, HEAP_HISTORY or HEAP_STATS; others are ignored. */
void history__note(struct history *history, uint32_t id, struct payload payload);

/* Nothing more is to come. */
bool history__is_whole(const struct history *history);

/* Writes it all. generations: the mask of what was condemned. */
void history__write(const struct history *history, struct gctrace_writer *writer, uint64_t gc,
		    uint64_t generations);

#endif
