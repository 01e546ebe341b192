/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collection that has ended, as the views show it: one line of the stream.
 *
 * Whoever hands out a struct collection (user/model/assembler.h) owns it and all that it points
 * to; it is valid during the call, no longer, and nobody else frees anything of it. Texts are the
 * target's own bytes where it named something (not terminated, hostile until escaped), else
 * static words of gctrace. Times are CLOCK_MONOTONIC nanoseconds, sizes bytes, addresses never
 * occur. A number that nobody told is EVENT_UNKNOWN, an amount that nobody told is not known:
 * neither is ever printed, least of all as 0.
 */
#ifndef MODEL_COLLECTION_H
#define MODEL_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/event.h"

/* A figure that may be exact, estimated or not known at all. */
struct amount {
	bool known;
	bool estimated;	    /* the truth lies in [low, high], value is the best guess */
	uint64_t value;
	uint64_t low, high; /* equal to value where it is exact */
};

struct portion {
	struct amount bytes, objects;
};

static inline struct amount amount__exact(uint64_t value)
{
	return (struct amount){ .known = true, .value = value, .low = value, .high = value };
}

/* Exact where both ends agree. */
static inline struct amount amount__between(uint64_t low, uint64_t value, uint64_t high)
{
	return (struct amount){ .known = true, .estimated = low != high, .value = value,
				.low = low, .high = high };
}

/* One stop of the program that a collection took part in. */
struct pause {
	uint32_t target;
	uint64_t number;     /* the runtime's; EVENT_UNKNOWN */
	uint64_t start_ns;   /* EVENT_UNKNOWN: it began before the attach, or that was lost */
	uint64_t end_ns;     /* EVENT_UNKNOWN: its end was not seen */
	uint64_t suspend_ns; /* until the last thread stood still, in the first share of a pause;
				EVENT_UNKNOWN */
	uint64_t why;	     /* enum gctrace_why */
	struct text what;    /* the runtime's word for it, or the word for `why`; may be empty */

	/*
	 * What of it belongs to this collection. The same as the whole pause, unless several
	 * collections shared it: then their shares add up to it. EVENT_UNKNOWN: not known.
	 */
	uint64_t share_ns;
	uint64_t whole_ns; /* from the request to stop until the threads run again, as far as the
			      runtime reports it; EVENT_UNKNOWN */
	bool shared;
	bool partial;	 /* began before the attach */
	bool open;	 /* in progress when the trace ended */
	uint64_t inside_ns; /* of one that began before the attach: the part since; EVENT_UNKNOWN */
	bool incomplete; /* something was lost inside, or its end was not seen */
};

struct collection_pool {
	struct text name;
	uint64_t before, after; /* bytes in use; each EVENT_UNKNOWN where not told */
	uint64_t committed, max;
	bool outside; /* not a part of the heap (code, class metadata): not in the sums */
	bool old;     /* what young collections promote into */
	bool fresh;   /* what the program allocates in: young collections empty it */
};

/* A number that the runtime itself has. */
struct collection_figure {
	uint32_t what;	     /* enum gctrace_figure_kind */
	uint64_t generation; /* EVENT_UNKNOWN: of the whole heap */
	struct text name;    /* of the generation; empty: it has none */
	uint64_t value;	     /* EVENT_UNKNOWN: it does not know */
};

#define COLLECTION_PAUSES_KEPT 1024 /* an incremental collection may have any number */

struct collection {
	uint32_t target;   /* which image of which process */
	uint64_t number;   /* the runtime's own, else counted from 1 since the attach */
	bool counted_here; /* the latter */

	uint64_t generations; /* mask of what was condemned; EVENT_UNKNOWN: all, or not told */
	uint64_t oldest;      /* highest generation condemned; EVENT_UNKNOWN */
	uint64_t reason;      /* enum gctrace_reason */
	uint32_t how;	      /* set of enum gctrace_how; 0: not told */
	struct text what;     /* "young", "full", "gen 1", "Pause Remark": never empty */
	struct text cause;    /* "allocation", "System.gc()"; empty: not told */

	uint64_t start_ns; /* EVENT_UNKNOWN: not seen */
	uint64_t end_ns;   /* EVENT_UNKNOWN: not seen */

	uint64_t pause_count; /* 0: none was told for this collection */
	uint64_t pause_ns;    /* sum of the shares; EVENT_UNKNOWN: none told, or not all known */
	uint64_t pause_max_ns;
	uint64_t suspend_ns;	    /* sum; EVENT_UNKNOWN: not told */
	uint64_t stop_max_ns;	    /* the longest whole stop that it has a share in; or UNKNOWN */
	bool shares_stop;	    /* with other collections: that stop, or the last such */
	uint64_t shared_start_ns, shared_ns; /* each EVENT_UNKNOWN */
	const struct pause *pauses; /* the first pauses_kept of them, in their order */
	size_t pauses_kept;	    /* pause_count, up to COLLECTION_PAUSES_KEPT */

	uint64_t before_bytes, after_bytes; /* of the heap; each EVENT_UNKNOWN where not told */
	uint64_t committed_bytes;
	const struct collection_pool *pools;
	size_t pool_count;
	const struct collection_figure *figures;
	size_t figure_count;

	struct portion condemned; /* what was in use in the condemned generations at the start */
	struct portion moved;	  /* live, and copied elsewhere; once for each phase that did so */
	struct portion stayed;	  /* live, and in a report of moves, but where it was */
	struct portion survived;  /* all that lives: moved, stayed and swept around, counted once */
	struct portion promoted;  /* of that, what lies in an older generation now */
	struct portion dead;	  /* condemned and not alive any more */

	bool concurrent; /* the program ran during a part of it */
	bool overlapped; /* another collection was running (after a loss: or may have been) when
			    it started, or when it ended */
	bool partial;	 /* it began before the attach: shown, applied to nothing */
	bool untold;	 /* its ranges were not all told: nothing is known by them */
	bool may_be_two; /* a background one and a young one that it began with, not told apart */
	bool incomplete; /* something of it was lost, or may have been: figures may lack a part */
	bool cut_off;	 /* its end was not seen, or the trace ended in its midst */
};

/* What the runtime says of the generation that has the pool's name; EVENT_UNKNOWN: nothing. */
uint64_t collection__of_pool(const struct collection *collection,
			     const struct collection_pool *pool, uint32_t what);

/* The same of the whole heap. */
uint64_t collection__of_heap(const struct collection *collection, uint32_t what);

#endif
