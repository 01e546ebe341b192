/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which ways from the roots lead to more objects than before: the merged shortest paths
 * (path_merge.h) of two heaps, laid on top of each other.
 *
 *	static OrderCache.instance
 *	  .byId HashMap
 *	    .table HashMap.Entry[]
 *	      [] HashMap.Entry          was 4,711    is 5,915
 *
 * Branches are the same where they are called the same: by their words, and the name of the type
 * that they lead to. So heaps need not be of one trace, and neither of them is kept.
 */
#ifndef MODEL_PATH_GROWTH_H
#define MODEL_PATH_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "hash_slots.h"
#include "heap.h"
#include "heap_diff.h"
#include "memory.h"
#include "path_merge.h"

#define GROWTH_NONE UINT32_MAX

/* Appends what the step from one place to another is called; from HEAP_NONE: a root itself. */
typedef void growth_words(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to);
/* Appends the name of a type. */
typedef void growth_type(struct buf *out, const struct heap *heap, uint32_t type);

struct growth_branch {
	uint32_t parent; /* index, smaller than its own; GROWTH_NONE: a root */
	bool repeats;	 /* the same step several times in a row */
	uint64_t at;	 /* in path_growth.texts: words, then the type's name (of a root none) */
	size_t words, type; /* bytes of them */
	struct fate_sum ending[DIFF_SIDES]; /* objects that it is the way to */
};

/* All zero to begin with. */
struct path_growth {
	VEC(struct growth_branch) branches;
	struct memory memory; /* its limit bounds all that is kept */
	struct pile texts;
	struct hash_slots slots;
	uint64_t unreached[DIFF_SIDES]; /* objects that no root leads to */
};

void path_growth__free(struct path_growth *growth);

/* 0, -ENOMEM or -EDQUOT. */
int path_growth__add(struct path_growth *growth, unsigned int side, const struct heap *heap,
		     const struct path_merge *merge, growth_words *words, growth_type *type);

struct text path_growth__words(const struct path_growth *growth, uint32_t branch);
struct text path_growth__type(const struct path_growth *growth, uint32_t branch);

/*
 * The way to a branch, from its root on. Of one that is longer than GROWTH_STEPS_MOST the middle is
 * left out: GROWTH_NONE stands for the `folded` steps there. 0 or -ENOMEM.
 */
#define GROWTH_STEPS_MOST 24
struct growth_way {
	VEC(uint32_t) steps;
	size_t folded;
};
int path_growth__way(const struct path_growth *growth, uint32_t branch, struct growth_way *way);

/* Indices of the branches that changed, those first that grew by the most bytes. 0 or -ENOMEM. */
struct growth_order VEC_OF(uint32_t);
int path_growth__order(const struct path_growth *growth, struct growth_order *order);

#endif
