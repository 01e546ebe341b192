/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the heap dumps in a stream of events, mostly in a recording (dump_name.h says how they
 * are counted):
 *
 *	dump_finder__init(&finder, number, &sink);
 *	options.wanted = DUMP_FINDER_WANTS | ...;
 *	feed__new(&options, &(struct event_sink){ dump_finder__event, &finder }, &feed);
 *	while (feed__pull(feed, &source, 0) == SOURCE_MORE)
 *		;
 *	if (!finder.begun)   there is no such dump: finder.seen says how many there are
 *	if (!finder.ended)   it has no end here: the recording stopped in its middle
 *
 * The sink gets what dump.h says that a sink gets of a live dump. Answers 1 (enough was seen)
 * behind the dump's end; what stands in the record of its end besides is passed over.
 */
#ifndef STREAM_DUMP_FINDER_H
#define STREAM_DUMP_FINDER_H

#include <stdbool.h>

#include "feed.h"

/* What it needs to see besides that which the sink wants to see. */
#define DUMP_FINDER_WANTS                                                                         \
	(FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_DUMP_END) |                               \
	 FEED_WANTS(EVENT_PAUSE_END) | FEED_WANTS(EVENT_GC_START))

struct dump_finder {
	uint64_t number; /* wanted, from 1 */
	struct event_sink sink;

	uint64_t seen;	 /* dumps that have begun so far */
	bool begun, ended; /* the wanted one */
	uint64_t status; /* of C_END; EVENT_UNKNOWN: it has not come */
	uint32_t target;
	uint64_t begun_ns;
	uint64_t lost; /* in the midst of it */
};

void dump_finder__init(struct dump_finder *finder, uint64_t number,
		       const struct event_sink *sink);

/* For struct event_sink: context is the finder. 0, 1, or what the sink answered. */
int dump_finder__event(void *context, const struct event *event);

#endif
