/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of many rings in one order that never contradicts what happened: merge.c says how.
 *
 * One thread uses a merge. Rings and merge don't own each other: free the merge first.
 */
#ifndef STREAM_MERGE_H
#define STREAM_MERGE_H

#include <stdbool.h>

#include "source.h"

struct merge;
struct ring; /* user/attach/ring.h */

struct merge_options {
	/*
	 * Called in each round where it matters for the order: read the loss counters and the
	 * kernel's events now, and tell what is new by merge__lose() and merge__inject().
	 * 0 or negative errno, which ends the pull. May be NULL.
	 */
	int (*collect)(void *ctx, struct merge *merge);
	void *ctx;
	uint64_t min_sleep_ns; /* 0: 1 ms */
	uint64_t max_sleep_ns; /* 0: 5 ms */
};

/* 0 or negative errno; options are copied (NULL: all defaults). */
int merge__new(const struct merge_options *options, struct merge **out);
void merge__free(struct merge *merge);

/*
 * Add a ring at any time; `number` is what its records are said to come from (any number that
 * no other ring has). 0 or negative errno.
 */
int merge__add_ring(struct merge *merge, struct ring *ring, unsigned int number);

/*
 * A ring is about to go (the ring of a dump, after its end): whatever still is in it is handed
 * to the sink, then it is forgotten; what is unfinished in it is counted as LOSS_STALLED.
 */
int merge__remove_ring(struct merge *merge, struct ring *ring, const struct record_sink *sink);

/*
 * Put a record of user space into the order by its stamp (a time of CLOCK_MONOTONIC that has
 * passed: when it happened, as the kernel's event says, or now). It is copied. The body
 * follows the head as in a ring. 0 or negative errno.
 */
int merge__inject(struct merge *merge, const struct record *record);

/*
 * `growth` more were lost since the last time (a counter has grown). When exactly nobody
 * knows: after all that was handed on before, and before now; the RECORD_LOSS says both.
 */
int merge__lose(struct merge *merge, uint32_t target, unsigned int kind, uint64_t growth);

/*
 * One round: wait for up to timeout_ns if there is nothing to do (0: don't wait), then hand on
 * in order what may be handed on. enum source_answer or negative errno; SOURCE_END only after
 * merge__finish().
 */
int merge__pull(struct merge *merge, uint64_t timeout_ns, const struct record_sink *sink);

/*
 * The probes are detached and no records come any more: hand on everything that is left.
 * Records that are still unfinished are counted as LOSS_STALLED. Answers as merge__pull.
 */
int merge__finish(struct merge *merge, const struct record_sink *sink);

/*
 * An epoll descriptor that merge__pull waits on: add what shall end the wait early (signals,
 * timers, pidfds; edge or level as you like, with data.u64 of your own below MERGE_DATA). A pull
 * that was ended by them answers as always; look at your descriptors after each pull.
 */
#define MERGE_DATA (UINT64_C(1) << 63)
int merge__epoll_fd(const struct merge *merge);

/* This merge as a source; valid as long as the merge. */
struct source merge__source(struct merge *merge);

#endif
