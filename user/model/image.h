/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the assembler knows of one target: collections and pauses that are going on, and to
 * which of them an event belongs.
 *
 * Collections that the runtime numbers are found by number. For those that it does not, an
 * event belongs to the one that started last on the same thread, else to the one that started
 * last at all. Numbers grow in the order of starts, so a number that was never seen starting tells
 * when it began: one below the first that was seen, before the attach; one above the highest,
 * in something that was lost; and any other has had its end already.
 */
#ifndef MODEL_IMAGE_H
#define MODEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "assembler.h"
#include "generations.h"
#include "names.h"
#include "stop.h"
#include "transaction.h"

#define IMAGE_RUNNING 64   /* collections at once; beyond it the oldest is cut off */
#define IMAGE_WITH_SPANS 4 /* of those, as long as so many run: each may keep 16 MiB of them */
#define IMAGE_STOPS 64	   /* pauses at once; the same */
#define IMAGE_ENDED 64	   /* numbers of collections from before the attach that have ended */

struct image {
	struct image *next;
	uint32_t target;
	struct transaction *transactions; /* in the order of their starts */
	size_t running;			  /* how many those are, ended ones that wait included */
	VEC(struct stop *) stops;	  /* in the order of their beginnings */
	struct generations generations;
	struct names names;
	struct assembler_odd odd;
	uint64_t ids;		 /* of transactions and pauses, used so far */
	uint64_t ended;		 /* collections so far */
	uint64_t counted;	 /* collections that got their number here */
	bool any_numbered;	 /* the two below hold */
	uint64_t first_started, highest_started;
	bool any_unnumbered;
	bool any_pause;
	uint64_t whole_from;	 /* what started before that is partial */
	bool lost;		 /* something, at some time */
	uint64_t lost_until;	 /* what started by then may lack a part */
	bool in_doubt;		 /* until then whole records may be missing anywhere */
	bool broken;		 /* records were lost: an end without a number may be anybody's */
	bool reports_ranges;
	bool reports; /* these, or other figures by records of their own */
	uint64_t ended_early[IMAGE_ENDED]; /* a ring of numbers below first_started */
	size_t ended_early_count;
};

struct image *image__new(uint32_t target); /* NULL: no memory */
void image__free(struct image *image);

/* The trace is over: what goes on is cut off. */
void image__cut_off(struct image *image);

/* A new transaction at the end of the list. NULL: no memory. */
struct transaction *image__add(struct image *image, uint64_t gc);

/* Take it out of the list and of all pauses; it is the caller's now. */
void image__remove(struct image *image, struct transaction *transaction);

/*
 * Whose is an event of collection gc (EVENT_UNKNOWN: not numbered) on this thread? `waiting`:
 * those that have ended and wait for their pause's end count too. NULL: nobody's.
 */
struct transaction *image__find(struct image *image, uint64_t gc, uint32_t tid, bool waiting);

/* When did a collection begin that was not seen beginning? */
enum image_missed {
	MISSED_BY_ATTACH,
	MISSED_BY_LOSS,
	MISSED_NEVER, /* it was seen, and is over */
};
enum image_missed image__missed(const struct image *image, uint64_t gc);

/* Remember numbers for image__missed(). */
void image__saw_start(struct image *image, uint64_t gc);
void image__saw_end(struct image *image, uint64_t gc);

/* By number, else by thread, else the one that began last; NULL: no pause goes on. */
struct stop *image__stop(struct image *image, uint64_t number, uint32_t tid);

#endif
