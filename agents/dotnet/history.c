/* SPDX-License-Identifier: BSD-2-Clause */
#include "history.h"
#include "session.h"

#include <string.h>

/* GCGlobalHeapHistory's GlobalMechanisms. */
#define MECHANISM_CONCURRENT 1u
#define MECHANISM_COMPACTION 2u

void history__clear(struct history *history)
{
	memset(history, 0, sizeof(*history));
}

/* FinalYoungestDesired, NumHeaps, CondemnedGeneration, Gen0ReductionCount, Reason, mechanisms. */
static void note_global(struct history *history, struct payload payload)
{
	payload__u64(&payload);

	const uint32_t heaps = payload__u32(&payload);

	payload__take(&payload, 3 * sizeof(uint32_t));

	const uint32_t mechanisms = payload__u32(&payload);

	if (payload.bad)
		return;
	history->heaps = heaps;
	history->how = mechanisms & MECHANISM_COMPACTION ? GCTRACE_HOW_COMPACTING
							 : GCTRACE_HOW_SWEEPING;
	if (mechanisms & MECHANISM_CONCURRENT)
		history->how |= GCTRACE_HOW_CONCURRENT;
}

/*
 * GCPerHeapHistory_V3: u16, 6 pointers, 6 u32, a pointer, the number of generations; of each: size,
 * free list and free objects before, the same after, in, pinned, other survivors, new allocation.
 */
static void note_heap(struct history *history, struct payload payload)
{
	payload__take(&payload, 2 + 6 * 8 + 6 * 4 + 8);

	const uint32_t generations = payload__u32(&payload);

	if (generations != GENERATIONS || payload__left(&payload) < GENERATIONS * 80)
		return;
	for (unsigned i = 0; i < GENERATIONS; i++) {
		payload__u64(&payload);
		history->free_before[i] += payload__u64(&payload);
		history->free_before[i] += payload__u64(&payload);
		payload__u64(&payload);
		history->free_after[i] += payload__u64(&payload);
		history->free_after[i] += payload__u64(&payload);
		payload__u64(&payload); /* came in */
		history->survived[i] += payload__u64(&payload); /* pinned */
		history->survived[i] += payload__u64(&payload); /* others */
		payload__u64(&payload);
	}
	history->heaps_told++;
}

/* GCHeapStats_V2: size and promoted bytes of four generations; those of the fifth at the end. */
static void note_stats(struct history *history, struct payload payload)
{
	for (unsigned i = 0; i < 4; i++) {
		payload__u64(&payload);
		history->promoted[i] = payload__u64(&payload);
	}
	history->finalized_bytes = payload__u64(&payload);
	history->finalized_objects = payload__u64(&payload);
	history->pinned = payload__u32(&payload);
	history->monitors = payload__u32(&payload);
	history->handles = payload__u32(&payload);
	payload__u16(&payload);
	payload__u64(&payload);
	history->promoted[4] = payload__u64(&payload);
	history->has_stats = !payload.bad;
}

void history__note(struct history *history, uint32_t id, struct payload payload)
{
	if (id == EVENT_GLOBAL_HISTORY)
		note_global(history, payload);
	else if (id == EVENT_HEAP_HISTORY)
		note_heap(history, payload);
	else if (id == EVENT_HEAP_STATS)
		note_stats(history, payload);
}

static bool has_all_heaps(const struct history *history)
{
	return history->heaps && history->heaps_told == history->heaps;
}

static void write_stats(const struct history *history, struct gctrace_writer *writer, uint64_t gc)
{
	const uint64_t all = UINT64_MAX;

	gctrace_write_figure(writer, gc, GCTRACE_FIGURE_PINNED, all, history->pinned);
	gctrace_write_figure(writer, gc, GCTRACE_FIGURE_HANDLES, all, history->handles);
	gctrace_write_figure(writer, gc, GCTRACE_FIGURE_FINALIZED_BYTES, all,
			     history->finalized_bytes);
	gctrace_write_figure(writer, gc, GCTRACE_FIGURE_FINALIZED_OBJECTS, all,
			     history->finalized_objects);
	gctrace_write_figure(writer, gc, GCTRACE_FIGURE_MONITORS, all, history->monitors);
}

bool history__is_whole(const struct history *history)
{
	return has_all_heaps(history) && history->has_stats;
}

/* Of generations that were not condemned it says again what it said before. */
static void write_survived(const struct history *history, struct gctrace_writer *writer,
			   uint64_t gc, uint64_t generations)
{
	for (unsigned i = 0; i < GENERATIONS; i++) {
		if (generations >> i & 1)
			gctrace_write_figure(writer, gc, GCTRACE_FIGURE_PROMOTED, i,
					     has_all_heaps(history) ? history->survived[i]
							       : history->promoted[i]);
	}
}

void history__write(const struct history *history, struct gctrace_writer *writer, uint64_t gc,
		    uint64_t generations)
{
	for (unsigned i = 0; i < GENERATIONS; i++) {
		gctrace_write_figure(writer, gc, GCTRACE_FIGURE_FREE_BEFORE, i,
				     has_all_heaps(history) ? history->free_before[i] : UINT64_MAX);
		gctrace_write_figure(writer, gc, GCTRACE_FIGURE_FREE_AFTER, i,
				     has_all_heaps(history) ? history->free_after[i] : UINT64_MAX);
	}
	if (has_all_heaps(history) || history->has_stats)
		write_survived(history, writer, gc, generations);
	if (history->has_stats)
		write_stats(history, writer, gc);
}
