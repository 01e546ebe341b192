/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to events. Which translator understands a record says its kind; each target has a
 * state of its own with each of them.
 */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "decode.h"
#include "feed_targets.h"
#include "gctrace/wire.h"
#include "translator.h"

#define KINDS 65536u

struct feed {
	struct feed_options options;
	struct event_sink sink;
	struct losses *losses;
	struct decode_room *room;
	struct feed_targets targets;
	size_t refused;
	uint64_t *unknown[2]; /* counts by kind: of rings, in batches; made when needed */
	uint64_t stamp;	      /* of the record that is being translated */
	int answer;	      /* the first of the sink's that was not 0, for this record */
};

/* ---------------------------------------------------------------------------------------------
 * Life
 */

int feed__new(const struct feed_options *options, const struct event_sink *sink, struct feed **out)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return -ENOMEM;
	if (options)
		feed->options = *options;
	if (!feed->options.wanted)
		feed->options.wanted = UINT64_MAX;
	feed->options.wanted |= FEED_WANTS(EVENT_LOSS) | FEED_WANTS(EVENT_EXEC) |
				FEED_WANTS(EVENT_EXIT) | FEED_WANTS(EVENT_BESIDE);
	feed->sink = *sink;
	feed->losses = losses__new();
	feed->room = decode_room__new(feed->options.join_bytes);
	if (!feed->losses || !feed->room) {
		feed__free(feed);
		return -ENOMEM;
	}
	*out = feed;
	return 0;
}

void feed__free(struct feed *feed)
{
	if (!feed)
		return;
	feed_targets__free(&feed->targets);
	decode_room__free(feed->room);
	losses__free(feed->losses);
	free(feed->unknown[false]);
	free(feed->unknown[true]);
	free(feed);
}

/* ---------------------------------------------------------------------------------------------
 * Telling
 */

/* What follows objects would go wrong by a part of it. */
static bool is_of_objects(const struct event *event)
{
	switch (event->kind) {
	case EVENT_MOVED:
	case EVENT_SURVIVING:
	case EVENT_REUSE:
	case EVENT_CONTAINER:
	case EVENT_ROOTS:
	case EVENT_OBJECT:
	case EVENT_HEADS:
	case EVENT_DUMP_END:
		return true;
	case EVENT_OBJECT_ALLOC: /* what becomes of one with a number no range tells */
		return !event->alloc.sample;
	default:
		return false;
	}
}

static int tell(struct feed *feed, const struct event *event)
{
	if (is_of_objects(event) && decode_room__is_late(feed->room, feed->stamp))
		return feed->answer;
	if (!feed->answer && feed->options.wanted >> event->kind & 1)
		feed->answer = feed->sink.event(feed->sink.ctx, event);
	return feed->answer;
}

static int tell_loss(struct feed *feed, uint32_t target, unsigned int kind, uint64_t count,
		     uint64_t from, uint64_t until)
{
	struct event event = {
		.kind = EVENT_LOSS,
		.target = target,
		.time = from,
		.stamp = feed->stamp,
		.loss = { .kind = kind, .count = count, .until = until },
	};

	return count ? tell(feed, &event) : feed->answer;
}

static int lose(struct feed *feed, uint32_t target, unsigned int kind, uint64_t count,
		uint64_t from, uint64_t until)
{
	if (count && loss__breaks(kind))
		feed_targets__lose(&feed->targets, target, until);
	losses__add(feed->losses, kind, target, count);
	return tell_loss(feed, target, kind, count, from, until);
}

static int lose_here(struct feed *feed, uint32_t target, unsigned int kind)
{
	return lose(feed, target, kind, 1, feed->stamp, feed->stamp);
}

static void count_unknown(struct feed *feed, bool in_batch, unsigned int kind)
{
	if (!feed->unknown[in_batch])
		feed->unknown[in_batch] = calloc(KINDS, sizeof(uint64_t));
	if (feed->unknown[in_batch])
		feed->unknown[in_batch][kind]++;
	else
		feed->answer = feed->answer ? feed->answer : -ENOMEM;
}

/*
 * A batch that found no room is missed by its number, too, sooner or later than the programs'
 * count is read: one loss. Only gaps beyond that count are losses of their own. Where records of
 * single probes were dropped besides, as many gaps may hide behind them.
 */
static void count_gaps(struct feed_target *target)
{
	uint64_t beyond = target->gaps > target->dropped ? target->gaps - target->dropped : 0;
	struct losses *losses = target->feed->losses;

	if (beyond > target->unexplained)
		losses__add(losses, LOSS_SEQUENCE_GAP, target->index,
			    beyond - target->unexplained);
	else
		losses__recover(losses, LOSS_SEQUENCE_GAP, target->index,
				target->unexplained - beyond);
	target->unexplained = beyond;
}

static void add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/* What the decoder of a target answers to. */

static bool is_beside(const struct event *event)
{
	switch (event->kind) {
	case EVENT_BESIDE:
		return true;
	case EVENT_MOVED:
	case EVENT_SURVIVING:
		return event->ranges.gc == EVENT_UNKNOWN;
	case EVENT_GENERATION:
		return event->generation.gc == EVENT_UNKNOWN;
	case EVENT_FIGURE:
		return event->figure.gc == EVENT_UNKNOWN;
	default:
		return false;
	}
}

