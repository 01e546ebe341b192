/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects keep their names while they move.
 *
 *	struct identity *identity = identity__new(&sink);
 *	struct range_sink ranges = identity__ranges(identity);
 *	struct assembler *assembler = assembler__new(&collections, &ranges);
 *
 *	for each event, in this order:
 *		assembler__event(assembler, event);
 *		identity__event(identity, event);
 *
 *	identity__look(identity, target)->objects ...
 *
 * One identity serves all targets of a trace. Objects become known by heap dumps (EVENT_OBJECT
 * between C_BEGIN and C_END) and by sampled allocations (EVENT_OBJECT_ALLOC), and get an id then.
 * From there on collections move them, age them and kill them, as relocation.c tells. Every further
 * dump is an anchor: what it tells is matched with what is believed, and how often that was wrong
 * is the model's error rate.
 *
 * WHEN. A dump that is told in a pause, or in a collection that stops the world, is matched when
 * that is over: addresses in it are those behind the moves, also where its end (C_END) comes later,
 * when they do not hold any more. A sampled allocation is told before the
 * pause in which its address changes; during a concurrent collection it counts as born after that
 * one's start.
 *
 * WHAT IS NOT KNOWN IS NOT CLAIMED. Withdrawn, and counted so:
 *   - what a collection condemned, as soon as one of its reports may have been lost
 *   - everything, if a whole collection may have been lost: after any loss, unless the runtime
 *     numbers its collections and no number is missing
 *   - what a collection may have condemned and no range has: objects first told while it ran, or
 *     of which nobody said in which generation they lie
 *   - what lies where room is given away before ranges tell of it: the producer says so
 *     (EVENT_REUSE), or what a collection has condemned lies where that one does not collect
 *   - all that a collection did not report as survived which began before the attach; all, if it
 *     moves
 *   - all that is condemned by a producer that has never reported any range, or that was declared
 *     to report some objects only (identity__tells_some())
 *
 * Everything belongs to the identity. Errors are negative errno: after -ENOMEM only
 * identity__free() may follow.
 */
#ifndef MODEL_IDENTITY_H
#define MODEL_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "anchor.h"
#include "assembler.h"
#include "blocks.h"
#include "objects.h"
#include "relocation.h"
#include "survival.h"
#include "types.h"

/* What a collection did to objects that are known. */
struct identity_collection {
	uint32_t target;
	const struct collection *collection;
	bool known; /* it was applied; else what it condemned is withdrawn */
	struct survival_sum survived, moved, promoted, died, withdrawn;
	struct survival_sum stayed; /* of those that survived: where they were */
	uint64_t ranges; /* that were applied */

	/*
	 * The same in bytes, by ranges alone, whatever objects are known; valid during the call.
	 * NULL: a part of its ranges is missing, or makes no sense, or none was told.
	 */
	const struct blocks *blocks;
};

/* A dump, matched. */
struct identity_anchor {
	uint32_t target;
	uint64_t number;    /* of the anchors of this target, from 1 */
	uint64_t dump;	    /* the producer's number; EVENT_UNKNOWN: its beginning was not seen */
	bool whole;	    /* it told all: what is not in it is gone */
	struct anchor result;
};

/* Sums of one target, since it is followed. */
struct identity_figures {
	uint64_t collections; /* that have ended */
	uint64_t applied;     /* of those, to objects */
	uint64_t seen, died, withdrawn;
	uint64_t matched, gone, conflicts; /* of anchors */
	uint64_t anchors;
	uint64_t beside;	 /* dumped objects that were not taken: their dump is in doubt */
	uint64_t stray_births;	 /* sampled where a known object lives: a conflict */
	struct relocation_odd odd;
};

/* Each may be NULL; the first answer that is not 0 is that of the call that brought it about. */
struct identity_sink {
	void *context;
	int (*collection)(void *context, const struct identity_collection *collection);
	int (*anchor)(void *context, const struct identity_anchor *anchor);
	/* An object leaves for good; it is valid during the call. */
	void (*left)(void *context, uint32_t target, const struct object *object, uint64_t address,
		     enum object_fate fate);
	/* Objects are found alive, before they move (struct survivors says what is valid). */
	void (*survived)(void *context, uint32_t target, const struct survivors *survivors);
	/* All of a target is about to be forgotten (it executed or exited). */
	int (*ended)(void *context, uint32_t target);
};

struct identity;

struct identity *identity__new(const struct identity_sink *sink); /* NULL: no memory */
void identity__free(struct identity *identity);

struct range_sink identity__ranges(struct identity *identity);

int identity__event(struct identity *identity, const struct event *event);

/* Of this target, ranges tell the fate of some objects only: absence means nothing. */
int identity__tells_some(struct identity *identity, uint32_t target);

/* Memory of all objects, in bytes: without malloc's own, and without ranges on their way. */
uint64_t identity__bytes(const struct identity *identity);

/* What is known of a target now; valid until the next event. */
struct identity_view {
	struct objects *objects;
	const struct types *types;
	const struct survival *survival;
	struct generations *generations; /* as told last */
	/*
	 * Something was lost, perhaps a whole collection. The next one's number will tell whether
	 * all of this is right, or nothing.
	 */
	bool in_doubt;
	struct identity_figures figures;
};

/* False: of this target nothing is known. *err: -ENOMEM. */
bool identity__look(struct identity *identity, uint32_t target, struct identity_view *view,
		    int *err);

#endif
