/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lane is what the merge remembers of one ring: which of its records have been seen, and
 * which of those are handed on, so that the ring's memory is freed up to the first that is not.
 *
 *	          +--- first                     seen --+
 *	          v                                     v
 *	  freed   | done | waiting | busy | done | ...  |  not looked at yet
 *
 * A record that a program still writes (busy) hides nothing: its length is known, and
 * what stands behind it is seen, handed on and only not freed.
 */
#ifndef STREAM_LANE_H
#define STREAM_LANE_H

#include "base/vec.h"
#include "bpf/record.h"

struct ring;

/* A record that waits for its turn. */
struct waiting {
	uint64_t stamp;
	struct lane *lane; /* NULL: injected */
	union {
		uint64_t slot;		 /* which of the lane, counted from its beginning */
		struct record *injected; /* owned */
	};
};
struct waitings VEC_OF(struct waiting);

struct lane_slot {
	uint64_t position;
	uint32_t bytes;
	uint32_t done;
};

struct lane {
	struct ring *ring;
	unsigned int number;
	uint64_t seen;
	VEC(struct lane_slot) slots;
	uint64_t first; /* number of slots.items[0] */
	size_t freed;	/* so many at the front of slots are in the ring no more */
	VEC(uint64_t) busy; /* slots */
};

struct lane *lane__new(struct ring *ring, unsigned int number);
void lane__free(struct lane *lane);

/*
 * See what has come up to now: adds records that are ready to `waitings`, and to *malformed how
 * many were too short for a record. 0, -ENOMEM, or -EBADMSG for a ring that makes no sense.
 */
int lane__look(struct lane *lane, struct waitings *waitings, uint64_t *malformed);

/*
 * The record of a slot in one piece, valid until the next call for this lane; its head's size is
 * checked. NULL with *err: -EBADMSG, -ENOMEM.
 */
const struct record *lane__record(struct lane *lane, uint64_t slot, int *err);

size_t lane__bytes(const struct lane *lane, uint64_t slot);

/* Copy up to `bytes` from the start of a slot's record; how many that were. */
size_t lane__peek(const struct lane *lane, uint64_t slot, void *to, size_t bytes);

void lane__done(struct lane *lane, uint64_t slot);

/* Free the ring's memory up to the first slot that is not done. */
void lane__release(struct lane *lane);

#endif