static int tell_plainly(void *ctx, const struct event *event)
{
	struct feed_target *target = ctx;

	return tell(target->feed, event);
}

/*
 * What an agent adds to a provider's own probes goes by the provider's translator. Its first word
 * may come before any record of that provider's.
 */
static int tell_beside(struct feed_target *target, const struct event *event)
{
	const struct event_sink sink = { tell_plainly, target };
	struct feed *feed = target->feed;
	int err;

	for (size_t i = 0; i < TRANSLATORS; i++) {
		void *state;

		if (!translators[i]->beside)
			continue;
		if (!target->states[i] && event->kind != EVENT_BESIDE)
			break;
		state = feed_target__state(target, i, event->stamp);
		err = state ? translators[i]->beside(state, event, &sink) : -ENOMEM;
		if (err && !feed->answer)
			feed->answer = err;
		return feed->answer;
	}
	return event->kind == EVENT_BESIDE ? 0 : tell(feed, event);
}

static int tell_decoded(void *ctx, const struct event *event)
{
	struct feed_target *target = ctx;

	if (is_beside(event))
		return tell_beside(target, event);
	return tell(target->feed, event);
}

static int lose_decoded(void *ctx, unsigned int kind, uint64_t count, uint64_t from,
			uint64_t until)
{
	struct feed_target *target = ctx;

	if (kind != LOSS_SEQUENCE_GAP)
		return lose(target->feed, target->index, kind, count, from, until);
	add(&target->gaps, count);
	count_gaps(target);
	return tell_loss(target->feed, target->index, kind, count, from, until);
}

static void recover(void *ctx, unsigned int kind, uint64_t count)
{
	struct feed_target *target = ctx;

	if (kind != LOSS_SEQUENCE_GAP) {
		losses__recover(target->feed->losses, kind, target->index, count);
		return;
	}
	target->gaps -= count < target->gaps ? count : target->gaps;
	count_gaps(target);
}

static void skip_unknown(void *ctx, unsigned int kind)
{
	struct feed_target *target = ctx;

	count_unknown(target->feed, true, kind);
}

static int refuse(void *ctx, unsigned int major, unsigned int minor)
{
	struct feed_target *target = ctx;
	struct feed *feed = target->feed;
	const char *name = NULL;

	if (target->refused)
		return 0;
	target->refused = true;
	feed->refused++;
	if (feed->options.name_of)
		name = feed->options.name_of(feed->options.ctx, target->index);
	error("%s: its runtime's probes speak version %u.%u of the gctrace format, this gctrace "
	      "knows %u.%u: use a gctrace that is as new as the runtime",
	      name ? name : "the process", major, minor, GCTRACE_MAJOR, GCTRACE_MINOR);
	return 0;
}

/* Nobody is left who could be understood. */
static bool all_refused(const struct feed *feed)
{
	for (size_t i = 0; i < feed->targets.all.count; i++) {
		const struct feed_target *target = feed->targets.all.items[i];

		if (!target->refused && !target->ended)
			return false;
	}
	return feed->refused > 0;
}

/* ---------------------------------------------------------------------------------------------
 * Records
 */

static int read_decoded(struct feed_target *target, const struct record *record)
{
	struct decode_out out = {
		.event = tell_decoded,
		.lose = lose_decoded,
		.recover = recover,
		.unknown = skip_unknown,
		.refuse = refuse,
		.ctx = target,
		.wanted = target->feed->options.wanted,
	};

	if (!target->decoder)
		feed_target__decoder(target, &out, target->feed->room);
	return target->decoder ? decoder__record(target->decoder, record) : -ENOMEM;
}

/* A translator takes the target from the record: it may be the successor's by now. */
static int tell_translated(void *ctx, const struct event *event)
{
	struct feed_target *target = ctx;
	struct event own = *event;

	if (event->kind == EVENT_LOSS)
		return lose(target->feed, target->index, event->loss.kind, event->loss.count,
			    event->time, event->loss.until);
	own.target = target->index;
	return tell(target->feed, &own);
}

static int read_translated(struct feed_target *target, size_t translator,
			   const struct record *record)
{
	const struct event_sink sink = { tell_translated, target };
	void *state = feed_target__state(target, translator, record->stamp);
	int err;

	if (!state)
		return -ENOMEM;
	err = translators[translator]->record(state, record, &sink);
	if (!target->feed->answer && err == -EBADMSG)
		return lose_here(target->feed, target->index, LOSS_MALFORMED);
	return err;
}

static int read_exec(struct feed_target *target, const struct record *record)
{
	const struct record_text *text = (const struct record_text *)record;
	struct event event = translator__event(record, EVENT_EXEC);

	if (record->bytes < sizeof(*text) || text->bytes > record->bytes - sizeof(*text))
		return lose_here(target->feed, target->index, LOSS_MALFORMED);
	feed_target__end(target);
	target->ended = true;
	target->ended_ns = record->stamp;
	target->successor = text->a != target->index ? text->a : UINT64_MAX;
	event.target = target->index;
	event.process.image = (struct text){ (const char *)(text + 1), text->bytes };
	event.process.status = EVENT_UNKNOWN;
	return tell(target->feed, &event);
}

