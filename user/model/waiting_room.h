/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collections of one target that wait for their samples.
 *
 * What became of samples is told by another thread than the collection, some milliseconds behind
 * its pause. So collections of a target that tells samples are kept until then, and leave in
 * their order, with what the samples add (sampled.h):
 *
 *	waiting_room__take(&room, collection)	copies it
 *	waiting_room__event(&room, event)	OBJECT_ALLOC, SAMPLES, LOSS
 *	waiting_room__pass(&room, now_ns)	who has waited long enough leaves without
 *	while ((kept = waiting_room__next(&room)))
 *		... kept->is ...  free(kept);
 *
 * WHOSE A TURN IS is told by its time: of the last pause that began before it. Two collections that
 * share a pause share their samples, and neither gets them. A collection beside the program is
 * looked at again and again; what was found until the first look behind its end is its own,
 * unless another one has ended as well by then.
 *
 * Numbers would not tell it better. That of a turn counts collections that have ended; that of a
 * collection is given at its start, or, where the runtime has none (HotSpot), counts what gctrace
 * saw since it attached, remarks included. And where time leaves it open, as of two in a pause, one
 * turn stands for both.
 */
#ifndef MODEL_WAITING_ROOM_H
#define MODEL_WAITING_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "collection_copy.h"
#include "sampled.h"

/* At most. Beside the program the agent looks again after a quarter, half, a whole, two seconds. */
#define WAITING_NS UINT64_C(1000000000)
#define WAITING_BESIDE_NS UINT64_C(4000000000)

struct waiting_room {
	struct sampled sampled;
	struct collection_copy *first, *last; /* those that wait, in their order */
	struct collection_copy *out, *out_last; /* those that leave */
	bool has_turn; /* the last turn is nobody's yet */
	struct site_turn sum; /* of those that are nobody's */
};

#define WAITING_ROOM_INIT { .sampled = SAMPLED_INIT }

void waiting_room__free(struct waiting_room *room);

/* Each 0 or -ENOMEM. */
int waiting_room__take(struct waiting_room *room, const struct collection *collection);
int waiting_room__event(struct waiting_room *room, const struct event *event);

/* UINT64_MAX: nothing more comes. */
void waiting_room__pass(struct waiting_room *room, uint64_t now_ns);

/* To be freed; NULL: nobody leaves now. */
struct collection_copy *waiting_room__next(struct waiting_room *room);

#endif
