/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large objects: whole pages each, never moved, collected with the old space. While a concurrent
 * collection runs, new ones are born marked, so that its end spares them.
 */
#ifndef MINIVM_LARGE_H
#define MINIVM_LARGE_H

#include <pthread.h>

#include "heap.h"

struct large_space {
	struct list objects;
	struct chunk *free; /* by address, between objects */
	size_t frees, capacity;
	uint64_t top;
	struct usage usage;
	uint64_t committed; /* bytes of pages */
	bool born_marked;
	size_t condemned; /* of objects[]: those that the running collection decides on */
	pthread_mutex_t lock;
};

extern struct large_space large;

struct gc;

void large__init(void);
/* Zeroed memory for an object of that many bytes with that head and id. Thread-safe. */
struct object *large__new(uint64_t bytes, uint64_t head, uint64_t id);

/* A collection of large objects starts. born_marked: it ends in a later pause. */
void large__begin(bool born_marked);
/* Marked, to be swept in a later pause: dead ones are not walked nor counted from now on. */
void large__forget_dead(void);
/* It ends: frees what is not marked, reports the survivors, unmarks. */
void large__sweep(struct gc *gc);

bool large__walk(heap__see *see, void *context);

#endif
