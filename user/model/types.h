/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of one target: small numbers for the producer's classes, and what they are called.
 *
 * Index 0 is the class 0, which nobody knows. Names are the target's bytes, whole; they cost what
 * they are long. The last index that an object has room for stands for all further classes.
 */
#ifndef MODEL_TYPES_H
#define MODEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stream/event.h"

struct type {
	uint64_t class_;
	struct text name; /* allocated; empty: not told */
};

struct types {
	VEC(struct type) of;
	uint32_t *table; /* index + 1, by hash of the class; 0: free */
	size_t table_size;
	uint64_t class_last; /* asked for last, and its index */
	uint32_t last;
};

/* Its index, new if need be. 0 or -ENOMEM. All zero is an empty set. */
int types__index(struct types *types, uint64_t class_, uint32_t *index);

/* From EVENT_CLASS. A later name replaces an earlier one. 0 or -ENOMEM. */
int types__define(struct types *types, uint64_t class_, struct text name);

void types__free(struct types *types);

#endif
