/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump, matched with what the model believes: the moment of truth.
 *
 * The dump's objects stand in chunk.told (objects__add()). An object that lies where one is known,
 * with the same type and size, is that one, and keeps its id. Of another type or size: the model
 * was wrong, which is a conflict. Known, but not in the dump: gone, unless the dump is a part.
 */
#ifndef MODEL_ANCHOR_H
#define MODEL_ANCHOR_H

#include <stdbool.h>
#include <stdint.h>

#include "objects.h"

struct anchor {
	uint64_t told;	    /* objects of the dump */
	uint64_t matched;   /* known before, and found where the model had them */
	uint64_t new_;	    /* not known before */
	uint64_t gone;	    /* known before, not in the dump */
	uint64_t conflicts; /* another object lies where the model had one */
	uint64_t repeated;  /* told more than once at one address */
};

struct anchor_options {
	bool whole;	/* all that lives was told */
	uint32_t birth; /* of new objects */
	/* Bits of object.flags for a new object at this address. */
	unsigned int (*state)(void *context, uint64_t address);
	/* Known, and not in a dump that is not whole. May be NULL. 0 or -ENOMEM. */
	int (*missed)(void *context, const struct object *object);
	/* A new object has its id. May be NULL. */
	void (*came)(void *context, const struct object *object, uint64_t address);
	void *context;
};

/* Nothing of the table may be unsettled. Empties chunk.told. 0 or -ENOMEM. */
int anchor__match(struct objects *objects, const struct anchor_options *options,
		  struct anchor *result);

/*
 * The dump was whole after all: what it missed is gone, as far as it is still there. Sorts the ids.
 * 0 or -ENOMEM.
 */
int anchor__gone(struct objects *objects, uint64_t *ids, size_t count, struct anchor *result);

/* Forget what was told. */
void anchor__drop(struct objects *objects);

#endif
