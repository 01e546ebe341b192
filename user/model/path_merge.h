/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways from roots to many objects, as one tree whose branches are counted:
 *
 *	static OrderCache.instance
 *	  .byId HashMap
 *	    .table Entry[]
 *	      [] Entry         4,711 objects       elements of arrays are one branch,
 *	        .next Entry      120 objects       and so is each list, however long
 *
 * Steps are the same where they lead from the same branch by the same field to the same type.
 */
#ifndef MODEL_PATH_MERGE_H
#define MODEL_PATH_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "heap.h"
#include "heap_paths.h"
#include "memory.h"

/* The way of an object, a root first. Empty: no root reaches it. 0 or -ENOMEM. */
struct path_way VEC_OF(uint32_t);
int path_way__take(struct path_way *way, const struct heap_paths *paths, uint32_t place);

struct path_branch {
	uint32_t parent;     /* index; UINT32_MAX: a root */
	uint32_t from, to;   /* places: an example of the step; of a root `from` is HEAP_NONE */
	bool repeats;	     /* the same step several times in a row */
	uint64_t objects, bytes; /* that it leads to; shallow */
	uint64_t ending, ending_bytes; /* of these end here */
	uint32_t depth;
	uint64_t folded; /* so many small branches in one: no step of its own; 0: it is one */
	uint64_t key;
};

/* Parents stand before their children. */
struct path_merge {
	VEC(struct path_branch) branches;
	struct memory memory;
	struct hash_slots slots; /* of branches, by what they are */
	struct path_way way; /* scratch */
	uint64_t objects, unreached;
};

/* All zero to begin with. */
void path_merge__free(struct path_merge *merge);

/*
 * Add the shortest ways to all objects of types that are wanted (heap_types.h) to an empty one, in
 * time and memory (4 bytes a row, of the heap's) that do not grow with how long the ways are. The
 * rest is bounded by memory.limit. 0, -ENOMEM or -EDQUOT.
 */
int path_merge__add(struct path_merge *merge, struct heap *heap, const struct heap_paths *paths,
		    const bool *wanted);

/*
 * All are added: put them in preorder, those with the most objects first; beyond the `most` of one
 * parent (0: all) they are folded. 0, -ENOMEM or -EDQUOT.
 */
int path_merge__order(struct path_merge *merge, uint64_t most);

#endif
