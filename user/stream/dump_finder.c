/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_finder.h"

#include "gctrace/wire.h"

void dump_finder__init(struct dump_finder *finder, uint64_t number, const struct event_sink *sink)
{
	*finder = (struct dump_finder){
		.number = number,
		.sink = *sink,
		.status = EVENT_UNKNOWN,
	};
}

static bool is_container(const struct event *event, uint64_t type)
{
	return event->kind == EVENT_CONTAINER && event->container.type == type;
}

static bool is_under_way(const struct dump_finder *finder)
{
	return finder->begun && !finder->ended;
}

static bool concerns(const struct dump_finder *finder, const struct event *event)
{
	return event->target == finder->target ||
	       (event->kind == EVENT_LOSS && event->target == LOSS_ANY_TARGET);
}

/* Nothing of the dump comes behind this: behind C_END only DUMP_END does. */
static bool is_beyond(const struct dump_finder *finder, const struct event *event)
{
	switch (event->kind) {
	case EVENT_EXIT:
	case EVENT_EXEC:
		return true;
	case EVENT_PAUSE_END:
	case EVENT_GC_START:
		return finder->status != EVENT_UNKNOWN || finder->lost;
	default:
		return is_container(event, GCTRACE_C_BEGIN);
	}
}

static bool belongs(const struct event *event)
{
	switch (event->kind) {
	case EVENT_PRODUCER:
	case EVENT_CONTAINER:
	case EVENT_ROOTS:
	case EVENT_OBJECT:
	case EVENT_HEADS:
	case EVENT_CLASS:
	case EVENT_DEFINE:
	case EVENT_DUMP_END:
	case EVENT_LOSS:
		return true;
	default:
		return false;
	}
}

static int pass_on(struct dump_finder *finder, const struct event *event)
{
	int answer;

	if (is_container(event, GCTRACE_C_END))
		finder->status = event->container.id1;
	if (event->kind == EVENT_LOSS)
		finder->lost += event->loss.count;
	answer = finder->sink.event(finder->sink.ctx, event);
	if (event->kind != EVENT_DUMP_END)
		return answer;
	if (finder->status == EVENT_UNKNOWN)
		finder->status = event->dump_end.status;
	finder->ended = true;
	return answer ? answer : 1;
}

int dump_finder__event(void *context, const struct event *event)
{
	struct dump_finder *finder = context;

	if (is_under_way(finder) && concerns(finder, event) && is_beyond(finder, event))
		finder->ended = true;
	if (is_container(event, GCTRACE_C_BEGIN) && ++finder->seen == finder->number) {
		finder->begun = true;
		finder->target = event->target;
		finder->begun_ns = event->stamp;
	}
	if (finder->ended)
		return 1;
	if (!is_under_way(finder) || !concerns(finder, event) || !belongs(event))
		return 0;
	return pass_on(finder, event);
}
