/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ruby: events from its probes gc__mark__begin, gc__mark__end, gc__sweep__begin, gc__sweep__end.
 *
 * Each collection (GC.count) marks once and sweeps in steps, lazily: the first step within the
 * bracket of the mark, the others one by one as the program needs room, the last ones before
 * the next mark:
 *
 *	mark[ … sweep[] ]   sweep[]   sweep[]   sweep[]   mark[ … sweep[] ]
 *	`---- mark -----'   `------- sweep ---------'     `---- mark -----'
 *
 * That makes two lines: "mark", with one pause, as soon as it is over; and, where steps followed,
 * "sweep" with a pause for each, when the next mark begins, for no probe says which step was the
 * last. An immediate sweep (GC.start) lies within the mark as a whole. Of an incremental marking
 * only the first step has a probe. Nothing tells minor from major collections.
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
	bool lost;	/* something, before anything of what follows here was seen */
	bool seen_mark; /* since the attach */
	bool marking;
	bool sweeping; /* steps have followed the last mark */
	bool in_step;
	uint64_t last_step; /* when it ended */
	uint32_t tid;	    /* that took the first step */
	uint32_t pause_tid; /* that began the mark or step that goes on */
};

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

static int tell_start(const struct record *record, const struct event_sink *sink, struct text what,
		      uint32_t how)
{
	struct event event = translator__event(record, EVENT_GC_START);

	event.gc_start.gc = EVENT_UNKNOWN;
	event.gc_start.generations = EVENT_UNKNOWN;
	event.gc_start.how = how;
	event.gc_start.what = what;
	return sink->event(sink->ctx, &event);
}

static int tell_finish(const struct record *record, const struct event_sink *sink,
		       struct text what, uint64_t time, uint32_t tid)
{
	struct event event = translator__finish(record);

	event.time = time;
	event.tid = tid;
	event.gc_finish.what = what;
	return sink->event(sink->ctx, &event);
}

static int end_overdue_step(struct ruby *ruby, const struct record *record,
			    const struct event_sink *sink)
{
	if (!ruby->in_step)
		return 0;
	ruby->in_step = false;
	return translator__end_overdue(record, sink, ruby->pause_tid);
}

static int end_overdue_mark(struct ruby *ruby, const struct record *record,
			    const struct event_sink *sink)
{
	int err;

	if (!ruby->marking)
		return 0;
	ruby->marking = false;
	err = translator__finish_overdue(record, sink, mark_word, ruby->pause_tid);
	return err ? err : translator__end_overdue(record, sink, ruby->pause_tid);
}

/* Sweeping is over, now that a mark begins. When, is not known of a step whose end was missed. */
static int end_sweep(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	const bool overdue = ruby->in_step;
	int err = end_overdue_step(ruby, record, sink);

	if (err || !ruby->sweeping)
		return err;
	ruby->sweeping = false;
	if (overdue)
		return translator__finish_overdue(record, sink, sweep_word, ruby->tid);
	return tell_finish(record, sink, sweep_word, ruby->last_step, ruby->tid);
}

/* A mark that was not seen beginning: the steps seen last may have been steps within it. */
static int doubt_sweep(struct ruby *ruby, const struct record *record,
		       const struct event_sink *sink)
{
	const bool told = ruby->sweeping && ruby->seen_mark;
	int err = end_overdue_step(ruby, record, sink);

	ruby->sweeping = false;
	return err || !told ? err : translator__finish_overdue(record, sink, sweep_word, ruby->tid);
}

static int mark_begin(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	int err = end_overdue_mark(ruby, record, sink);

	if (!err)
		err = end_sweep(ruby, record, sink);
	if (!err)
		err = tell_pause(record, sink, EVENT_PAUSE_BEGIN, mark_word);
	if (!err)
		err = tell_start(record, sink, mark_word, GCTRACE_HOW_SWEEPING);
	ruby->pause_tid = record->tid;
	ruby->seen_mark = true;
	ruby->marking = true;
	return err;
}

static int mark_end(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	/* From before the attach; steps within it were told as pauses, so it is none any more. */
	const bool in_steps = ruby->sweeping && !ruby->seen_mark;
	int err = ruby->marking ? 0 : doubt_sweep(ruby, record, sink);

	ruby->seen_mark = true;
	ruby->marking = false;
	if (!err)
		err = tell_finish(record, sink, mark_word, record->stamp, record->tid);
	return err || in_steps ? err : tell_pause(record, sink, EVENT_PAUSE_END, mark_word);
}

static int sweep_begin(struct ruby *ruby, const struct record *record,
		       const struct event_sink *sink)
{
	int err;

	/* After a loss it may as well be one within a mark, which is no pause of its own. */
	if (ruby->marking || (ruby->lost && !ruby->seen_mark))
		return 0;
	err = end_overdue_step(ruby, record, sink);
	if (!err && !ruby->sweeping) {
		ruby->sweeping = true;
		ruby->tid = record->tid;
		/* Without a mark it has begun before the attach: its end alone will tell of it. */
		if (ruby->seen_mark)
			err = tell_start(record, sink, sweep_word,
					 GCTRACE_HOW_SWEEPING | GCTRACE_HOW_INCREMENTAL |
						 GCTRACE_HOW_CONCURRENT);
	}
	ruby->in_step = true;
	ruby->pause_tid = record->tid;
	ruby->last_step = record->stamp;
	return err ? err : tell_pause(record, sink, EVENT_PAUSE_BEGIN, sweep_word);
}

static int sweep_end(struct ruby *ruby, const struct record *record, const struct event_sink *sink)
{
	/* At the attach, a step without its begin may as well be one within a mark. */
	if (ruby->marking || !ruby->in_step)
		return 0;
	ruby->in_step = false;
	ruby->last_step = record->stamp;
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
