/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's names (of VM operations, memory managers and causes) in gctrace's words. Names
 * that are not known have no words and are shown as they are.
 */
#ifndef STREAM_HOTSPOT_WORDS_H
#define STREAM_HOTSPOT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

/* What a VM operation is for the collector. */
struct hotspot_operation {
	const char *name; /* as vmops__begin tells it */
	const char *what; /* "" for a plain collection: its manager has the word */
	uint64_t why;	  /* enum gctrace_why */
	bool in_cycle;	  /* a pause of a concurrent cycle, not a collection by itself */
	bool overrides;	  /* `what` is said of the whole collection that it is a part of */
};

/* NULL: not known. */
const struct hotspot_operation *hotspot_operation(struct text name);

/* A memory manager: what it does whenever it tells of its pools. */
struct hotspot_manager {
	const char *name;
	const char *what;     /* "": the operation has the word */
	uint64_t generations; /* mask of what it condemns; EVENT_UNKNOWN: all, or it has none */
	uint32_t how;	      /* set of enum gctrace_how */
	enum event_pools pools; /* what they say of what it condemns */
};

/* NULL: not known. */
const struct hotspot_manager *hotspot_manager(struct text name);

/*
 * HotSpot tells the pools of code and of class metadata along with those of the heap; only their
 * names tell them apart.
 */
bool hotspot_pool_is_outside(struct text name);

/* Is it the pool that young collections promote into, or that is allocated in? Not told either. */
bool hotspot_pool_is_old(struct text name);
bool hotspot_pool_is_fresh(struct text name);

/* enum gctrace_reason for a cause. */
uint64_t hotspot_reason(struct text cause);

/* The text for "no cause": none of this thread's collections is running. */
bool hotspot_no_cause(struct text cause);

#endif
