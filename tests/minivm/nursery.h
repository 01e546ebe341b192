/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nursery: eden, where objects are born, and two survivor spaces. nursery.c opens with how
 * it works.
 */
#ifndef MINIVM_NURSERY_H
#define MINIVM_NURSERY_H

#include <pthread.h>

#include "heap.h"

struct space {
	uint64_t start, end;
	struct chunk *free; /* what may be allocated, by address */
	size_t frees, capacity, next;
	pthread_mutex_t lock;
};

struct nursery {
	struct space eden, survivor[2];
	struct space *from, *to; /* to: filled by the collection; from: empty but for pinned ones */
	struct usage usage;	 /* of objects in it; mutators' shares are added at each stop */
	struct list staying;	 /* pinned objects, by address; while a collection runs */
};

extern struct nursery nursery;

void nursery__init(uint64_t start, uint64_t eden, uint64_t survivor);

/* A piece of at least min and at most want bytes; false: there is none. Thread-safe. */
bool space__take(struct space *space, uint64_t min, uint64_t want, struct chunk *chunk);

/* Start: takes the list of pinned objects (of any generation, in any order). */
void nursery__begin(const struct list *pinned);
/* End: everything that did not stay is free; survivor spaces change places. */
void nursery__end(void);

bool nursery__walk(heap__see *see, void *context);

/* Copies land here while a collection runs. */
static inline bool nursery__is_to(const void *o)
{
	return (uint64_t)(uintptr_t)o - nursery.to->start < nursery.to->end - nursery.to->start;
}

#endif
