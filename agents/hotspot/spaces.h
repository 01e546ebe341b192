/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap as far as samples need it: how many collections there were, and in which generation an
 * address lies. Both are read from the JVM's own structures; what this JVM does not export is not
 * known, and not told.
 *
 * THE COUNT is CollectedHeap::_total_collections, for collectors that stop the world. The pauses of
 * JVMTI's events will not do: those of G1's concurrent cycle (remark, cleanup) collect nothing and
 * are told as collections. Nor is the count alone right: it grows at the cleanup, too, so that no
 * pause takes place beside it (G1ConcurrentMark::cleanup()). What tells them apart are the regions
 * of the young generation: a young collection leaves none of them what it was, a cleanup all. Full
 * collections are counted beside the others, and so are seen where there is nothing young.
 */
#ifndef GCTRACE_HOTSPOT_SPACES_H
#define GCTRACE_HOTSPOT_SPACES_H

#include <stdbool.h>
#include <stdint.h>

enum spaces_generation {
	SPACES_UNKNOWN = -1,
	SPACES_YOUNG = 0,
	SPACES_OLD = 1
};

/* Behind vmstructs__find(). False: there is no count. */
bool spaces__find(void);

/* Does the collector move objects and let them die while the program runs? */
bool spaces__are_concurrent(void);

/* In a pause, by whichever thread tells it; the end answers the collections so far. */
void spaces__pause_begins(void);
uint64_t spaces__pause_ends(void);

/* Are generations known at all? */
bool spaces__have_generations(void);

/* Legal in a pause. */
enum spaces_generation spaces__generation(uint64_t address);

#endif
