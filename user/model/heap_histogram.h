/* SPDX-License-Identifier: BSD-2-Clause */
/* How much each type has on a heap, and keeps alive. */
#ifndef MODEL_HEAP_HISTOGRAM_H
#define MODEL_HEAP_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "heap.h"

/* Where the heap has no graph, all but the first two are 0. */
struct heap_type_sums {
	uint64_t objects, bytes;	     /* all of them */
	uint64_t reached_objects, reached_bytes; /* that the roots reach */
	uint64_t retained; /* by all of the type together: each byte counted once */
};

/*
 * One for each type of the heap; the caller free()s it. What is dominated by an object of the same
 * type is counted with that one only. 0 or -ENOMEM.
 */
int heap__histogram(const struct heap *heap, struct heap_type_sums **sums);

#define HEAP_NO_GROUP UINT32_MAX

/* Which objects count, and with which others together. */
struct heap_selection {
	/*
	 * Of each type of the heap; HEAP_NO_GROUP: its objects don't count. NULL: each type is
	 * one of its own.
	 */
	const uint32_t *groups;
	uint32_t count; /* of groups, at least 1 */
	/* Does this object count? NULL: all do. For a heap with a graph. */
	bool (*has)(const void *context, uint32_t place);
	const void *context;
};

/* The same for each group: what is dominated by an object of its own group counts once. */
int heap__histogram_of(const struct heap *heap, const struct heap_selection *selection,
		       struct heap_type_sums **sums);

#endif
