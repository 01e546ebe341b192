/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was lost, by kind and by target. Loss is never silent: whatever could not be had, kept
 * or understood is counted here once, where it happened, and told as EVENT_LOSS at its place in
 * the order; the summary of every output tells the sums, and the exit status is 3.
 */
#ifndef STREAM_LOSS_H
#define STREAM_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These numbers stand in recordings: assigned once. The first four are those of enum bpf_loss. */
enum loss_kind {
	LOSS_RING_FULL = 0,    /* records that found no room in their ring */
	LOSS_COPY = 1,	       /* records whose data in the target could not be read */
	LOSS_OVERSIZE = 2,     /* batches, or entries of arrays, beyond the stated bound */
	LOSS_BAD_BATCH = 3,    /* batches with a wrong magic or size */
	LOSS_SEQUENCE_GAP = 4, /* batches, numbered by the producer, that no program saw either */
	LOSS_DUPLICATE = 5,    /* batches whose number had come before; they are not used */
	LOSS_MALFORMED = 6,    /* records, of rings or batches, that contradict the format */
	LOSS_VERSION = 7,      /* batches of a major version that this gctrace does not know */
	LOSS_INCOMPLETE = 8,   /* definitions whose parts did not all come */
	LOSS_LIMIT = 9,	       /* what went beyond a bound of gctrace's own memory */
	LOSS_STALLED = 10,   /* records that a probe had begun and not ended when the trace ended */
	LOSS_PERF = 11,	     /* an image, a library or the end of a thread that nobody saw */
	LOSS_RECORDING = 12, /* blocks of a recording that are damaged or missing */
	LOSS_TRUNCATED = 13, /* bytes of texts that were longer than a record */
	LOSS_UNATTACHED = 14, /* sites of probes that could not be attached, then or ever */
	LOSS_UNNAMED = 15, /* names that had no room in the process that told them */
	LOSS_SAMPLES = 16, /* sampled allocations that had no room there */
	LOSS_UNANSWERED = 17, /* gctrace's own reads of it that were not answered in time */
	LOSS_UNREAD = 18, /* records that were there at the end, when its time was up */
	LOSS_KINDS
};

/* The loss concerns every target, or nobody knows which. */
#define LOSS_ANY_TARGET UINT32_MAX

/* For machines ("sequence_gap"); stays the same in later versions. Never NULL. */
const char *loss__name(unsigned int kind);

/* For people, after a number: "batches never came (gap in their numbers)". Never NULL. */
const char *loss__text(unsigned int kind, uint64_t count);

/*
 * May it have taken whole records, so that what is open and what comes next need not belong
 * together? Not so where batches, which are numbered, or parts of records are missing.
 */
bool loss__breaks(unsigned int kind);

struct losses;

struct losses *losses__new(void); /* NULL: no memory */
void losses__free(struct losses *losses);

/*
 * Count. When memory for one more target runs out, the loss is counted for LOSS_ANY_TARGET;
 * sums are always right. Kinds that this version does not know count as LOSS_MALFORMED's.
 */
void losses__add(struct losses *losses, unsigned int kind, uint32_t target, uint64_t count);

/* What was counted as lost has come after all (out of order): take it back. */
void losses__recover(struct losses *losses, unsigned int kind, uint32_t target, uint64_t count);

bool losses__none(const struct losses *losses);
uint64_t losses__sum(const struct losses *losses, unsigned int kind);
uint64_t losses__of(const struct losses *losses, unsigned int kind, uint32_t target);
uint64_t losses__of_target(const struct losses *losses, uint32_t target); /* all kinds */

#endif
