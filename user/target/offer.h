/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process offers, level by level: which of the things that gctrace can show its
 * runtime's probes tell, and why the others are missing.
 */
#ifndef GCTRACE_TARGET_OFFER_H
#define GCTRACE_TARGET_OFFER_H

#include <stdbool.h>

struct modules;
struct runtime;

enum offer_level {
	OFFER_COLLECTIONS,  /* when, how long, why */
	OFFER_POOLS,        /* sizes before and after */
	OFFER_MOVES,        /* what moved where */
	OFFER_SURVIVALS,    /* what survived in place */
	OFFER_DUMP,         /* all objects and their references */
	OFFER_ALLOCATIONS,  /* samples of new objects */
	OFFER_COUNT,
};

struct offer {
	const char *name;       /* "collections", … */
	bool available;
	const char *text;       /* what is told; or why not, and what to do. A clause, static */
	const char *probe;      /* "hotspot:gc__begin": the one that would be needed; or NULL */
};

/* Fills OFFER_COUNT offers, in the order of enum offer_level. */
void offers__find(const struct runtime *runtime, const struct modules *modules,
		  struct offer offers[OFFER_COUNT]);

/*
 * Are the samples of new objects births of what moves and survives? HotSpot's are not: they have
 * numbers, and what becomes of them is told by these, to who asks for samples themselves.
 */
bool offers__tell_births(const struct runtime *runtime, const struct offer offers[OFFER_COUNT]);

/* Would they tell what became of what a collection condemned? Its collector is known. */
bool offers__samples_tell_fates(const struct runtime *runtime);

#endif
