/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One target of a trace, as show.c shows it: what its heading says, by the facts of the trace or in
 * its own words, and what came of it so far. Its texts are its own; all else belongs to the show.
 */
#ifndef GCTRACE_CLI_SHOWN_H
#define GCTRACE_CLI_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../model/assembler.h"
#include "../model/summary.h"
#include "../model/waiting_room.h"
#include "../view/view.h"

struct facts;

#define SHOWN_NOTICES_MOST 10 /* of a kind: a target may send as many as it likes */
#define SHOWN_NOTICE_KINDS 3  /* those of wire.h; what it does not know is of kind 0 */

struct shown {
	uint32_t target;
	struct heading heading;
	struct buf name, runtime, version, collector, provider, stopped_for; /* of the heading */
	struct summary summary;
	struct assembler_odd odd;
	uint64_t count; /* collections shown */
	struct waiting_room room;
	struct buf notice; /* said last */
	unsigned int notices[SHOWN_NOTICE_KINDS];
	uint64_t unsaid; /* beyond SHOWN_NOTICES_MOST */
	uint64_t end_ns; /* 0: it goes on */
	bool said;	/* runtime, version and collector are the producer's own words */
	bool headed, done;
	bool unsampled; /* it said that it cannot tell samples, and has told none since */
};

/* NULL: no memory. */
struct shown *shown__new(uint32_t target, uint64_t top_pauses);
void shown__free(struct shown *shown);

/* Its heading, by what the facts say now; start_ns: of the trace, where they say nothing of its. */
void shown__read_facts(struct shown *shown, const struct facts *facts, uint64_t start_ns);

/* What it is is known, and will not be another thing soon. */
bool shown__is_settled(const struct shown *shown, const struct facts *facts);

/* Who it is, in its own words (EVENT_PRODUCER); not once it is headed. */
void shown__hear_producer(struct shown *shown, const struct event *event);

/*
 * A stop begins (EVENT_PAUSE_BEGIN). True: it began well before the trace, so that the heading is
 * to say so; not once it is headed.
 */
bool shown__hear_stop(struct shown *shown, const struct event *event);

/*
 * A warning; once, though an agent that tries something again says each time that it cannot; and
 * SHOWN_NOTICES_MOST of a kind at most: shown__free() says how many more there were.
 */
void shown__say_notice(struct shown *shown, uint32_t what, struct text said);

#endif
