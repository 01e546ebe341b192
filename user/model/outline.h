/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree as lines, the biggest branches first and the small ones folded into one line: of the
 * roots, or of the dominator tree.
 */
#ifndef MODEL_OUTLINE_H
#define MODEL_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "heap.h"

struct outline_line {
	uint32_t place;	 /* HEAP_NONE: several, folded */
	uint32_t depth;	 /* from 0 */
	bool last;	 /* of its siblings */
	uint64_t folded; /* how many were; 0: none */
	uint64_t bytes, objects; /* that it alone (or each of them alone) keeps alive */
	uint64_t roots;	 /* of the roots' nodes: how many roots those are */
};

struct outline VEC_OF(struct outline_line);

/*
 * Each kind of root, and below it threads with their frames, classes with their statics, handles,
 * `depth` levels in all: of each the `most` that alone keep the most alive, and only those that
 * keep anything; 0: all. `outline` begins as VEC_INIT; vec__free() is the caller's. 0 or -ENOMEM.
 */
int outline__roots(const struct heap *heap, uint64_t depth, uint64_t most,
		   struct outline *outline);

/*
 * The dominator tree below the roots, `depth` objects deep. With a `most`, what keeps less than a
 * OUTLINE_SHARE-th of the heap is folded, too. The same.
 */
#define OUTLINE_SHARE 1000
int outline__objects(const struct heap *heap, uint64_t depth, uint64_t most,
		     struct outline *outline);

#endif
