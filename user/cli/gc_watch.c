/* SPDX-License-Identifier: BSD-2-Clause */
#include "gc_watch.h"

#include <errno.h>
#include <stdlib.h>

#include "../attach/target.h"
#include "../base/report.h"
#include "../stream/event.h"
#include "../stream/feed.h"
#include "live.h"
#include "signals.h"

struct gc_watch {
	struct live *live;
	struct feed *feed;
	struct gc_begun now; /* the last one that has begun */
	bool is_open;	     /* its end was not told */
	bool is_told;	     /* the caller has been told of it */
	uint64_t ended_ns;   /* of the last one that has ended */
	uint64_t counted, missed;
};

static void begin(struct gc_watch *watch, const struct event *event)
{
	const bool is_gc = event->kind == EVENT_GC_START;

	if (!watch->is_open) {
		watch->is_open = true;
		watch->is_told = false;
		watch->now = (struct gc_begun){
			.gc = ++watch->counted,
			.start_ns = event->time,
		};
	}
	if (is_gc && event->gc_start.gc != EVENT_UNKNOWN)
		watch->now.gc = event->gc_start.gc;
	watch->now.in_pause |= event->kind == EVENT_PAUSE_BEGIN;
}

/* With the pause ends what can be looked at, also where the collection goes on without one. */
static void end(struct gc_watch *watch, const struct event *event)
{
	if (!watch->is_open || (watch->now.in_pause && event->kind == EVENT_GC_FINISH))
		return;
	watch->is_open = false;
	watch->missed += !watch->is_told;
	watch->ended_ns = event->time;
}

static int take(void *context, const struct event *event)
{
	struct gc_watch *watch = context;

	switch (event->kind) {
	case EVENT_GC_START:
	case EVENT_PAUSE_BEGIN:
		begin(watch, event);
		break;
	case EVENT_GC_FINISH:
	case EVENT_PAUSE_END:
		end(watch, event);
		break;
	default:
		break;
	}
	return 0;
}

static int open_parts(struct gc_watch *watch, const struct target_settings *target)
{
	const struct live_options live_options = { .levels = LEVEL_COLLECTIONS };
	const struct feed_options feed_options = {
		.wanted = FEED_WANTS(EVENT_GC_START) | FEED_WANTS(EVENT_GC_FINISH) |
			  FEED_WANTS(EVENT_PAUSE_BEGIN) | FEED_WANTS(EVENT_PAUSE_END),
	};
	const struct event_sink sink = { take, watch };
	int err = live__new(&live_options, &watch->live);

	if (!err)
		err = live__add_named(watch->live, target);
	if (!err)
		err = live__begin(watch->live);
	if (!err && live__wake_by(watch->live, signals__fd()))
		err = error_errno(-EIO, "cannot wait for signals");
	if (err)
		return err;
	err = feed__new(&feed_options, &sink, &watch->feed);
	return err ? error_errno(err, "cannot start") : 0;
}

int gc_watch__new(const struct target_settings *target, struct gc_watch **out)
{
	struct gc_watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return error_errno(-ENOMEM, "cannot start");
	err = open_parts(watch, target);
	if (err)
		gc_watch__free(watch);
	else
		*out = watch;
	return err;
}

void gc_watch__free(struct gc_watch *watch)
{
	if (!watch)
		return;
	feed__free(watch->feed);
	live__free(watch->live);
	free(watch);
}

static int pull(struct gc_watch *watch, uint64_t timeout_ns)
{
	struct source source = live__source(watch->live);
	int answer = feed__pull(watch->feed, &source, timeout_ns);

	if (answer < 0)
		return answer;
	return answer == SOURCE_END || live__alive(watch->live) == 0 ? -ESRCH : 0;
}

int gc_watch__wait(struct gc_watch *watch, uint64_t timeout_ns, struct gc_begun *begun)
{
	int err = pull(watch, timeout_ns);

	*begun = watch->now;
	begun->is_under_way = watch->is_open && !watch->is_told;
	watch->is_told |= watch->is_open;
	return err;
}

bool gc_watch__has_ended(struct gc_watch *watch, const struct gc_begun *begun, uint64_t now_ns)
{
	if (pull(watch, 0))
		return true;
	if (watch->is_open && watch->now.start_ns == begun->start_ns)
		return false;
	if (watch->ended_ns >= now_ns)
		return false;
	watch->missed++;
	return true;
}

uint64_t gc_watch__missed(const struct gc_watch *watch)
{
	return watch->missed;
}
