/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites whose old live bytes only grow.
 *
 * Samples that survived SITE_WATCH_AGE collections are OLD here, whatever the generations of the
 * runtime are. At the end of collections, now and then, what each group of sites (site_groups.h)
 * has of them is written down: a CHECK. Checks are kept closely for the last moments and ever more
 * loosely before, so that a handful of them reaches back to the beginning:
 *
 *	checks  |                |        |    |  | ||     the older, the fewer
 *	       begin                                now
 *
 * A group leaks if there is a check, its BASE, since which
 *
 *	- SITE_WATCH_TURNS collections and SITE_WATCH_NS have passed,
 *	- what is old has grown in each quarter of that time,
 *	- the low end of what is old now is above the high end of what was old then (estimate.h):
 *	  95 % each,
 *	- of what was old then, and at the beginning of each quarter, SITE_WATCH_ALIVE_PERCENT
 *	  still live.
 *
 * The last one tells a leak from a load that grows: a population that is replaced all the time
 * dies. What is hot and short-lived never gets old. The earliest base counts. Where nothing old has
 * died at all since then, whatever its site, perhaps nobody has looked: then it may be garbage that
 * waits for a collection of the old generation (`unlooked`).
 */
#ifndef MODEL_SITE_WATCH_H
#define MODEL_SITE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "site_groups.h"
#include "sites.h"

#define SITE_WATCH_AGE 4
#define SITE_WATCH_TURNS 16
#define SITE_WATCH_NS (UINT64_C(30) * 1000 * 1000 * 1000)
#define SITE_WATCH_ALIVE_PERCENT 90
#define SITE_WATCH_CHECKS 32
#define SITE_WATCH_EVERY_NS (UINT64_C(1000) * 1000 * 1000) /* no more often */

struct site_check {
	uint64_t ns, gc;
};

/* What of a group was old at a check, and what of that has died since. */
struct site_old {
	float bytes, variance, seen, died;
};

struct site_history {
	struct site_old *checks; /* SITE_WATCH_CHECKS; NULL: nothing of it was ever old */
};

struct site_watch {
	const struct sites *sites;
	const struct site_groups *groups;
	uint64_t every_ns; /* between two checks; 0: SITE_WATCH_EVERY_NS */
	struct site_check checks[SITE_WATCH_CHECKS];
	size_t count;
	VEC(struct site_history) histories; /* by group */
};

struct site_leak {
	uint32_t group, key;
	uint64_t base_ns, base_gc; /* of its base */
	uint64_t span_ns, turns;   /* since then */
	struct estimate then, now; /* what was old, and is; bytes and variance only */
	double alive; /* share of what was old then */
	bool unlooked;
};

struct site_leaks VEC_OF(struct site_leak);

/* All zero but for sites and groups, which outlive it. Its sink tells it of deaths. */
struct site_sink site_watch__sink(struct site_watch *watch);

/* A collection has ended: a check, if one is due. The groups are updated. 0 or -ENOMEM. */
int site_watch__look(struct site_watch *watch, uint64_t ns);

/* Those there are, the largest growth first. 0 or -ENOMEM. */
int site_watch__find(const struct site_watch *watch, struct site_leaks *leaks);

/* What of a group was old at the earliest check; false: there was none. */
bool site_watch__first(const struct site_watch *watch, uint32_t group, struct estimate *then,
		       uint64_t *ns);

/* The same at the last check. */
bool site_watch__last(const struct site_watch *watch, uint32_t group, struct estimate *now,
		      uint64_t *ns);

void site_watch__free(struct site_watch *watch);

#endif
