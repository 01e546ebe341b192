/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The targets that a feed hears of: what each translator keeps for them, and whose a record is.
 *
 * After an exec the probes of the old image's attachment still name the old target: what they
 * tell with a later stamp than the exec's is the successor's. RECORD_EXEC stands in the order
 * like everything else, so this is the same for a live trace and a recording.
 */
#ifndef STREAM_FEED_TARGETS_H
#define STREAM_FEED_TARGETS_H

#include "base/vec.h"
#include "translator.h"

#define FEED_TARGETS_LIMIT 4096u /* at a time */

struct decode_out;
struct decode_room;
struct decoder;
struct feed;

struct feed_doubt {
	bool lost;     /* records, some time before */
	bool goes_on;  /* and more perhaps, up to `until` */
	uint64_t until;
};

struct feed_target {
	struct feed *feed;
	uint32_t index;
	bool refused;
	bool ended; /* by an exec, at ended_ns */
	uint64_t ended_ns;
	uint64_t successor;   /* index; UINT64_MAX: none */
	uint64_t gaps;	      /* batches whose numbers were missed */
	uint64_t dropped;     /* records that are known not to have got into a ring */
	uint64_t unexplained; /* gaps that are counted as such */
	struct feed_doubt doubt;
	struct decoder *decoder; /* made when needed, as the states */
	void *states[TRANSLATORS];
};

struct feed_targets {
	VEC(struct feed_target *) all; /* by index; all zero is none */
	struct feed_doubt doubt;       /* of those that are not known yet */
};

void feed_targets__free(struct feed_targets *targets);

/* Whose a record is; made when it is new. NULL: one too many, or no memory. */
struct feed_target *feed_targets__of(struct feed_targets *targets, const struct record *record,
				     struct feed *feed);

/* By its index; NULL: it is not known. */
struct feed_target *feed_targets__find(const struct feed_targets *targets, uint64_t index);

/* Its process is gone: forget it, and the images that the process had before. */
void feed_targets__forget(struct feed_targets *targets, struct feed_target *target);

/*
 * Records of a target (LOSS_ANY_TARGET: of any, those included that are not known yet) were lost
 * until this stamp at most: the translators and the decoder forget what they know.
 */
void feed_targets__lose(struct feed_targets *targets, uint64_t index, uint64_t until);

/* A translator's state, made when needed, for a record of this stamp. NULL: no memory. */
void *feed_target__state(struct feed_target *target, size_t translator, uint64_t stamp);

/* Make its decoder; it stays NULL where there is no memory. */
void feed_target__decoder(struct feed_target *target, const struct decode_out *out,
			  struct decode_room *room);

/* Its image has ended: what the decoder still lacks is told as lost. What the sink answered. */
int feed_target__end(struct feed_target *target);

#endif
