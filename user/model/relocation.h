/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one collection does to a table of live objects. relocation.c opens with how and why.
 *
 *	relocation__condemn()     once: whose death it may decide
 *	relocation__phase()       any number: ranges that hold at the same time
 *	relocation__bury()        once: what was condemned and in no range is dead
 *     or relocation__withdraw()  once: nobody knows
 *
 *	relocation__forget()      at any time: nobody knows of what lies somewhere
 *
 * All return 0 or -ENOMEM; after that the table is not to be used any more.
 */
#ifndef MODEL_RELOCATION_H
#define MODEL_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generation_places.h"
#include "objects.h"
#include "spans.h"
#include "stream/event.h"

enum relocation_oddity {
	ODD_EMPTY,	   /* a length of 0: it moves nothing, and breaks nothing */
	ODD_WRAPPED,	   /* it reaches around the end of the addresses */
	ODD_OVERRUN,	   /* it begins inside of the heap and ends outside */
	ODD_CONTRADICTORY, /* it overlaps another one of its phase that goes elsewhere */
	ODD_ONTO_LIVE,	   /* it moves onto an object that lives and stays */
	ODD_CLASH,	   /* several objects came to lie at one address; counted by address */
	ODDITIES
};

struct relocation_odd {
	uint64_t counts[ODDITIES];
	struct range first[ODDITIES]; /* zeros for ODD_CLASH */
	uint64_t repeated;	      /* ranges told before in their phase: no contradiction */
};

/*
 * Objects that were found alive: `count` in a row, before their states change (but where they
 * were going to be condemned by `slot` shows whether they age). Moved: they go from generation
 * `from` to `to`, each GENERATION_UNKNOWN where that is not known.
 */
struct survivors {
	const struct object *first;
	uint32_t count;
	unsigned int slot;
	bool moved;
	uint64_t from, to;
};

struct relocation {
	struct objects *objects;
	unsigned int slot;
	bool last; /* after this phase comes only the end, and no other slot is in use */
	bool some; /* ranges tell of some objects only: absence means nothing (PERHAPS) */
	struct generation_places *before, *after;
	/* What the collections in OBJECT_SLOTS slots collect, UINT64_MAX where there is none. May
	 * be NULL; for relocation__condemn(). */
	const uint64_t *masks;
	unsigned int given_away; /* its own: slots */
	struct relocation_odd odd;
	void (*survived)(void *context, const struct survivors *survivors); /* may be NULL */
	/* What of a phase is believed: sorted, disjoint. May be NULL. 0 or -ENOMEM. */
	int (*phase)(void *context, const struct range *ranges, size_t count);
	void *context;
};

static inline bool generation__is_in(uint64_t mask, uint64_t generation)
{
	return mask == UINT64_MAX || (generation < 64 && mask >> generation & 1);
}

/*
 * Objects that lie in the generations of a mask are condemned; those whose generation is not
 * known, perhaps. The slot is free: no object has a state in it.
 */
int relocation__condemn(struct relocation *relocation, uint64_t mask);

/* All moves at once, in any order. Sorts and changes the array. */
int relocation__phase(struct relocation *relocation, struct range *ranges, size_t count);

int relocation__bury(struct relocation *relocation);
int relocation__withdraw(struct relocation *relocation);

/*
 * Withdraw what lies in the span, be it in part, and begins in a generation of the mask or nobody
 * knows where.
 */
int relocation__forget(struct relocation *relocation, uint64_t mask, const struct span *span);

/* Withdraw all objects that there are. */
int relocation__withdraw_all(struct objects *objects);

#endif
