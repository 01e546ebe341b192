/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pools of one collection. A pool may be told in parts (before, then after), and more than
 * once where a collection has several steps: the first "before" and the last "after" hold.
 */
#ifndef MODEL_POOLS_H
#define MODEL_POOLS_H

#include "base/vec.h"
#include "collection.h"

/* Of one collection; more are counted. Each report looks through all: hence not many. */
#define POOLS_MOST 1024
#define POOLS_BYTES (1u << 20) /* names included */

struct pools {
	VEC(struct collection_pool) of; /* names are allocated */
	size_t bytes;
	uint64_t dropped;
};

/* 0 or -ENOMEM. */
int pools__note(struct pools *pools, const struct event *pool);

/* By name; NULL: it was not told. */
const struct collection_pool *pools__find(const struct pools *pools, struct text name);

/* The one pool for old objects; NULL: there is none, or more than one. */
const struct collection_pool *pools__old(const struct pools *pools);

/* Of the heap's pools; each EVENT_UNKNOWN unless every one of them (and one at least) tells it. */
struct pool_sums {
	uint64_t before, after, committed;
};
struct pool_sums pools__sums(const struct pools *pools);

void pools__free(struct pools *pools);

#endif
