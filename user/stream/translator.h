/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A translator makes events from the ring records of one provider. One state for each target,
 * made with its first record of that provider and freed when its image ends.
 *
 * To add one: fill in a const struct translator, declare it here, add it to the table in
 * translator.c.
 */
#ifndef STREAM_TRANSLATOR_H
#define STREAM_TRANSLATOR_H

#include "source.h"

struct translator {
	const char *name;	/* of the provider */
	uint16_t first, last;	/* enum record_kind, both included */

	/* A new state, or NULL when memory runs out. */
	void *(*new)(uint32_t target);
	void (*free)(void *state);

	/*
	 * Translate one record: call the sink for each event that it makes, and hand up what
	 * the sink answers unless that is 0. record->bytes is right, everything else in the
	 * record (counts, lengths) is to be checked against it. -EBADMSG: the record is
	 * malformed (the feed counts it as lost); other negative errno end the trace. An
	 * EVENT_LOSS (a text that was longer than its record: LOSS_TRUNCATED) is counted too.
	 */
	int (*record)(void *state, const struct record *record, const struct event_sink *sink);

	/*
	 * What an agent adds to what this provider tells (wire.h, BESIDE): EVENT_BESIDE, and events
	 * of the collection that runs, which have no number. Those that have one to belong to go
	 * on to the sink, those that have none do not. May be NULL.
	 */
	int (*beside)(void *state, const struct event *event, const struct event_sink *sink);

	/*
	 * Records were lost: what was open need not be so any more, and what was known may be
	 * outdated. Forget it; starts that may lack something from now on are `doubted`. May be
	 * NULL. The assembler does the same with what was told so far.
	 */
	void (*lost)(void *state);
};

extern const struct translator hotspot_translator; /* hotspot.c */
extern const struct translator python_translator;  /* python.c */
extern const struct translator ruby_translator;	   /* ruby.c */

#define TRANSLATORS 3
extern const struct translator *const translators[TRANSLATORS];

/* An event with its head filled in from the record and everything else 0. */
static inline struct event translator__event(const struct record *record, enum event_kind kind)
{
	return (struct event){
		.kind = kind,
		.target = record->target,
		.tid = record->tid,
		.time = record->stamp,
		.stamp = record->stamp,
	};
}

/* The begin or end of a pause of a runtime that numbers none and tells no more of it. */
static inline struct event translator__pause(const struct record *record, enum event_kind kind)
{
	struct event event = translator__event(record, kind);

	event.pause.pause = EVENT_UNKNOWN;
	event.pause.suspend_ns = EVENT_UNKNOWN;
	return event;
}

/* The end of a collection, likewise. */
static inline struct event translator__finish(const struct record *record)
{
	struct event event = translator__event(record, EVENT_GC_FINISH);

	event.gc_finish.gc = EVENT_UNKNOWN;
	event.gc_finish.collected = EVENT_UNKNOWN;
	return event;
}

/*
 * The end of a pause, or a collection, of a thread: it is over by the time of this record, but when
 * it ended was missed (event.overdue). What the sink answers.
 */
int translator__end_overdue(const struct record *record, const struct event_sink *sink,
			    uint32_t tid);
int translator__finish_overdue(const struct record *record, const struct event_sink *sink,
			       struct text what, uint32_t tid);

#endif
