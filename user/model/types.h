/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of one target: small numbers for the producer's classes, and what they are called.
 *
 * Index 0 is the class 0, which nobody knows. Names are the target's bytes, whole; they cost what
 * they are long. The last index that an object has room for stands for all further classes.
 *
 * An index is of one class for good. A producer may number its classes anew with each dump
 * (HotSpot's agent): when some were unloaded the numbers of those behind them are less by that. So
 * a class that is told by another name than before is another one: that which had the name, if its
 * number is another one's now or is still to be told, and else a new one. Of several that have the
 * name the order is kept.
 */
#ifndef MODEL_TYPES_H
#define MODEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stream/event.h"

struct type {
	uint64_t class_;  /* by which it was told last */
	struct text name; /* allocated; empty: not told. Once told it stays */
	bool is_free;	  /* the number is another one's by now, and it has none */
	uint32_t left, right; /* type_names.h */
};

struct type_slot {
	uint64_t class_;
	uint32_t number; /* index + 1; 0: free */
};

struct types {
	VEC(struct type) of;
	struct type_slot *table; /* by hash of the class */
	size_t table_size, table_count;
	uint32_t by_name; /* the root of type_names.h; 0: none has a name */
	uint64_t secret;
	uint64_t class_last; /* asked for last, and its index */
	uint32_t last;
};

/* Its index, new if need be. 0 or -ENOMEM. All zero is an empty set. */
int types__index(struct types *types, uint64_t class_, uint32_t *index);

/* From EVENT_CLASS, before objects of it where it may be another one. 0 or -ENOMEM. */
int types__define(struct types *types, uint64_t class_, struct text name);

void types__free(struct types *types);

#endif
