/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types whose population only ages, found by comparing heap dumps of one trace object by object.
 *
 *	leak_watch__begin(&watch, number, ns, ids)	a dump of the whole heap has been matched
 *	leak_watch__object(&watch, object, size)	each object that lives, in any order
 *	leak_watch__end(&watch)
 *	leak_watch__lost(&watch, object)		between dumps: nothing is known of it now
 *	leak_watch__find(&watch, &leaks)
 *
 * Counting alone cannot tell a leak from a cache that warms up or a load that grows; and a dump may
 * hold garbage that nobody has collected yet, often more than half of it. Identity tells:
 *
 *	KEPT	objects of a dump that lived already at the dump before. No young garbage is among
 *		them. A leaking type has more of them at each dump.
 *	COHORT	the objects of the first dump in which the type was seen. Those that are left at the
 *		BASE hardly die any more. The base is the second dump, at first; when less than
 *		LEAK_ALIVE_PERCENT of what was left there are alive, it moves to the dump that shows
 *		this, and growth counts from there.
 *
 * Not to die proves nothing if nobody collects. So the cohort must have been condemned since the
 * base: its ages tell. Objects that were withdrawn count neither as alive nor as dead; when none of
 * a cohort is left but such, the type starts anew.
 */
#ifndef MODEL_LEAK_WATCH_H
#define MODEL_LEAK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "objects.h"

#define LEAK_ANCHORS 3		/* dumps that it takes to say anything */
#define LEAK_ALIVE_PERCENT 90	/* of the cohort at the base, at least */
#define LEAK_COHORT_PERCENT 10	/* of the first dump's objects that are left at the base */
#define LEAK_OLDEST 3

struct leak_object {
	uint64_t id;
	uint32_t age; /* at least */
};

struct leak_count {
	uint64_t number, ns;		     /* of the dump */
	uint64_t all;			     /* objects of the type */
	uint64_t kept, kept_bytes;	     /* of those */
	uint64_t cohort, cohort_ages;	     /* of those; the sum of ages */
	struct leak_object oldest[LEAK_OLDEST]; /* of kept ones, those seen first; id 0: none */
};

struct leak_type {
	uint64_t cohort_last; /* highest id of the cohort */
	uint64_t anchors;     /* dumps since the type was seen first, that one included */
	uint64_t since;	      /* dumps behind the base */
	uint64_t lost;	      /* of the cohort, withdrawn behind the base */
	bool grows;	      /* at each of them */
	struct leak_count first, base, last, now; /* number 0: none yet; now: being counted */
};

struct leak_watch {
	VEC(struct leak_type) types; /* by index of types.h */
	uint64_t number, ns, ids;    /* of the dump that was begun last */
	uint64_t ids_before;	     /* highest id at the dump before */
	uint64_t anchors;
	bool kept; /* some object of a dump was known at the next one: else there is no telling */
};

struct leak {
	uint32_t type;
	uint64_t anchors;	/* dumps since the type was seen first */
	uint64_t first, base;	/* numbers of dumps */
	uint64_t span_ns;	/* from the base to the last dump */
	uint64_t objects, bytes; /* kept, more than at the base */
	uint64_t cohort, cohort_alive; /* at the base, and now */
	struct leak_object oldest[LEAK_OLDEST];
};

struct leaks VEC_OF(struct leak);

/* All zero is a watch that has seen nothing. What answers, answers 0 or -ENOMEM. */
void leak_watch__begin(struct leak_watch *watch, uint64_t number, uint64_t ns, uint64_t ids);
int leak_watch__object(struct leak_watch *watch, const struct object *object, uint64_t size);
void leak_watch__end(struct leak_watch *watch);
void leak_watch__lost(struct leak_watch *watch, const struct object *object);

/* Those there are, the largest growth in bytes first. */
int leak_watch__find(const struct leak_watch *watch, struct leaks *leaks);

void leak_watch__free(struct leak_watch *watch);

#endif
