/* SPDX-License-Identifier: BSD-2-Clause */
/* For each type of a heap, the objects that somebody who asks about the type should see first. */
#ifndef MODEL_EXAMPLES_H
#define MODEL_EXAMPLES_H

#include <stdint.h>

#include "heap.h"
#include "heap_paths.h"

struct example {
	uint32_t nearest; /* to a root; HEAP_NONE: none of them is reached. Of several ... */
	uint32_t biggest; /* ... the one that keeps the most alive, and the other way round */
};

/* One for each type of the heap; the caller free()s it. NULL: no memory. */
struct example *examples__find(const struct heap *heap, const struct heap_paths *paths);

#endif
