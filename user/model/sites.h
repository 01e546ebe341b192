/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampled allocations of one target: where they were made, what became of them, what they
 * stand for. The producer samples (estimate.h says how), follows each sample by its number, tells
 * of each collection what it did to them (wire.h: OBJECT_ALLOC, SAMPLES); this is the book.
 *
 *	sites__event(&sites, event)	OBJECT_ALLOC, SAMPLES, DEFINE, CLASS, LOSS; no others
 *	site_groups__update(...)	by what it is looked at (site_groups.h)
 *	site_rows__take(...)		what there is (site_rows.h)
 *
 * Samples stand by their SPOT (site_spots.h), a stack and a type. The AGE of a sample is the number
 * of collections that ended since its allocation.
 *
 * WHO COMES LATE. Samples that were there before we were are told again, followed by a list of all
 * (SAMPLES with SAMPLES_ALL): they live, but their allocation was not observed and is in no figure
 * of what was allocated, died young or was promoted.
 *
 * WHO DOES NOT FOLLOW its samples (SAMPLES_UNFOLLOWED) leaves us what was allocated: none is in
 * `living`, and of what lives, died or is old nothing is known; that is absent, not 0.
 *
 * THE HEAP IN USE. What lives cannot be more than the heap in use. Each collection reports how much
 * that is at its end (sites__collection()); it counts from the first look at samples after that,
 * when the dead of that collection are known. What is alive of the samples reported before its end
 * is a part of it, however many collections have come since (site_rows.h compares them).
 *
 * WHAT IS LOST. An allocation that is lost makes estimates too low, a loss of SAMPLES makes dead
 * ones live: `doubted` from any loss on to the next list of all, which puts the living right. What
 * was allocated in between stays too low, and the loss is told with all others.
 */
#ifndef MODEL_SITES_H
#define MODEL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "collection.h"
#include "estimate.h"
#include "samples.h"
#include "site_spots.h"
#include "stacks.h"
#include "stream/event.h"
#include "types.h"

/*
 * What the last collection did, as far as samples tell. `reached`: that it found alive and
 * touched: by moving them, or (of samples nobody had looked at) by being the first that they
 * lived to see.
 */
struct site_turn {
	uint64_t gc, time_ns;
	struct estimate moved, reached, promoted, died;
	bool is_doubted; /* by who told it, or of samples whose allocation was not told */
	bool has_more;	 /* parts of it are to come */
};

/* Of a sample that dies, while it is still there. */
struct site_sink {
	void (*died)(void *context, const struct living *sample);
	void *context;
};

/* The heap in use at the end of a collection; all zero: none. */
struct site_heap {
	uint64_t end_ns, bytes;
	uint64_t after_ns; /* a look at samples after this one knows which died in it */
};

struct sites {
	struct samples living;
	struct stacks stacks;
	struct types types;
	struct site_spots spots;
	struct site_sink sink;

	uint64_t gc;	   /* collections that have ended, as the producer counts */
	struct sampler sampler; /* the largest interval that was told; repeats as of now */
	uint64_t turns;	   /* collections that told of samples since we look */
	uint64_t first_ns; /* since when we look; EVENT_UNKNOWN: nothing was told yet */
	uint64_t last_ns;
	bool begun;	   /* a collection or a list was told */
	bool generations;  /* the producer tells them */
	bool unfollowed;   /* it follows no sample: only what was allocated is known */
	bool doubted;	   /* something was lost, and no list of all came since */
	bool lost;	   /* something was lost at some time */
	bool listing, spoiled; /* a list is being told; something was lost meanwhile */
	uint64_t old_died_gc;  /* the last collection that an old sample died in; 0: none */
	uint64_t seen, died, unknown; /* samples; unknown: told of, but never their allocation */
	struct site_turn turn;
	struct site_heap heap, next_heap; /* next: that no look at samples came after yet */
	uint64_t looked_ns; /* the last look that was reported completely; 0: none */
	bool missed;	    /* dead ones may be among the living, until a list of all */
};

/* All zero is an empty book, but for first_ns. */
#define SITES_INIT { .first_ns = EVENT_UNKNOWN }

/* 0 or -ENOMEM. */
int sites__event(struct sites *sites, const struct event *event);

/* One that has ended. */
void sites__collection(struct sites *sites, const struct collection *collection);

/* Do its objects differ in size: as their samples show, or as arrays by their name? */
bool sites__varies(const struct sites *sites, const struct site_spot *spot);

static inline uint64_t sites__age(const struct sites *sites, const struct living *sample)
{
	return sites->gc > sample->gc ? sites->gc - sample->gc : 0;
}

void sites__free(struct sites *sites);

#endif
