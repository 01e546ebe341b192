/* SPDX-License-Identifier: BSD-2-Clause */
#include "stop.h"

#include <errno.h>
#include <stdlib.h>

static int take_text(struct stop *stop, struct text told)
{
	if (told.bytes == 0)
		return 0;
	buf__reset(&stop->what);
	buf__add(&stop->what, told.at, told.bytes);
	return stop->what.error;
}

struct stop *stop__new(uint64_t id, const struct event *event)
{
	bool begins = event->kind == EVENT_PAUSE_BEGIN;
	struct stop *stop = calloc(1, sizeof(*stop));

	if (!stop)
		return NULL;
	stop->id = id;
	stop->tid = event->tid;
	stop->late = event->late;
	stop->pause = (struct pause){
		.target = event->target,
		.number = event->pause.pause,
		.start_ns = begins ? event->time : EVENT_UNKNOWN,
		.end_ns = EVENT_UNKNOWN,
		.suspend_ns = EVENT_UNKNOWN,
		.why = event->pause.why,
	};
	stop->since = stop->pause.start_ns;
	stop->owner_ended = EVENT_UNKNOWN;
	if (take_text(stop, event->pause.what)) {
		stop__free(stop);
		return NULL;
	}
	return stop;
}

void stop__free(struct stop *stop)
{
	if (!stop)
		return;
	buf__free(&stop->what);
	vec__free(&stop->shares);
	free(stop);
}

/* The owner's share ends; a collection may have several in one pause, they add up. */
static int close_share(struct stop *stop, uint64_t at)
{
	uint64_t ns = EVENT_UNKNOWN;

	if (!stop->owner)
		return 0;
	if (stop->since != EVENT_UNKNOWN && at != EVENT_UNKNOWN)
		ns = at >= stop->since ? at - stop->since : EVENT_UNKNOWN;
	if (at != EVENT_UNKNOWN && (stop->since == EVENT_UNKNOWN || at > stop->since))
		stop->since = at;
	for (size_t i = 0; i < stop->shares.count; i++) {
		struct stop_share *share = &stop->shares.items[i];

		if (share->transaction != stop->owner)
			continue;
		if (share->ns == EVENT_UNKNOWN || ns == EVENT_UNKNOWN ||
		    __builtin_add_overflow(share->ns, ns, &share->ns))
			share->ns = EVENT_UNKNOWN;
		return 0;
	}
	return vec__push(&stop->shares, (struct stop_share){ stop->owner, ns });
}

/* One that began before the owner's end, and is told behind it, has only what comes after. */
static uint64_t handed_over(const struct stop *stop, uint64_t start)
{
	const uint64_t ended = stop->owner_ended;

	return ended != EVENT_UNKNOWN && start != EVENT_UNKNOWN && start < ended ? ended : start;
}

int stop__touch(struct stop *stop, struct transaction *transaction, uint64_t time, bool starts)
{
	bool owner_runs = stop->owner && stop->owner_ended == EVENT_UNKNOWN;

	if (stop->owner != transaction) {
		/* An end amid somebody else's work (a concurrent thread's) takes no share. */
		if (owner_runs && !starts)
			return 0;
		if (close_share(stop, starts ? handed_over(stop, time) : stop->owner_ended))
			return -ENOMEM;
		stop->owner = transaction;
	}
	stop->owner_ended = starts ? EVENT_UNKNOWN : time;
	return 0;
}

static void forget_shares(struct stop *stop)
{
	for (size_t i = 0; i < stop->shares.count; i++)
		stop->shares.items[i].ns = EVENT_UNKNOWN;
}

/* Of begin and end only one stays, so that nobody takes their difference. */
static void unmeasure(struct stop *stop)
{
	forget_shares(stop);
	if (stop->pause.start_ns != EVENT_UNKNOWN)
		stop->pause.end_ns = EVENT_UNKNOWN;
}

static void forget_what_may_be_anothers(struct stop *stop)
{
	if (stop->pause.number == EVENT_UNKNOWN) {
		unmeasure(stop);
		stop->pause.suspend_ns = EVENT_UNKNOWN;
	} else if (stop->shares.count > 1) {
		forget_shares(stop);
	}
}

int stop__end(struct stop *stop, const struct event *event, const struct names *names)
{
	struct pause *pause = &stop->pause;
	int err = 0;

	if (event) {
		pause->end_ns = event->time;
		stop->late |= event->late;
		pause->suspend_ns = event->pause.suspend_ns;
		if (pause->why == 0)
			pause->why = event->pause.why;
		err = take_text(stop, event->pause.what);
	}
	if (!err)
		err = close_share(stop, pause->end_ns);
	if (stop->doubted)
		forget_what_may_be_anothers(stop);
	if (stop->late || (pause->start_ns != EVENT_UNKNOWN && pause->end_ns < pause->start_ns))
		unmeasure(stop);
	pause->what = stop->what.len ? (struct text){ stop->what.data, stop->what.len }
				     : names__why(names, pause->why);
	pause->shared = stop->shares.count > 1;
	return err;
}
