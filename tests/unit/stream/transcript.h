/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as text, one line for each range, root, reference or event, so that two sequences of
 * events can be compared whatever chunks they came in. Every byte that events point to is read.
 */
#ifndef UNIT_TRANSCRIPT_H
#define UNIT_TRANSCRIPT_H

#include "base/buf.h"
#include "stream/source.h"

struct transcript {
	struct buf text;
	bool times;	/* write event.time too */
	bool in_object; /* its next event goes on with its references */
	bool samples;	/* its next event goes on with samples of the same collection */
	uint64_t object; /* which one, if that is known: other objects may come between */
	int answer;	/* what to answer to each event */
};

void transcript__add(struct transcript *transcript, const struct event *event);
struct event_sink transcript__sink(struct transcript *transcript);
void transcript__free(struct transcript *transcript);

#endif
