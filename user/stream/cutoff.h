/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In front of whoever takes the records of a live source: has the end of the trace bounded
 * (base/ending.h), however many records come.
 *
 *	ENDING_ASKED    a pull that is under way comes back once, after its record
 *	ENDING_OVERDUE  records are counted, and not handed on
 */
#ifndef STREAM_CUTOFF_H
#define STREAM_CUTOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ending.h"
#include "source.h"

struct cutoff {
	enum ending (*ending)(void); /* how far the end is */
	uint64_t unread;	     /* records that were not handed on */
	bool has_come_back, comes_back;
	const struct record_sink *to;
};

/* For one pull; `to` must last as long. */
struct record_sink cutoff__sink(struct cutoff *cutoff, const struct record_sink *to);

/* What the caller of that pull gets for its answer. */
int cutoff__answer(const struct cutoff *cutoff, int answer);

/* Hand on the loss of what was not handed on, if any. What the sink answers. */
int cutoff__tell(const struct cutoff *cutoff, const struct record_sink *to);

#endif
