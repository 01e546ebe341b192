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
 * So it is one that keeps at least FINDING_SHARE of the heap, of which what its large children
 * (of at least that share) keep is less than half. Of an array that holds for a child that keeps
 * half of it. Its owner is the nearest object above it that is no collection and that the program's
 * authors wrote, if it keeps hardly more than it does (owner.h).
 */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include <stdint.h>

#include "base/vec.h"
#include "heap.h"

#define FINDINGS_MOST 5
#define FINDING_SHARE 20 /* a 20th of all bytes that are there */

enum finding_kind {
	FINDING_ACCUMULATION,
	FINDING_LARGE,	   /* one object that is large itself */
	FINDING_FINALIZER, /* kept by objects that wait for their finalizer */
	FINDING_THREAD,	   /* by one thread's stack alone */
	FINDING_UNREACHED  /* present, and no root reaches it */
};

struct finding {
	enum finding_kind kind;
	uint32_t place; /* the object that accumulates or is large; the thread's node; HEAP_NONE */
	uint32_t owner; /* of an accumulation: above it, or itself */
	uint64_t bytes, objects; /* that it keeps alive; that are unreached */
	uint32_t of; /* type of most of the pieces; UINT32_MAX: there is no such */
	uint64_t of_count;
};

struct findings VEC_OF(struct finding);

/* At most FINDINGS_MOST. `findings` begins as VEC_INIT; vec__free() is the caller's. 0, -ENOMEM. */
int findings__find(const struct heap *heap, struct findings *findings);

#endif
