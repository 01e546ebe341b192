/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of a heap, put together by what they belong to.
 *
 * A PACKAGE is what stands in a type's name before its last '.', '/' or '::', outside of what
 * stands in brackets: "java.util" of "java.util.Map$Entry[]", "Net::HTTP" of "Net::HTTP::Get",
 * "System.Collections" of "System.Collections.List<System.String>". It is told by the name alone:
 * where a runtime names nested types with a dot ("Map.Entry"), "Map" is one, too.
 *
 * LOADER and MODULE are what the runtime says of its classes (GCTRACE_SPACE_LOADER and _MODULE).
 */
#ifndef MODEL_HEAP_GROUPS_H
#define MODEL_HEAP_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "heap.h"

enum heap_grouping { HEAP_BY_TYPE, HEAP_BY_PACKAGE, HEAP_BY_LOADER, HEAP_BY_MODULE };

struct heap_group {
	struct text name; /* of 0 bytes: the types that are in none, or of which it was not told */
	uint64_t types;	  /* with objects */
};

struct heap_groups {
	enum heap_grouping by;
	uint32_t *of; /* each type's */
	VEC(struct heap_group) groups;
};

/*
 * By type each is a group of its own, with its own number; else groups are in the order of their
 * names. Texts are valid as long as the heap.
 * 0 or -ENOMEM; free it in any case.
 */
int heap_groups__make(struct heap_groups *groups, const struct heap *heap,
		      enum heap_grouping by);
void heap_groups__free(struct heap_groups *groups);

/* This type is in no group any more: HEAP_NO_GROUP of heap_histogram.h. */
void heap_groups__exclude(struct heap_groups *groups, const struct heap *heap, uint32_t type);

/* Is any type with objects in a group that has a name? */
bool heap_groups__has_names(const struct heap_groups *groups);

/* The package in a type's name; of 0 bytes: there is none. */
struct text heap_groups__package(struct text type);

#endif
