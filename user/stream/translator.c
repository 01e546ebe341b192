/* SPDX-License-Identifier: BSD-2-Clause */
#include "translator.h"

const struct translator *const translators[TRANSLATORS] = {
	&hotspot_translator,
	&python_translator,
	&ruby_translator,
};

int translator__end_overdue(const struct record *record, const struct event_sink *sink,
			    uint32_t tid)
{
	struct event event = translator__event(record, EVENT_PAUSE_END);

	event.tid = tid;
	event.overdue = true;
	event.pause.pause = EVENT_UNKNOWN;
	event.pause.suspend_ns = EVENT_UNKNOWN;
	return sink->event(sink->ctx, &event);
}

int translator__finish_overdue(const struct record *record, const struct event_sink *sink,
			       struct text what, uint32_t tid)
{
	struct event event = translator__event(record, EVENT_GC_FINISH);

	event.tid = tid;
	event.overdue = true;
	event.gc_finish.gc = EVENT_UNKNOWN;
	event.gc_finish.collected = EVENT_UNKNOWN;
	event.gc_finish.what = what;
	return sink->event(sink->ctx, &event);
}
