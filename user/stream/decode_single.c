/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single probes of provider gctrace: each hit is a struct record_call, with arrays behind it where
 * the probe has some.
 */
#include "decoding.h"

static int gc_start(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_GC_START);

	if (call->args[2] > UINT32_MAX || call->args[3] > UINT32_MAX)
		return -EBADMSG;
	event.gc_start.gc = call->args[0];
	event.gc_start.generations = call->args[1];
	event.gc_start.reason = call->args[2];
	event.gc_start.how = (uint32_t)call->args[3];
	return decoder__tell(decoder, &event);
}

static int gc_finish(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_GC_FINISH);

	decoder__expect(decoder, call->args[1]);
	event.gc_finish.gc = call->args[0];
	event.gc_finish.collected = EVENT_UNKNOWN;
	return decoder__tell(decoder, &event);
}

static int pause_begin(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_PAUSE_BEGIN);

	event.pause.pause = call->args[0];
	event.pause.why = call->args[1];
	event.pause.suspend_ns = EVENT_UNKNOWN;
	return decoder__tell(decoder, &event);
}

static int pause_end(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_PAUSE_END);

	decoder__expect(decoder, call->args[2]);
	event.pause.pause = call->args[0];
	event.pause.suspend_ns = call->args[1];
	return decoder__tell(decoder, &event);
}

static int container(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_CONTAINER);

	event.container.type = call->args[0];
	event.container.id1 = call->args[1];
	event.container.id2 = call->args[2];
	doubt__container(decoder, call->args[0], call->args[1], call->args[2]);
	return decoder__tell(decoder, &event);
}

static int object_alloc(struct decoder *decoder, const struct record_call *call)
{
	struct event event = decoder__event(decoder, EVENT_OBJECT_ALLOC);

	event.alloc.id = call->args[0];
	event.alloc.size = call->args[1];
	event.alloc.class_ = call->args[2];
	event.alloc.stack = call->args[3];
	event.alloc.weight = call->args[4];
	return decoder__tell(decoder, &event);
}

int decode__single(struct decoder *decoder, const struct record *record)
{
	const struct record_call *call = (const struct record_call *)record;
	size_t left;

	if (record->bytes < sizeof(*call))
		return -EBADMSG;
	left = record->bytes - sizeof(*call);
	switch (record->kind) {
	case RECORD_GC_START:
		return gc_start(decoder, call);
	case RECORD_GC_FINISH:
		return gc_finish(decoder, call);
	case RECORD_PAUSE_BEGIN:
		return pause_begin(decoder, call);
	case RECORD_PAUSE_END:
		return pause_end(decoder, call);
	case RECORD_MOVED:
		return decode__single_moved(decoder, call, left);
	case RECORD_SURVIVING:
		return decode__single_surviving(decoder, call, left);
	case RECORD_CONTAINER:
		return container(decoder, call);
	case RECORD_ROOTS:
		return decode__single_roots(decoder, call, left);
	case RECORD_OBJECT:
		return decode__single_object(decoder, call, left);
	case RECORD_CLASS:
		return decode__single_class(decoder, call, left);
	case RECORD_OBJECT_ALLOC:
		return object_alloc(decoder, call);
	}
	return -EBADMSG;
}
