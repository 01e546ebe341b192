/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What flows through user/stream, and between which parts:
 *
 *	merge (live) ----\                             /--> feed ---- struct event ---> event_sink
 *	                  >-- struct record (ordered) -
 *	recording (file) /                             \--> recording_writer
 *
 * A source hands on ring records in their order; it doesn't matter to anybody behind it
 * whether they come from rings or from a file.
 *
 * Answers of a sink: 0 to go on; a positive number to stop without an error (enough was
 * seen); negative errno to stop with one. Whoever calls the sink hands the answer up.
 */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

#include <stdint.h>

#include "bpf/record.h"
#include "event.h"

struct event_sink {
	int (*event)(void *ctx, const struct event *event);
	void *ctx;
};

/*
 * A record is whole, lies in one piece at a multiple of 8 bytes, and is valid during the call;
 * record->bytes is checked against where it came from, what stands in it is not. `ring` is the
 * number of its ring (memory of a ring cannot be written, so record->ring may not be set).
 */
struct record_sink {
	int (*record)(void *ctx, const struct record *record, unsigned int ring);
	void *ctx;
};

enum source_answer {
	SOURCE_MORE = 0,    /* call again */
	SOURCE_END = 1,	    /* nothing more will come */
	SOURCE_STOPPED = 2, /* the sink answered with a positive number */
};

/*
 * Wait up to timeout_ns for records, hand on all that may be handed on, in order. Answers enum
 * source_answer or negative errno. merge__source() and recording__source() make one.
 */
struct source {
	int (*pull)(void *ctx, uint64_t timeout_ns, const struct record_sink *sink);
	void *ctx;
};

static inline int source__pull(const struct source *source, uint64_t timeout_ns,
			       const struct record_sink *sink)
{
	return source->pull(source->ctx, timeout_ns, sink);
}

/* Inside this room: the answer of a pull for the answer of a sink. */
static inline int source__answer(int from_sink)
{
	return from_sink > 0 ? SOURCE_STOPPED : from_sink;
}

#endif
