/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From events to what is shown of them: assembler, summaries and view, for all targets of a
 * trace. The same for live processes and for recordings.
 *
 * A target is headed when it joins, if it is known what it is; else when something of it comes
 * first, so that one which says itself what it is (EVENT_PRODUCER) has said so, and one that was
 * starting has settled. Its results follow when its image has ended while others go on,
 * else at the end, by show__finish().
 */
#ifndef GCTRACE_CLI_SHOW_H
#define GCTRACE_CLI_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "../stream/source.h"

struct facts;
struct heading;
struct losses;
struct range_sink;
struct view;

struct show_options {
	uint64_t count;	       /* stop after so many collections were shown; 0: never */
	uint64_t recorded;     /* of a recording: it has so many, what follows is none's; 0: all */
	uint64_t min_pause_ns; /* show none that is shorter */
	uint64_t top_pauses;
	uint64_t until_ns;     /* stop at what comes later; 0: never */
	uint64_t start_ns;     /* of the trace */
	const char *file;      /* of the recording; NULL: live */
	bool samples; /* let collections wait for what samples tell of them (waiting_room.h) */
	bool progress;	       /* a long stop is shown while it lasts, on a terminal */
	bool quiet;	       /* show headings and results only; `count` counts all the same */
	const struct range_sink *ranges; /* who gets the ranges of collections; NULL: nobody */

	/* Look anew at what a target is: the facts tell then. NULL: they are what they are. */
	void (*identify)(void *context, uint32_t target);
	void *context;
};

struct show;

/*
 * The view and the facts outlive it (facts may grow meanwhile). 0, or negative errno after an
 * error message, as all of these.
 */
int show__new(const struct show_options *options, struct view *view, const struct facts *facts,
	      struct show **out);
void show__free(struct show *show);

/* More is known of a target. */
int show__joined(struct show *show, uint32_t target);

/*
 * What is known of a target; it is headed by now, if it was not yet. Valid as long as the show.
 * NULL: no memory, or the view has failed; said.
 */
const struct heading *show__head(struct show *show, uint32_t target);

/* What the feed feeds. Answers 1 when enough was shown. */
struct event_sink show__sink(struct show *show);

/* Where losses are counted (the feed's); must outlive the show. Once, before the first event. */
void show__count_losses(struct show *show, const struct losses *losses);

/* The trace was over at this moment; something of what comes later may still belong to it. */
void show__over_from(struct show *show, uint64_t ns);

/* Once in a while, live: who has waited long enough is shown. 0, 1: enough, or negative errno. */
int show__turn(struct show *show, uint64_t now_ns);

/* Live, as often: a stop that goes on for long is shown on stderr, where that is a terminal. */
void show__progress(struct show *show, uint64_t now_ns);

/* Nothing more comes: the results. */
int show__finish(struct show *show, uint64_t end_ns);

/* The latest stamp seen, at least the start. */
uint64_t show__last_ns(const struct show *show);

#endif
