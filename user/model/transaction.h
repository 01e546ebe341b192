/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collection in the making: all that was said of it so far, and the figures that follow from
 * it once it is over. Which events belong to it is the assembler's to know (assembler.c).
 */
#ifndef MODEL_TRANSACTION_H
#define MODEL_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "collection.h"
#include "figures.h"
#include "generations.h"
#include "names.h"
#include "pools.h"
#include "tally.h"

/* What a generation spanned, before and after; EVENT_UNKNOWN: not told. */
struct generation_size {
	uint64_t generation;
	uint64_t before, after;
};

struct transaction {
	struct transaction *next; /* the assembler's list */
	uint64_t id;		  /* not used twice */
	uint32_t tid;		  /* of gc_start */
	bool numbered;		  /* by the runtime */
	bool started;		  /* gc_start was seen */
	bool ended;
	bool doubted; /* it has no number, and what was told of it may be several ones' */
	bool late;     /* start or end is when it was told: their difference is nothing */
	bool over;     /* the trace of its target is, in its midst */
	bool fragment; /* it may have started before its gc_start: that was doubted */
	enum event_pools pools_tell;
	uint64_t ended_as; /* the how-manieth to end: the order to hand them out in */
	uint64_t waits;	   /* id of the pause at whose end it is handed out; 0: none */
	uint64_t last_pause; /* id of the pause that it took part in last; 0: none */

	struct collection so_far; /* numbers of the start; the rest by transaction__conclude() */
	struct buf what, cause;	  /* the runtime's words; empty: none */
	struct tally tally;
	struct pools pools;
	struct figures figures;
	VEC(struct generation_size) sizes;
	VEC(struct pause) pauses; /* texts are offsets into pause_texts until the end */
	struct buf pause_texts;
	uint64_t pause_sum;	 /* EVENT_UNKNOWN once a share is not known */
	uint64_t suspend_sum;	 /* EVENT_UNKNOWN: none was told, or more than fits */
	bool suspend_told;	 /* by one pause at least */
	struct amount newcomers; /* promoted into it while it ran */
};

struct transaction *transaction__new(uint32_t target, uint64_t id); /* NULL: no memory */
void transaction__free(struct transaction *transaction);

/* Each 0 or -ENOMEM. */
int transaction__start(struct transaction *transaction, const struct event *gc_start);
int transaction__finish(struct transaction *transaction, const struct event *gc_finish);
int transaction__generation(struct transaction *transaction, const struct event *generation);
int transaction__pause(struct transaction *transaction, const struct pause *pause);

/*
 * It is over: work out everything. `reports_ranges`: this producer is known to report ranges, so
 * none at all means that nothing survived. The result is valid until the transaction is freed
 * or names change.
 */
const struct collection *transaction__conclude(struct transaction *transaction,
					       struct generations *generations,
					       const struct names *names, bool reports_ranges);

#endif
