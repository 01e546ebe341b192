/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all collections of one target (or of several together) add up to.
 *
 * Fed with what the assembler hands out: every pause by summary__pause(), every collection
 * by summary__collection(). Both are counted whole, whatever is shown of them.
 *
 * A pause counts once, however many collections share it. Those that began before the attach or
 * lack their end are counted, but have no length.
 */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "collection.h"
#include "histogram.h"

#define SUMMARY_KINDS 32 /* of collections, by their names; all others together are one more */

struct summary_kind {
	struct text what; /* allocated; empty: all others */
	uint64_t count;
	uint64_t pause_ns;     /* sum of what is known */
	uint64_t pause_max_ns; /* of one collection */
};

struct top_pause {
	uint32_t target;
	uint64_t start_ns, ns;
	uint64_t share_ns; /* of the collection named; the one with the largest share is */
	uint64_t number;   /* of that collection; EVENT_UNKNOWN: it has not ended yet */
	struct text what;  /* of the collection, or else of the pause; allocated, as cause is */
	struct text cause; /* may be empty */
};

/* A rate: bytes over the time in which they were counted; ns 0: not known. */
struct rate {
	struct amount bytes;
	uint64_t ns;
};

struct summary {
	uint64_t start_ns, end_ns; /* the time observed, as given by whoever traces */

	uint64_t collections; /* all, those of the next lines included */
	uint64_t partial, incomplete, cut_off, concurrent;
	uint64_t may_be_two; /* above 0: `collections` is the least that there were */
	uint64_t stalled; /* that began because threads waited for room: ZGC's "Allocation Stall" */
	VEC(struct summary_kind) kinds; /* in the order of their first occurrence */

	struct histogram *pauses; /* ns of each pause for collections; NULL: no memory */
	uint64_t pauses_unmeasured; /* those below included */
	/*
	 * Of the measured ones that say how long stopping all threads took; only if none lacks it
	 * is the sum that of all.
	 */
	uint64_t suspensions, suspend_ns, suspend_max_ns;
	/*
	 * Stops that were in progress when the trace began, or when it ended: the part of them
	 * that lies inside, which is what they lasted at the least.
	 */
	uint64_t open_pauses, open_ns, open_max_ns;
	uint64_t open_since_ns; /* in progress at the end since then; EVENT_UNKNOWN: none is */
	bool had_pause;		/* of whatever kind */
	uint64_t other_pauses, other_pause_ns; /* in which no collection was seen; of those: */
	uint64_t earlier_pauses, earlier_pause_ns; /* for one that began before the trace */
	uint64_t dump_pauses, dump_pause_ns;	   /* for heap dumps */
	VEC(struct top_pause) top;	       /* by summary__sort_top(): longest first */
	size_t top_most;

	/*
	 * Allocation: what the heap grew by between the end of a collection and the start of the
	 * next one, over the time between their ends: pauses are a part of the time. The time in
	 * which a concurrent collection runs is not, nor are gaps in which one may have freed
	 * something. Of a summary of several targets this means nothing.
	 */
	struct rate allocated;
	/*
	 * Sums of those collections that tell it; not known where none does. With one estimate
	 * among them the sum is an estimate, and its limits are the sums of limits.
	 */
	struct amount moved, survived, promoted, dead; /* bytes */
	struct amount dead_objects;

	/*
	 * Of those whose ranges the runtime compares with objects of its own: how many were told
	 * whole, and of the others nothing is known by ranges; objects compared; of them elsewhere.
	 */
	uint64_t checked_collections, untold_collections, checked_objects, wrong_objects;

	/* The end of the last collection, for the next gap. */
	bool after_known;
	uint64_t after_bytes, after_ns;
};

/* top: how many of the longest pauses to keep. 0 or -ENOMEM. */
int summary__init(struct summary *summary, size_t top);
void summary__free(struct summary *summary);

/* A stop was in progress when the trace began; if no pause follows, it still is at the end. */
void summary__begin_stopped(struct summary *summary);

/* Each 0 or -ENOMEM. */
int summary__pause(struct summary *summary, const struct pause *pause, unsigned int collections);
int summary__collection(struct summary *summary, const struct collection *collection);

/* Before the longest pauses are read. */
void summary__sort_top(struct summary *summary);

/* Sum of all pauses for collections, and of what is known of those in progress at either end. */
uint64_t summary__paused_ns(const struct summary *summary);
/* Paused time by the time observed, 0 to 1. */
double summary__paused_share(const struct summary *summary);

/*
 * When both times of the trace are known: counts the stop that is in progress at its end, and
 * returns what it lasted inside (0: there is none), for the summary of several targets to add.
 */
uint64_t summary__end(struct summary *summary);
void summary__add_open(struct summary *summary, uint64_t ns);
/* The time observed; 0: none. */
uint64_t summary__observed_ns(const struct summary *summary);
/* Over the whole of the time observed. */
struct rate summary__promotion(const struct summary *summary);
/* Is there an estimate among the sums? */
bool summary__estimated(const struct summary *summary);

#endif
