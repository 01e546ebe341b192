/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An excerpt of a heap graph that is small enough to be looked at whole, however large the heap:
 * the objects that keep the most alive, as a tree, and one way from a root to each.
 *
 * THE TREE. What an object keeps alive is never more than what its dominator does. So the objects
 * that keep at least so much alive are the top of the dominator tree: with each of them its
 * dominator is there. That least size is chosen so that they are as many as are wanted. The others
 * are put together by type: those of one type right below the same branch are one branch, a group,
 * and so are those below its members. A list of thousands is one group, too: what stands right
 * below a group and is of its type belongs to it. Of the groups the smallest are folded into the
 * branch that they hang from, and counted. Nodes of the roots are passed through: the first branch
 * is all roots together.
 *
 *	all roots -- cache -- map -- Entry[] -- Entry x 14,996 -- Order x 14,996 -- String x 31,200
 *	             objects, one by one   |    groups         '- (folded: 12 Lock)
 *
 *	branches  0 ... singles - 1: objects, parents before their children | groups, the same
 *
 * THE WAYS. Each object knows the one before it on a shortest way from a root (heap_paths.h). Those
 * that ways lead over are in the excerpt, too, behind the branches, up to `steps` for a way and
 * `waypoints` in all. A way that goes on is joined again at the nearest dominator, which every way
 * leads over, and the objects between are counted.
 *
 *	objects   0 ... singles - 1: branches | objects of interest, and those that ways lead over
 */
#ifndef MODEL_EXCERPT_H
#define MODEL_EXCERPT_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "heap.h"
#include "heap_paths.h"
#include "memory.h"

#define EXCERPT_NONE UINT32_MAX

struct excerpt_limits {
	uint32_t singles, groups, steps, waypoints;
};

struct excerpt_object {
	uint32_t place;	  /* a node of the roots where a way begins */
	uint32_t before;  /* index; EXCERPT_NONE: a node, or no root reaches it */
	uint32_t skipped; /* objects that were left out between the two */
	uint64_t at;	  /* where in the one before it stands; EVENT_UNKNOWN */
};

struct excerpt_sum {
	uint64_t count;		 /* of branches */
	uint64_t bytes, objects; /* that they keep alive */
};

struct excerpt_branch {
	uint32_t parent; /* index; of the first: EXCERPT_NONE */
	uint32_t object; /* index; of a group: the one of it that keeps the most alive */
	uint32_t type;	 /* of a group */
	uint64_t count;	 /* objects of a group; 0: it is an object by itself */
	uint64_t bytes, objects;    /* that it keeps alive */
	struct excerpt_sum folded; /* right below it */
};

struct excerpt {
	const struct heap *heap;
	const struct heap_paths *paths;
	struct excerpt_limits limits;
	uint64_t least;	      /* bytes that each single object keeps alive; 0: all are there */
	uint64_t least_group; /* and each group */
	uint32_t singles;
	VEC(struct excerpt_branch) branches;
	VEC(struct excerpt_object) objects; /* the first of them those of the branches */
	uint32_t waypoints;
	struct memory memory;
	struct hash_slots by_place; /* objects */
	struct hash_slots by_type;  /* groups, while they are made */
};

/*
 * The tree, and ways to what is in it. excerpt__free() is legal after an error. 0, -ENOMEM or
 * -EDQUOT: it takes more than the graph leaves of its limit.
 */
int excerpt__init(struct excerpt *excerpt, const struct heap *heap,
		  const struct heap_paths *paths, const struct excerpt_limits *limits);
void excerpt__free(struct excerpt *excerpt);

/* One more object, with a way to it. The same. */
int excerpt__add(struct excerpt *excerpt, uint32_t place);

/* All are there: find out where in each the next one stands. The same. */
int excerpt__finish(struct excerpt *excerpt);

/* The index of an object, or EXCERPT_NONE. */
uint32_t excerpt__find(const struct excerpt *excerpt, uint32_t place);

/* All that is in no branch of its own. */
struct excerpt_sum excerpt__folded(const struct excerpt *excerpt);

#endif
