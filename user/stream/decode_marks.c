/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of batches that are a few numbers and perhaps a name. Texts stand behind their struct,
 * one after the other; struct cursor hands them out as far as there is enough.
 */
#include "base/clock.h"
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

/*
 * The producer's time is better than the probe's stamp, which is that of a whole batch; if its
 * clock is ours. In a time namespace it is shifted, and a producer may say anything:
 *
 *   - a time after the stamp has not come yet: that clock is never believed again;
 *   - an end of a pause is fired at once (gctrace_write_pause_end()): where it is old by
 *     PROMPT_NS, the clock is not believed until another one is prompt;
 *   - other records are as old as their batch may be, which a long collection fills: AGE_NS.
 *
 * So a clock that is behind by less than PROMPT_NS is believed: durations are right, starts are off
 * by that. What has no time of its own (0: a producer without a clock) has its batch's, and is
 * `late`: nobody measures with it.
 */
#define PROMPT_NS NS_PER_S
#define AGE_NS (3600 * NS_PER_S)

static bool is_ours(struct decoder *decoder, enum event_kind kind, uint64_t time_ns)
{
	struct producer *speaker = decoder->speaker;
	uint64_t stamp = decoder->record->stamp;

	if (time_ns > stamp && speaker)
		speaker->ahead = true;
	if (time_ns > stamp || stamp - time_ns > AGE_NS)
		return false;
	if (!speaker)
		return true;
	if (kind == EVENT_PAUSE_END)
		speaker->behind = stamp - time_ns > PROMPT_NS;
	return !speaker->ahead && !speaker->behind;
}

void decode__time(struct decoder *decoder, struct event *event, uint64_t time_ns)
{
	event->late = !time_ns || !is_ours(decoder, event->kind, time_ns);
	if (!event->late)
		event->time = time_ns;
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
	decode__time(decoder, &event, fixed.time_ns);
	event.gc_start.gc = fixed.gc;
	event.gc_start.generations = fixed.generations;
	event.gc_start.reason = fixed.reason;
	event.gc_start.how = fixed.how;
	return decoder__tell(decoder, &event);
}

int decode__gc_finish(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	const size_t old = offsetof(struct gctrace_gc_finish, how); /* of version 1.0 */
	struct event event = decoder__event(decoder, EVENT_GC_FINISH);
	struct gctrace_gc_finish fixed = { .how = 0 };

	if (!decoding__fixed(&fixed, bytes == old ? old : sizeof(fixed), at, bytes))
		return -EBADMSG;
	decoder__expect(decoder, fixed.batches);
	decode__time(decoder, &event, fixed.time_ns);
	event.gc_finish.gc = fixed.gc;
	event.gc_finish.collected = EVENT_UNKNOWN;
	event.gc_finish.how = fixed.how;
	event.gc_finish.untold = fixed.head.flags & GCTRACE_FINISH_UNTOLD;
	event.gc_finish.may_be_two = fixed.head.flags & GCTRACE_FINISH_MAY_BE_TWO;
	return decoder__tell(decoder, &event);
}

int decode__beside(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_BESIDE);
	struct gctrace_beside fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.beside.flags = fixed.head.flags;
	if (!(fixed.head.flags & GCTRACE_BESIDE_START))
		decoder__expect(decoder, fixed.batches);
	decode__time(decoder, &event, fixed.time_ns);
	return decoder__tell(decoder, &event);
}

int decode__pause_begin(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_PAUSE_BEGIN);
	struct gctrace_pause_begin fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	decode__time(decoder, &event, fixed.time_ns);
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
	decode__time(decoder, &event, fixed.time_ns);
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

int decode__reuse(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_REUSE);
	struct gctrace_reuse fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.reuse.generations = fixed.generations;
	event.reuse.start = fixed.start;
	event.reuse.length = fixed.length;
	return decoder__tell(decoder, &event);
}

int decode__unnamed(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct gctrace_unnamed fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	return fixed.count ? decoder__lose(decoder, LOSS_UNNAMED, fixed.count) : 0;
}

int decode__notice(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_NOTICE);
	struct gctrace_notice fixed;
	struct cursor texts;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	texts = (struct cursor){ at + sizeof(fixed), at + bytes, false };
	event.notice.what = fixed.what;
	event.notice.text = take_text(&texts, fixed.text_bytes);
	return texts.bad ? -EBADMSG : decoder__tell(decoder, &event);
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

int decode__figure(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_FIGURE);
	struct gctrace_figure fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.figure.gc = fixed.gc;
	event.figure.generation = fixed.generation;
	event.figure.value = fixed.value;
	event.figure.what = fixed.what;
	return decoder__tell(decoder, &event);
}

int decode__object_alloc(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_OBJECT_ALLOC);
	const size_t old = offsetof(struct gctrace_object_alloc, sample); /* until version 1.3 */
	struct gctrace_object_alloc fixed = { .sample = 0 };

	if (!decoding__fixed(&fixed, bytes == old ? old : sizeof(fixed), at, bytes))
		return -EBADMSG;
	event.alloc.id = fixed.id;
	event.alloc.size = fixed.size;
	event.alloc.class_ = fixed.class_;
	event.alloc.stack = fixed.stack;
	event.alloc.weight = fixed.weight;
	event.alloc.sample = fixed.sample;
	event.alloc.gc = fixed.gc;
	return decoder__tell(decoder, &event);
}

int decode__dump_end(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_DUMP_END);
	struct gctrace_dump_end fixed;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	decoder__expect(decoder, fixed.batches);
	decode__time(decoder, &event, fixed.time_ns);
	event.dump_end.dump = fixed.dump;
	event.dump_end.status = fixed.status;
	event.dump_end.objects = fixed.objects;
	event.dump_end.references = fixed.references;
	event.dump_end.roots = fixed.roots;
	event.dump_end.bytes = fixed.bytes;
	return decoder__tell(decoder, &event);
}
