/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of one producer's batches: which have come, which are missing, which came twice.
 *
 *	    seen and unseen, for late ones       seen and unseen (holes)
 *	  |-------------------------------|--------------------------------|
 *	floor                            low                              next
 *	                all settled below  ^    one more than the highest  ^
 *
 * Threads take their numbers before they fire, so numbers arrive a little out of order: a hole is
 * not a loss at once. It becomes one when
 *   - a record that ends something says that all batches below a number have been fired (not
 *     one that comes when the trace is over: the probe may have been gone), or
 *   - it is open for SEQUENCE_PATIENCE_NS (by the stamps) while others come, or the window of
 *     SEQUENCE_WINDOW numbers has moved past it.
 * A thread may be late even then, by a number that it took before another thread's pause ended:
 * when such a batch comes, the loss is taken back.
 *
 * The first number seen is the base: what is missing below it was fired before the attach.
 */
#ifndef STREAM_SEQUENCE_H
#define STREAM_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define SEQUENCE_WINDOW 8192u
#define SEQUENCE_PATIENCE_NS UINT64_C(1000000000)

struct sequence {
	bool begun;
	uint64_t base;
	uint64_t floor, low, next;
	uint64_t settled_ns; /* stamp of the batch that brought low to where it is */
	uint64_t doubted;    /* holes below this number ... */
	uint64_t doubted_ns; /* ... were open at this stamp */
	uint64_t bits[SEQUENCE_WINDOW / 64];
};

enum sequence_verdict {
	SEQUENCE_NEW,
	SEQUENCE_LATE,	    /* it had been counted as lost: it isn't */
	SEQUENCE_DUPLICATE, /* it has been there, or is too old to tell: not to be used */
};

/* A batch has come. *lost: how many others are lost, as is known now. All zero is a start. */
enum sequence_verdict sequence__arrive(struct sequence *sequence, uint64_t number, uint64_t stamp,
				       uint64_t *lost);

/* All batches below `batches` have been fired; how many of them are newly known to be lost. */
uint64_t sequence__expect(struct sequence *sequence, uint64_t batches, uint64_t stamp);

/*
 * Nothing will come any more, for the trace ended at this stamp: how many holes are lost. Those
 * that had not been open for SEQUENCE_PATIENCE_NS are not: their threads had taken the numbers, and
 * fired when the probe was gone (or never, if the process ended). What is cut off by that is
 * the transaction that they belonged to, whose end is missing as well.
 */
uint64_t sequence__end(struct sequence *sequence, uint64_t stamp);

#endif
