/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One target whose objects are followed: what is between events and the table.
 *
 *	identity.c         which event goes to whom
 *	subject.c          collections: what they condemn, when they are applied, when they end
 *	subject_told.c     what tells objects: heap dumps and sampled allocations
 *
 * A COURSE is a collection on its way. All that is applied is applied in the order of their starts,
 * as far as it matters: before a course is applied, those that started before it have condemned
 * (`sealed`), and what was told before they started is in the table.
 */
#ifndef MODEL_SUBJECT_H
#define MODEL_SUBJECT_H

#include "generation_places.h"
#include "identity.h"
#include "ranges.h"
#include "unfinished.h"

#define NO_SLOT OBJECT_SLOTS

struct course {
	struct course *next; /* in the order of their starts; those not seen starting first */
	uint64_t id;
	uint64_t order; /* of starts, from 1; 0: not seen */
	uint64_t number, mask;
	bool numbered, concurrent;
	bool incomplete, partial;
	bool sealed;	   /* has condemned */
	bool done;	   /* has ended, only finish() or drop() is missing */
	bool moves;	   /* has reported any */
	unsigned int slot; /* NO_SLOT: none was free, or it is not sealed */
	struct generation_places before, after;
	struct ranges ranges;
	struct blocks blocks; /* where the sink wants collections */
	uint64_t odd;	      /* ranges of it that were not believed */
	struct identity_collection result;
};

struct newborn {
	uint64_t address, size;
	uint32_t type;
	uint64_t order; /* courses that had started when it was told */
	uint64_t stamp;
};

/* A dump that is being told, or that waits to be matched. */
struct dump {
	bool telling, waiting;
	bool whole;
	uint64_t number, gc; /* EVENT_UNKNOWN */
	uint64_t order;
	uint64_t stamp;	  /* of its beginning */
	uint64_t objects;
	bool beside; /* one of them was told while the program ran */
	bool placed; /* they are in the table; how the dump ends is to come */
	struct anchor result;
};

struct subject {
	struct subject *next;
	struct identity *identity;
	uint32_t target;
	struct objects objects;
	struct unfinished unfinished; /* of the dump that is being told */
	struct types types;
	struct survival survival;
	struct generations generations; /* as told last */
	struct generation_places now;		/* for a moment */
	struct course *courses;
	struct course *applying; /* whose doing it is that objects leave */
	struct course *noting;	 /* whose generations are being told; NULL: nobody's */
	bool noting_after;
	uint64_t orders; /* starts so far */
	struct range_list phase; /* kept for its memory */
	VEC(struct newborn) newborns;
	struct dump dump;
	VEC(uint64_t) missed; /* ids of what it did not tell, once it is placed */
	bool in_pause, some, any_ranges;
	bool numbered; /* the highest number is known */
	bool lost;     /* something, at some time; the last of it by `lost_until` */
	bool doubt;    /* whole collections may have been among it */
	uint64_t highest, lost_until;
	struct identity_figures figures;
};

struct identity {
	struct identity_sink sink;
	struct subject *subjects;
};

struct subject *subject__new(struct identity *identity, uint32_t target); /* NULL: no memory */
void subject__free(struct subject *subject);

/* ---- subject.c: each 0, -ENOMEM or what the sink answered ---- */

int subject__start(struct subject *subject, const struct range_transaction *transaction);
int subject__report(struct subject *subject, const struct range_transaction *transaction,
		    const struct event *report);
int subject__pause_end(struct subject *subject, const struct range_transaction *transaction);
int subject__finish(struct subject *subject, const struct range_transaction *transaction);
int subject__drop(struct subject *subject, const struct range_transaction *transaction);

/* Outside of pauses: let those condemn that have started, as far as nothing is to come before. */
int subject__seal(struct subject *subject);

int subject__generation(struct subject *subject, const struct event *event);
int subject__reuse(struct subject *subject, const struct event *event);
int subject__lose(struct subject *subject, const struct event *event);

/*
 * Whole collections may have been lost, and now it shows whether: `proven` that there was none, or
 * what was told before the end of the loss is not known any more. Does nothing without a doubt.
 */
int subject__end_doubt(struct subject *subject, uint64_t now, bool proven);

/* ---- subject_told.c ---- */

int subject__container(struct subject *subject, const struct event *event);
int subject__object(struct subject *subject, const struct event *event);
int subject__dump_end(struct subject *subject, const struct event *event);
int subject__birth(struct subject *subject, const struct event *event);

/* Take in what was told before the start of this order: allocations, and a dump that waits. */
int subject__take_in(struct subject *subject, uint64_t order);
/* Match a dump that waits, if nothing is open any more that changes addresses. */
int subject__match_if_due(struct subject *subject);
/* Take in all sampled allocations, unless a collection or a doubt has to be settled first. */
int subject__take_in_births(struct subject *subject);

#endif