static int read_exit(struct feed_target *target, const struct record *record)
{
	const struct record_call *call = (const struct record_call *)record;
	struct event event = translator__event(record, EVENT_EXIT);
	struct feed *feed = target->feed;

	if (record->bytes < sizeof(*call))
		return lose_here(feed, target->index, LOSS_MALFORMED);
	feed_target__end(target);
	event.target = target->index;
	event.process.status = call->args[0];
	tell(feed, &event);
	feed_targets__forget(&feed->targets, target);
	return feed->answer;
}

static int read_loss(struct feed *feed, const struct record *record)
{
	const struct record_call *call = (const struct record_call *)record;
	struct feed_target *target = feed_targets__find(&feed->targets, record->target);

	if (record->bytes < sizeof(*call))
		return lose_here(feed, record->target, LOSS_MALFORMED);
	if (target && call->args[0] < BPF_LOSS_KINDS) {
		add(&target->dropped, call->args[1]);
		count_gaps(target);
	}
	return lose(feed, record->target, (unsigned int)call->args[0], call->args[1],
		    record->stamp, call->args[2]);
}

static int read_of_target(struct feed_target *target, const struct record *record)
{
	if ((record->kind >= RECORD_BATCH && record->kind <= RECORD_OBJECT_ALLOC) ||
	    record->kind == RECORD_SPLIT)
		return read_decoded(target, record);
	for (size_t i = 0; i < TRANSLATORS; i++) {
		if (record->kind >= translators[i]->first && record->kind <= translators[i]->last)
			return read_translated(target, i, record);
	}
	switch (record->kind) {
	case RECORD_EXEC:
		return read_exec(target, record);
	case RECORD_EXIT:
		return read_exit(target, record);
	case RECORD_TARGET:
		return 0; /* it is known now */
	case RECORD_SAMPLE_NAME:
	case RECORD_SAMPLE_STACK:
	case RECORD_SAMPLE_ROWS:
	case RECORD_SAMPLE_SWEEP:
		return 0; /* model/sample_reader.h understands them */
	}
	count_unknown(target->feed, false, record->kind);
	return 0;
}

int feed__record(struct feed *feed, const struct record *record)
{
	struct feed_target *target;
	int err;

	feed->answer = 0;
	feed->stamp = record->stamp;
	if (record->kind == RECORD_LOSS)
		return read_loss(feed, record);
	if (record->kind == 0)
		return lose_here(feed, record->target, LOSS_MALFORMED);
	target = feed_targets__of(&feed->targets, record, feed);
	if (!target)
		return lose_here(feed, record->target, LOSS_LIMIT);
	err = read_of_target(target, record);
	if (feed->answer || err)
		return feed->answer ? feed->answer : err;
	return all_refused(feed) ? -EPROTONOSUPPORT : 0;
}

static int take(void *ctx, const struct record *record, unsigned int ring)
{
	(void)ring;
	return feed__record(ctx, record);
}

struct record_sink feed__sink(struct feed *feed)
{
	return (struct record_sink){ .record = take, .ctx = feed };
}

int feed__pull(struct feed *feed, const struct source *source, uint64_t timeout_ns)
{
	struct record_sink sink = feed__sink(feed);

	return source__pull(source, timeout_ns, &sink);
}

void feed__over_from(struct feed *feed, uint64_t ns)
{
	decode_room__over_from(feed->room, ns);
}

int feed__end(struct feed *feed)
{
	feed->answer = 0;
	for (size_t i = 0; i < feed->targets.all.count; i++)
		feed_target__end(feed->targets.all.items[i]);
	return feed->answer;
}

int feed__read_all(const struct feed_options *options, const struct event_sink *sink,
		   const struct source *source, int (*turn)(void *ctx))
{
	struct feed *feed;
	int answer = feed__new(options, sink, &feed), turned = 0;

	if (answer)
		return error_errno(answer, "cannot start");
	while (answer == SOURCE_MORE && !turned) {
		answer = feed__pull(feed, source, 0);
		turned = answer >= 0 && turn ? turn(sink->ctx) : 0;
	}
	if (answer >= 0 && answer != SOURCE_STOPPED && turned >= 0)
		answer = feed__end(feed);
	feed__free(feed);
	return answer < 0 ? answer : turned < 0 ? turned : 0;
}

const struct losses *feed__losses(const struct feed *feed)
{
	return feed->losses;
}

size_t feed__refused(const struct feed *feed)
{
	return feed->refused;
}

void feed__unknown(const struct feed *feed,
		   void (*fn)(void *ctx, unsigned int kind, bool in_batch, uint64_t count),
		   void *ctx)
{
	for (int in_batch = 0; in_batch < 2; in_batch++) {
		for (unsigned int kind = 0; feed->unknown[in_batch] && kind < KINDS; kind++) {
			if (feed->unknown[in_batch][kind])
				fn(ctx, kind, in_batch, feed->unknown[in_batch][kind]);
		}
	}
}
