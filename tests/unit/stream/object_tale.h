/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a feed tells of objects and of losses, as text in its order, so that who reads references
 * and who skips them can be compared. A further part of the object that was told last is none of
 * its own: references come in several events, heads do not.
 */
#ifndef UNIT_OBJECT_TALE_H
#define UNIT_OBJECT_TALE_H

#include <inttypes.h>

#include "base/buf.h"
#include "stream/feed.h"

struct object_tale {
	struct buf text;
	uint64_t objects;
	struct object_head last;
	bool goes_on; /* nothing but objects came since that */
};

static inline void object_tale__head(struct object_tale *tale, const struct object_head *head)
{
	const bool again = tale->goes_on && head->id == tale->last.id &&
			   head->class_ == tale->last.class_ && head->size == tale->last.size;

	tale->last = *head;
	tale->goes_on = true;
	tale->objects += !again;
	if (!again)
		buf__printf(&tale->text, "%" PRIx64 " %" PRIx64 " %" PRIu64 "\n", head->id,
			    head->class_, head->size);
}

/* For struct event_sink: context is the tale. */
static inline int object_tale__add(void *context, const struct event *event)
{
	struct object_tale *tale = context;

	if (event->kind == EVENT_OBJECT)
		object_tale__head(tale, &(struct object_head){ event->object.id,
							       event->object.class_,
							       event->object.size });
	for (size_t i = 0; event->kind == EVENT_HEADS && i < event->heads.count; i++)
		object_tale__head(tale, &event->heads.heads[i]);
	if (event->kind == EVENT_LOSS) {
		buf__printf(&tale->text, "lost %s %" PRIu64 "\n", loss__name(event->loss.kind),
			    event->loss.count);
		tale->goes_on = false;
	}
	return 0;
}

#endif
