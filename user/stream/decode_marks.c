/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of batches that are a few numbers and perhaps a name. Texts stand behind their struct,
 * one after the other; struct cursor hands them out as far as there is enough.
 */
#include "decoding.h"
#include "varint.h"

static struct text take_text(struct cursor *cursor, uint32_t bytes)
{
	struct text text = { (const char *)cursor->at, bytes };

	if (bytes > cursor__left(cursor)) {
		cursor->bad = true;
		return (struct text){ NULL, 0 };
	}
	cursor->at += bytes;
	return text;
}

/* A producer that has no clock says 0: the probe's stamp is the next best. */
static uint64_t time_of(const struct decoder *decoder, uint64_t time_ns)
{
	return time_ns ? time_ns : decoder->record->stamp;
}

int decode__producer(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_PRODUCER);
	struct gctrace_producer fixed;
	struct cursor texts;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	texts = (struct cursor){ at + sizeof(fixed), at + bytes, false };
	event.producer.id = decoder->producer;
	event.producer.name = take_text(&texts, fixed.name_bytes);
	event.producer.version = take_text(&texts, fixed.version_bytes);
	event.producer.runtime = take_text(&texts, fixed.runtime_bytes);
	event.producer.collector = take_text(&texts, fixed.collector_bytes);
	return texts.bad ? -EBADMSG : decoder__tell(decoder, &event);
}

int decode__gc_start(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_GC_START);
	struct gctrace_gc_start fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.time = time_of(decoder, fixed.time_ns);
	event.gc_start.gc = fixed.gc;
	event.gc_start.generations = fixed.generations;
	event.gc_start.reason = fixed.reason;
	event.gc_start.how = fixed.how;
	return decoder__tell(decoder, &event);
}

int decode__gc_finish(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_GC_FINISH);
	struct gctrace_gc_finish fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	decoder__expect(decoder, fixed.batches);
	event.time = time_of(decoder, fixed.time_ns);
	event.gc_finish.gc = fixed.gc;
	event.gc_finish.collected = EVENT_UNKNOWN;
	return decoder__tell(decoder, &event);
}

int decode__pause_begin(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_PAUSE_BEGIN);
	struct gctrace_pause_begin fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.time = time_of(decoder, fixed.time_ns);
	event.pause.pause = fixed.pause;
	event.pause.why = fixed.why;
	event.pause.suspend_ns = EVENT_UNKNOWN;
	return decoder__tell(decoder, &event);
}

int decode__pause_end(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_PAUSE_END);
	struct gctrace_pause_end fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	decoder__expect(decoder, fixed.batches);
	event.time = time_of(decoder, fixed.time_ns);
	event.pause.pause = fixed.pause;
	event.pause.suspend_ns = fixed.suspend_ns;
	return decoder__tell(decoder, &event);
}

int decode__container(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_CONTAINER);
	struct gctrace_container fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.container.type = fixed.type;
	event.container.id1 = fixed.id1;
	event.container.id2 = fixed.id2;
	return decoder__tell(decoder, &event);
}

int decode__generation(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_GENERATION);
	struct gctrace_generation fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	if (fixed.head.flags > GCTRACE_AFTER)
		return -EBADMSG;
	event.generation.gc = fixed.gc;
	event.generation.generation = fixed.generation;
	event.generation.start = fixed.start;
	event.generation.used = fixed.used;
	event.generation.reserved = fixed.reserved;
	event.generation.after = fixed.head.flags == GCTRACE_AFTER;
	return decoder__tell(decoder, &event);
}

int decode__pool(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_POOL);
	struct gctrace_pool fixed;
	struct cursor texts;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	texts = (struct cursor){ at + sizeof(fixed), at + bytes, false };
	event.pool.gc = fixed.gc;
	event.pool.before = fixed.before;
	event.pool.used = fixed.used;
	event.pool.committed = fixed.committed;
	event.pool.max = fixed.max;
	event.pool.name = take_text(&texts, fixed.name_bytes);
	return texts.bad ? -EBADMSG : decoder__tell(decoder, &event);
}

int decode__object_alloc(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_OBJECT_ALLOC);
	struct gctrace_object_alloc fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.alloc.id = fixed.id;
	event.alloc.size = fixed.size;
	event.alloc.class_ = fixed.class_;
	event.alloc.stack = fixed.stack;
	event.alloc.weight = fixed.weight;
	return decoder__tell(decoder, &event);
}

int decode__dump_end(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_DUMP_END);
	struct gctrace_dump_end fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	decoder__expect(decoder, fixed.batches);
	event.time = time_of(decoder, fixed.time_ns);
	event.dump_end.dump = fixed.dump;
	event.dump_end.status = fixed.status;
	event.dump_end.objects = fixed.objects;
	event.dump_end.references = fixed.references;
	event.dump_end.roots = fixed.roots;
	event.dump_end.bytes = fixed.bytes;
	return decoder__tell(decoder, &event);
}
