/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The feed makes events of records, whatever source they come from:
 *
 *	struct feed *feed;
 *	feed__new(&options, &sink, &feed);
 *	while ((err = feed__pull(feed, &source, timeout_ns)) == SOURCE_MORE)
 *		look_at_signals_and_timers();
 *	feed__end(feed);
 *	... feed__losses(feed) ...
 *
 * Records of several processes come through one feed: event.target tells them apart.
 * Everything that was lost is counted in feed__losses() and told to the sink as EVENT_LOSS at its
 * place in the order.
 */
#ifndef STREAM_FEED_H
#define STREAM_FEED_H

#include "loss.h"
#include "source.h"

struct feed;

#define FEED_WANTS(kind) (UINT64_C(1) << (kind))

struct feed_options {
	/* Set of FEED_WANTS(EVENT_...): kinds not in it are not even decoded. 0: all. */
	uint64_t wanted;
	/* Bound for the texts of definitions that come in parts, all together. 0: 64 MiB. */
	size_t join_bytes;
	/* For messages: a process's name, escaped ("4711 (java)"). May be NULL. */
	const char *(*name_of)(void *ctx, uint32_t target);
	void *ctx;
};

/* 0 or negative errno. options (NULL: all defaults) and sink are copied. */
int feed__new(const struct feed_options *options, const struct event_sink *sink, struct feed **out);
void feed__free(struct feed *feed);

/* Pull once from a source. Answers enum source_answer or negative errno, said already. */
int feed__pull(struct feed *feed, const struct source *source, uint64_t timeout_ns);

/*
 * Translate one record: 0, what the sink answered, or negative errno (said already):
 *   -EPROTONOSUPPORT   all targets speak a major version of the wire format that this gctrace
 *                      doesn't know (one of several: said, LOSS_VERSION, the others go on)
 * Malformed records are losses, not errors.
 */
int feed__record(struct feed *feed, const struct record *record);

/* The feed as a sink of records. */
struct record_sink feed__sink(struct feed *feed);

/*
 * The trace is over at this moment: its probes are detached from then on, one before the other. Of
 * what comes later only the ends of collections and pauses are to be used, and what names them: of
 * objects nothing is told any more, since what happened to them before may have found no probe. Nor
 * is a batch lost that did not. 0: not known, or not yet.
 */
void feed__over_from(struct feed *feed, uint64_t ns);

/*
 * No more records will come: batches that are still missing are lost. Tells the sink. Call it
 * once, before the last look at feed__losses(). 0 or what the sink answered.
 */
int feed__end(struct feed *feed);

/*
 * All of a source that waits for nobody, from feed__new() to feed__free(). `turn` (NULL: none) is
 * called after each pull, with the sink's context: 0, a positive number to stop here, or negative
 * errno. 0, what the sink answered or a turn, where that is negative, or said already.
 */
int feed__read_all(const struct feed_options *options, const struct event_sink *sink,
		   const struct source *source, int (*turn)(void *ctx));

const struct losses *feed__losses(const struct feed *feed);

/* Targets of an unknown major version so far (exit status 1). */
size_t feed__refused(const struct feed *feed);

/*
 * Well-formed records of kinds that this version doesn't know: skipped, to be told, no loss.
 * Calls fn for each kind with its count; `in_batch`: a kind of wire.h, else one of record.h.
 */
void feed__unknown(const struct feed *feed,
		   void (*fn)(void *ctx, unsigned int kind, bool in_batch, uint64_t count),
		   void *ctx);

#endif
