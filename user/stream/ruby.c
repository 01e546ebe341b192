/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ruby: events from its probes gc__mark__begin, gc__mark__end, gc__sweep__begin, gc__sweep__end.
 *
 * Each collection (GC.count) marks once and sweeps in steps, lazily: the first step within the
 * bracket of the mark, the others one by one as the program needs room, the last ones before
 * the next mark:
 *
 *	mark[ … sweep[] ]   sweep[]   sweep[]   sweep[]   mark[ … sweep[] ]
 *	`----------------- collection ----------------'   `- the next one …
 *
 * The mark and each step behind it are pauses of one collection. It is over when the next mark
 * begins, for no probe says which step was the last; the one that is last in a trace is cut off. An
 * immediate sweep (GC.start) lies within the mark as a whole. Of an incremental marking only the
 * first step has a probe. Nothing tells minor from major collections.
 *
 * All of it happens in the thread that holds the VM's lock, one thing after the other; which
 * thread that is may differ from step to step. So what begins shows that what was going on is over,
 * also where its end was missed: probes are attached one after the other.
 */
#include <errno.h>
#include <stdlib.h>

#include <gctrace/wire.h>

#include "translator.h"

struct ruby {
	bool lost;	 /* something, before anything of what follows here was seen */
	bool seen_mark;	 /* since the attach */
	bool collecting; /* no other mark has begun since */
	bool marking;
	bool in_step;
	uint64_t last;	    /* when its mark, or the last step, ended */
	uint32_t tid;	    /* that began the collection, or took the first step seen of it */
	uint32_t pause_tid; /* that began the mark or step that goes on */
};

static const struct text collection_word = { "mark+sweep", 10 };
static const struct text mark_word = { "mark", 4 };
static const struct text sweep_word = { "sweep", 5 };

static int tell_pause(const struct record *record, const struct event_sink *sink,
		      enum event_kind kind, struct text what)
{
	struct event event = translator__pause(record, kind);

	event.pause.why = GCTRACE_WHY_COLLECTION;
	event.pause.what = what;
	return sink->event(sink->ctx, &event);
}

static int tell_start(const struct record *record, const struct event_sink *sink)
{
	struct event event = translator__event(record, EVENT_GC_START);

	event.gc_start.gc = EVENT_UNKNOWN;
	event.gc_start.generations = EVENT_UNKNOWN;
	event.gc_start.how = GCTRACE_HOW_SWEEPING | GCTRACE_HOW_INCREMENTAL;
	event.gc_start.what = collection_word;
	return sink->event(sink->ctx, &event);
}

/* When it ended is not known where the end of its mark, or of a step, was missed. */
static int tell_finish(const struct ruby *ruby, const struct record *record,
		       const struct event_sink *sink, bool overdue)
{
	struct event event = translator__finish(record);

	if (overdue)
		return translator__finish_overdue(record, sink, collection_word, ruby->tid);
	event.time = ruby->last;
	event.tid = ruby->tid;
	event.gc_finish.what = collection_word;
	return sink->event(sink->ctx, &event);
}

/* Whatever goes on ends here, and its end was missed. */
static int end_overdue_pause(struct ruby *ruby, const struct record *record,
			     const struct event_sink *sink)
{
	if (!ruby->marking && !ruby->in_step)
		return 0;
	ruby->marking = ruby->in_step = false;
	return translator__end_overdue(record, sink, ruby->pause_tid);
}

static int mark_begin(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	const bool overdue = ruby->marking || ruby->in_step;
	int err = end_overdue_pause(ruby, record, sink);

	if (!err && ruby->collecting)
		err = tell_finish(ruby, record, sink, overdue);
	if (!err)
		err = tell_pause(record, sink, EVENT_PAUSE_BEGIN, mark_word);
	if (!err)
		err = tell_start(record, sink);
	ruby->tid = ruby->pause_tid = record->tid;
	ruby->seen_mark = ruby->marking = ruby->collecting = true;
	return err;
}

/*
 * Of a mark that was not seen beginning. Steps seen before may have been steps within it; where
 * they were reported as pauses, it is none any more.
 */
static int end_unbegun_mark(struct ruby *ruby, const struct record *record,
			    const struct event_sink *sink)
{
	const bool in_steps = ruby->collecting && !ruby->seen_mark;
	int err = end_overdue_pause(ruby, record, sink);

	if (!err && ruby->collecting && ruby->seen_mark)
		err = tell_finish(ruby, record, sink, true);
	if (!in_steps)
		ruby->tid = record->tid;
	ruby->collecting = ruby->seen_mark = true;
	return err || in_steps ? err : tell_pause(record, sink, EVENT_PAUSE_END, mark_word);
}

static int mark_end(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	const bool has_begun = ruby->marking;

	ruby->last = record->stamp;
	if (!has_begun)
		return end_unbegun_mark(ruby, record, sink);
	ruby->marking = false;
	return tell_pause(record, sink, EVENT_PAUSE_END, mark_word);
}

static int sweep_begin(struct ruby *ruby, const struct record *record,
		       const struct event_sink *sink)
{
	int err;

	/* After a loss it may as well be one within a mark, which is no pause of its own. */
	if (ruby->marking || (ruby->lost && !ruby->seen_mark))
		return 0;
	err = end_overdue_pause(ruby, record, sink);
	/* Without a mark it has begun before the attach: its end alone is reported. */
	if (!ruby->collecting)
		ruby->tid = record->tid;
	ruby->collecting = ruby->in_step = true;
	ruby->pause_tid = record->tid;
	ruby->last = record->stamp;
	return err ? err : tell_pause(record, sink, EVENT_PAUSE_BEGIN, sweep_word);
}

static int sweep_end(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	/* At the attach, a step without its begin may as well be one within a mark. */
	if (ruby->marking || !ruby->in_step)
		return 0;
	ruby->in_step = false;
	ruby->last = record->stamp;
	return tell_pause(record, sink, EVENT_PAUSE_END, sweep_word);
}

static int ruby__record(void *state, const struct record *record, const struct event_sink *sink)
{
	if (record->bytes < sizeof(struct record_call))
		return -EBADMSG;
	switch (record->kind) {
	case RECORD_RUBY_MARK_BEGIN:
		return mark_begin(state, record, sink);
	case RECORD_RUBY_MARK_END:
		return mark_end(state, record, sink);
	case RECORD_RUBY_SWEEP_BEGIN:
		return sweep_begin(state, record, sink);
	case RECORD_RUBY_SWEEP_END:
		return sweep_end(state, record, sink);
	default:
		return -EBADMSG;
	}
}

/* Which step comes next is not known: as at the attach. */
static void ruby__lost(void *state)
{
	*(struct ruby *)state = (struct ruby){ .lost = true };
}

static void *ruby__new(uint32_t target)
{
	(void)target;
	return calloc(1, sizeof(struct ruby));
}

const struct translator ruby_translator = {
	.name = "ruby",
	.first = RECORD_RUBY_MARK_BEGIN,
	.last = RECORD_RUBY_SWEEP_END,
	.new = ruby__new,
	.free = free,
	.record = ruby__record,
	.lost = ruby__lost,
};
