/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPython: events from its probes gc__start(generation) and gc__done(found).
 *
 * A collection is one pair, and one pause: the thread holds its interpreter's lock all the while,
 * so no other Python code of that interpreter runs, unless a finalizer lets go of it. Interpreters
 * with locks of their own (3.12) collect side by side, each in a thread of its own, and what
 * belongs together is told by the thread.
 *
 * A thread makes one after the other: what a finalizer asks for meanwhile is not done. So a start
 * shows that what its thread was at is over, also where that end was missed: probes are attached
 * one after the other.
 *
 * `found` counts the unreachable objects, those in gc.garbage included, which stay.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <gctrace/wire.h>

#include "base/vec.h"
#include "translator.h"

struct python {
	VEC(uint32_t) collecting; /* threads whose start was seen, and no end yet */
};

/* Collecting generation n collects all younger ones, too. */
static uint64_t generations_up_to(int64_t generation)
{
	if (generation < 0 || generation > 62)
		return EVENT_UNKNOWN;
	return (UINT64_C(2) << generation) - 1;
}

static int tell_pause(const struct record *record, const struct event_sink *sink,
		      enum event_kind kind)
{
	struct event event = translator__pause(record, kind);

	event.pause.why = GCTRACE_WHY_COLLECTION;
	return sink->event(sink->ctx, &event);
}

static int tell_start(const struct record *record, const struct event_sink *sink,
		      int64_t generation)
{
	struct event event = translator__event(record, EVENT_GC_START);
	char what[sizeof("gen ") + 20];
	int err;

	err = tell_pause(record, sink, EVENT_PAUSE_BEGIN);
	if (err)
		return err;
	event.gc_start.gc = EVENT_UNKNOWN;
	event.gc_start.generations = generations_up_to(generation);
	event.gc_start.how = GCTRACE_HOW_SWEEPING;
	event.gc_start.what.bytes = snprintf(what, sizeof(what), "gen %lld", (long long)generation);
	event.gc_start.what.at = what;
	return sink->event(sink->ctx, &event);
}

static int tell_done(const struct record *record, const struct event_sink *sink, int64_t found)
{
	struct event event = translator__finish(record);
	int err;

	event.gc_finish.collected = found < 0 ? EVENT_UNKNOWN : (uint64_t)found;
	err = sink->event(sink->ctx, &event);
	return err ? err : tell_pause(record, sink, EVENT_PAUSE_END);
}

/* Was this thread collecting? It is no more. */
static bool was_collecting(struct python *python, uint32_t tid)
{
	for (size_t i = 0; i < python->collecting.count; i++) {
		if (python->collecting.items[i] != tid)
			continue;
		python->collecting.items[i] = python->collecting.items[--python->collecting.count];
		return true;
	}
	return false;
}

static int start(struct python *python, const struct record *record,
		 const struct event_sink *sink, int64_t generation)
{
	const struct text none = { "", 0 };
	int err = 0;

	if (was_collecting(python, record->tid)) {
		err = translator__finish_overdue(record, sink, none, record->tid);
		if (!err)
			err = translator__end_overdue(record, sink, record->tid);
	}
	if (!err && vec__push(&python->collecting, record->tid))
		err = -ENOMEM;
	return err ? err : tell_start(record, sink, generation);
}

static int python__record(void *state, const struct record *record, const struct event_sink *sink)
{
	const struct record_call *call = (const struct record_call *)record;

	if (record->bytes < sizeof(*call))
		return -EBADMSG;
	switch (record->kind) {
	case RECORD_PYTHON_GC_START:
		return start(state, record, sink, (int64_t)call->args[0]);
	case RECORD_PYTHON_GC_DONE:
		was_collecting(state, record->tid);
		return tell_done(record, sink, (int64_t)call->args[0]);
	default:
		return -EBADMSG;
	}
}

/* What was open need not be so any more. */
static void python__lost(void *state)
{
	struct python *python = state;

	vec__reset(&python->collecting);
}

static void *python__new(uint32_t target)
{
	(void)target;
	return calloc(1, sizeof(struct python));
}

static void python__free(void *state)
{
	struct python *python = state;

	if (python)
		vec__free(&python->collecting);
	free(python);
}

const struct translator python_translator = {
	.name = "python",
	.first = RECORD_PYTHON_GC_START,
	.last = RECORD_PYTHON_GC_DONE,
	.new = python__new,
	.free = python__free,
	.record = python__record,
	.lost = python__lost,
};
