/* SPDX-License-Identifier: BSD-2-Clause */
/* How much each type has on a heap, and keeps alive. */
#ifndef MODEL_HEAP_HISTOGRAM_H
#define MODEL_HEAP_HISTOGRAM_H

#include <stdint.h>

#include "heap.h"

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

#endif
