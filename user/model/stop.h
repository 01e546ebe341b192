/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses that are going on, and how each is divided among the collections in it.
 *
 *	begin      A starts      A ends        B starts          B ends       end
 *	  |-----------|------------|---------------|-----------------|---------|
 *	  <------------- share of A --------------><--------- share of B ------>
 *
 * The first one also gets what comes before it (stopping the threads), the last one what comes
 * after it. A start that is reported after the end of another collection, and was before it, takes
 * over at that end. A collection that neither starts nor ends in a pause has the whole of it, if it
 * is the one that the pause is for (a remark of a concurrent collection).
 *
 * Where records may have been lost inside, only a number proves that a begin and an end are of one
 * pause: without one it is not measured. And whose share is what is not known then,
 * unless there was a single collection.
 */
#ifndef MODEL_STOP_H
#define MODEL_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "collection.h"
#include "names.h"
#include "transaction.h"

struct stop_share {
	struct transaction *transaction;
	uint64_t ns; /* EVENT_UNKNOWN */
};

struct stop {
	uint64_t id; /* not used twice, above 0 */
	uint32_t tid;
	struct pause pause; /* as far as it is known */
	bool late;	    /* one of its times is when it was told: not to be measured */
	bool doubted;	    /* records may be missing inside, those of others among them */
	struct buf what;
	struct transaction *owner; /* whose share grows now */
	uint64_t since;		   /* when that began; EVENT_UNKNOWN */
	uint64_t owner_ended;	   /* EVENT_UNKNOWN: it still runs */
	VEC(struct stop_share) shares;
};

/* From a pause_begin, or from a pause_end whose beginning was not seen. NULL: no memory. */
struct stop *stop__new(uint64_t id, const struct event *pause);
void stop__free(struct stop *stop);

/* A collection starts or ends in it. 0 or -ENOMEM. */
int stop__touch(struct stop *stop, struct transaction *transaction, uint64_t time, bool starts);

/* It is over, at its pause_end or (NULL) without one: fill in pause, close the shares. */
int stop__end(struct stop *stop, const struct event *pause_end, const struct names *names);

#endif
