/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands out on a heap, the most bytes first.
 *
 * POINTS OF ACCUMULATION. An object that keeps much alive is mostly not the one to blame: whatever
 * stands at the top of a program keeps all of it. An object accumulates where much becomes many
 * small pieces:
 *
 *	cache 31 % ---- map 31 % ---- table 31 % ----+- entry 0.01 %      the table accumulates,
 *	  |                                          +- entry 0.01 %      the cache owns it
 *	owner           between       accumulates    +- ...
 *
 * So it is one that keeps at least FINDING_SHARE of the heap, of which what its large pieces (of at
 * least that share) keep is less than half. Its pieces are those of its whole structure
 * (accumulation.h), so that a list, a tree or a table of the platform is one place. Of a structure,
 * an array, or what dominates more than it refers to, a piece is large that keeps half of it. Else
 * half of the bytes must be of pieces of one type: an object with many different fields accumulates
 * nothing. Its owner is the nearest object above it that is no collection and that the program's
 * authors wrote, if it keeps hardly more than it does (owner.h).
 *
 * GROUPS. Where many objects of one type keep a GROUP_SHARE of the heap together, and none of them
 * much, they are one finding: directly below the roots (the locals of 50 threads, objects that two
 * tables share), or below an object that accumulates nothing. As long as most of what they keep is
 * of one type, that is the way on to what accumulates:
 *
 *	50 Worker ---- 50 ThreadLocalMap ---- 50 Entry[] ---- 50 Context ---- 43,000 byte[]
 *
 * HOLDERS. What only several roots hold names up to HOLDERS_MOST of them (holders.h).
 */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "heap.h"
#include "holders.h"

#define FINDINGS_MOST 5
#define FINDING_SHARE 20 /* a 20th of all bytes that are there */
#define GROUP_SHARE 10
#define GROUP_STEPS_MOST 12

enum finding_kind {
	FINDING_ACCUMULATION,
	FINDING_GROUP,	   /* many objects of one type */
	FINDING_LARGE,	   /* one object that is large itself */
	FINDING_FINALIZER, /* kept by objects that wait for their finalizer */
	FINDING_THREAD,	   /* by one thread's stack alone */
	FINDING_UNREACHED  /* present, and no root reaches it */
};

struct finding {
	enum finding_kind kind;
	uint32_t place; /* the object that accumulates or is large; the largest of a group; the
			   thread's node; HEAP_NONE */
	uint32_t owner; /* of an accumulation: above it, or itself; what holds a group, or a node */
	uint64_t bytes, objects; /* that it keeps alive; that are unreached */
	uint32_t of; /* type of most of the pieces; UINT32_MAX: there is no such */
	uint64_t of_count;

	/* Types between what accumulates, or the members of a group, and the pieces. */
	uint32_t steps[GROUP_STEPS_MOST];
	size_t step_count;
	uint64_t members; /* of a group */

	/* The roots, where not one root alone or a static holds it. */
	struct holders holders;
};

struct findings VEC_OF(struct finding);

/* Is it of an object that can be named: the owner, of a group its largest? */
static inline bool finding__is_of_object(const struct finding *finding)
{
	return finding->kind <= FINDING_LARGE;
}

static inline uint32_t finding__object(const struct finding *finding)
{
	return finding->kind == FINDING_GROUP ? finding->place : finding->owner;
}

/*
 * At most FINDINGS_MOST. paths: NULL where the caller has none; they are made if they are needed
 * and the heap's limit allows it. `findings` begins as VEC_INIT; vec__free() is the caller's.
 * 0 or -ENOMEM.
 */
int findings__find(struct heap *heap, const struct heap_paths *paths, struct findings *findings);

/*
 * The uppermost object that an object is a part of: a root, or a static of a class object, holds
 * it.
 */
uint32_t findings__top_of(const struct heap *heap, uint32_t place);

#endif
