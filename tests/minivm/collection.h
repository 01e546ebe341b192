/* SPDX-License-Identifier: BSD-2-Clause */
/* One collection, and which kind is due. collection.c opens with the kinds. */
#ifndef MINIVM_COLLECTION_H
#define MINIVM_COLLECTION_H

#include "heap.h"

/* What becomes of the objects of one generation in one collection. */
struct gc_counts {
	struct usage condemned; /* in it at the start */
	struct usage moved;	/* told with another address; includes those that were promoted */
	struct usage stayed;	/* told by a moving collection with the same address */
	struct usage survived;	/* told by a collection that does not move */
	struct usage promoted;	/* moved to an older generation */
	struct usage dead;	/* condemned, and nothing of the above */
};

struct gc_pool {
	const char *name;
	uint64_t before, used, committed, max;
};

/*
 * One collection, from start to finish. In the counts of GEN_OLD, moved, stayed and survived
 * include what this same collection promoted into it; dead does not.
 */
struct gc {
	uint64_t number;
	uint64_t condemned;  /* bit n: generation n */
	uint32_t reason, how; /* enum gctrace_reason, set of enum gctrace_how */
	uint64_t start_ns, finish_ns;
	uint64_t start_pause; /* number of the pause that it starts in */
	unsigned phase;	      /* of the moves that are made now */
	struct gc_counts counts[GENERATIONS];
	struct gc_pool pools[GENERATIONS];
	struct {
		bool moves, survivors;
	} tell; /* somebody listens to it */
};

void collections__init(void);

/* In a stopped world, by the collector's thread: what is due, which may be two collections. */
void collection__run(uint32_t reason);
/* Does one for this reason take more than the nursery? */
bool collection__is_full_due(uint32_t reason);
/* The last pause of a concurrent one. */
void collection__finish_concurrent(void);

uint64_t collections__started(void);
/* By any thread. */
uint64_t collections__finished(void);

/* For mutators: should there be one before a large object of that size is made? */
bool collection__is_wanted_for(uint64_t bytes);

#endif
