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
	struct event event = translator__pause(record, EVENT_PAUSE_END);

	event.tid = tid;
	event.overdue = true;
	return sink->event(sink->ctx, &event);
}

int translator__finish_overdue(const struct record *record, const struct event_sink *sink,
			       struct text what, uint32_t tid)
{
	struct event event = translator__finish(record);

	event.tid = tid;
	event.overdue = true;
	event.gc_finish.what = what;
	return sink->event(sink->ctx, &event);
}
