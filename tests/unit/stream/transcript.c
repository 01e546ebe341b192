/* SPDX-License-Identifier: BSD-2-Clause */
#include "transcript.h"

#include <inttypes.h>

#include "base/escape.h"
#include "gctrace/wire.h"
#include "stream/loss.h"

#define ADD(...) buf__printf(&transcript->text, __VA_ARGS__)

static void add_text(struct transcript *transcript, const char *name, struct text text)
{
	ADD(" %s=\"", name);
	escape__add(&transcript->text, text.at, text.bytes);
	ADD("\"");
}

static void add_ranges(struct transcript *transcript, const struct event *event, const char *name)
{
	for (size_t i = 0; i < event->ranges.count; i++) {
		const struct range *range = &event->ranges.ranges[i];

		ADD("%s target=%u gc=%" PRIu64 " generation=%" PRIu64 " phase=%u width=%u %" PRIx64
		    " -> %" PRIx64 " + %" PRIu64 "\n",
		    name, event->target, event->ranges.gc, event->ranges.generation,
		    event->ranges.phase, event->ranges.width, range->old, range->new_,
		    range->length);
	}
}

static void add_roots(struct transcript *transcript, const struct event *event)
{
	for (size_t i = 0; i < event->roots.count; i++) {
		const struct root *root = &event->roots.roots[i];

		ADD("root of %" PRIu64 " %" PRIx64 " %" PRIx64 ": %" PRIx64
		    " flags=%x kind=%" PRIu64 " id=%" PRIx64 "\n",
		    event->roots.type, event->roots.id1, event->roots.id2, root->to, root->flags,
		    root->kind, root->id);
	}
}

static void add_object(struct transcript *transcript, const struct event *event)
{
	/* MORE_REFERENCES says how it was split, which is not what is compared. */
	if (!transcript->in_object ||
	    (transcript->object && transcript->object != event->object.id))
		ADD("object %" PRIx64 " class=%" PRIx64 " size=%" PRIu64 " flags=%x places=%u\n",
		    event->object.id, event->object.class_, event->object.size,
		    event->object.flags & ~0x10000u, event->object.places);
	for (size_t i = 0; i < event->object.count; i++) {
		const struct reference *reference = &event->object.references[i];

		ADD("  %" PRIx64 " place=%" PRIu64 " flags=%x\n", reference->to, reference->place,
		    reference->flags);
	}
	transcript->in_object = event->object.more;
	transcript->object = event->object.more ? event->object.id : 0;
	if (!event->object.more)
		ADD("  end of %" PRIx64 "\n", event->object.id);
}

/* In one text, into however many records and events they were put. */
static void add_samples(struct transcript *transcript, const struct event *event)
{
	const char *name = event->samples.all ? "all" : "samples";

	if (!transcript->samples)
		ADD("%s gc=%" PRIu64 " interval=%" PRIu64 "\n", name, event->samples.gc,
		    event->samples.interval);
	if (!transcript->samples && event->samples.in_doubt)
		ADD("  in doubt\n");
	if (!transcript->samples && event->samples.repeats)
		ADD("  repeats=%u\n", event->samples.repeats);
	for (size_t i = 0; i < event->samples.count; i++) {
		const struct sample_fate *sample = &event->samples.samples[i];

		ADD("  %" PRIu64 " bits=%x", sample->sample, sample->bits);
		if (sample->address != EVENT_UNKNOWN)
			ADD(" address=%" PRIx64, sample->address);
		if (sample->bits & GCTRACE_SAMPLE_GENERATION)
			ADD(" generation=%u", sample->generation);
		ADD("\n");
	}
	transcript->samples = event->samples.more;
	if (!event->samples.more)
		ADD("  end of %s\n", name);
}

static void add_mark(struct transcript *transcript, const struct event *event)
{
	switch (event->kind) {
	case EVENT_GC_START:
		ADD("gc_start gc=%" PRIu64 " generations=%" PRIx64 " reason=%" PRIu64 " how=%x",
		    event->gc_start.gc, event->gc_start.generations, event->gc_start.reason,
		    event->gc_start.how);
		add_text(transcript, "what", event->gc_start.what);
		add_text(transcript, "cause", event->gc_start.cause);
		break;
	case EVENT_GC_FINISH:
		ADD("gc_finish gc=%" PRIu64 " collected=%" PRId64, event->gc_finish.gc,
		    (int64_t)event->gc_finish.collected);
		if (event->gc_finish.how)
			ADD(" how=%x", event->gc_finish.how);
		if (event->gc_finish.untold)
			ADD(" untold");
		if (event->gc_finish.may_be_two)
			ADD(" may_be_two");
		break;
	case EVENT_PAUSE_BEGIN:
		ADD("pause_begin pause=%" PRIu64 " why=%" PRIu64, event->pause.pause,
		    event->pause.why);
		break;
	case EVENT_PAUSE_END:
		ADD("pause_end pause=%" PRIu64 " suspend_ns=%" PRId64, event->pause.pause,
		    (int64_t)event->pause.suspend_ns);
		break;
	case EVENT_CONTAINER:
		ADD("container type=%" PRIu64 " id1=%" PRIx64 " id2=%" PRIx64,
		    event->container.type, event->container.id1, event->container.id2);
		break;
	case EVENT_GENERATION:
		ADD("generation gc=%" PRIu64 " generation=%" PRIu64 " start=%" PRIx64
		    " used=%" PRIu64 " reserved=%" PRIu64 " %s",
		    event->generation.gc, event->generation.generation, event->generation.start,
		    event->generation.used, event->generation.reserved,
		    event->generation.after ? "after" : "before");
		break;
	case EVENT_REUSE:
		ADD("reuse generations=%" PRIx64 " start=%" PRIx64 " length=%" PRIx64,
		    event->reuse.generations, event->reuse.start, event->reuse.length);
		break;
	case EVENT_OBJECT_ALLOC:
		ADD("alloc id=%" PRIx64 " size=%" PRIu64 " class=%" PRIx64 " stack=%" PRIx64
		    " weight=%" PRIu64,
		    event->alloc.id, event->alloc.size, event->alloc.class_, event->alloc.stack,
		    event->alloc.weight);
		if (event->alloc.sample)
			ADD(" sample=%" PRIu64 " gc=%" PRIu64, event->alloc.sample,
			    event->alloc.gc);
		break;
	case EVENT_DUMP_END:
		ADD("dump_end dump=%" PRIu64 " status=%" PRIu64 " objects=%" PRIu64
		    " references=%" PRIu64 " roots=%" PRIu64 " bytes=%" PRIu64,
		    event->dump_end.dump, event->dump_end.status, event->dump_end.objects,
		    event->dump_end.references, event->dump_end.roots, event->dump_end.bytes);
		break;
	default:
		ADD("? %d", event->kind);
	}
}

static void add_named(struct transcript *transcript, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PRODUCER:
		ADD("producer");
		add_text(transcript, "name", event->producer.name);
		add_text(transcript, "version", event->producer.version);
		add_text(transcript, "runtime", event->producer.runtime);
		add_text(transcript, "collector", event->producer.collector);
		break;
	case EVENT_CLASS:
		ADD("class %" PRIx64 " super=%" PRIx64 " size=%" PRIu64 " flags=%x",
		    event->class_.class_, event->class_.super, event->class_.size,
		    event->class_.flags);
		add_text(transcript, "name", event->class_.name);
		add_text(transcript, "fields", event->class_.fields);
		break;
	case EVENT_DEFINE:
		ADD("define space=%u id=%" PRIx64 " a=%" PRIu64 " b=%" PRIu64, event->define.space,
		    event->define.id, event->define.a, event->define.b);
		add_text(transcript, "name", event->define.name);
		break;
	case EVENT_NOTICE:
		ADD("notice %u", event->notice.what);
		add_text(transcript, "text", event->notice.text);
		break;
	case EVENT_POOL:
		ADD("pool gc=%" PRId64 " before=%" PRId64 " used=%" PRId64 " committed=%" PRId64
		    " max=%" PRId64,
		    (int64_t)event->pool.gc, (int64_t)event->pool.before,
		    (int64_t)event->pool.used, (int64_t)event->pool.committed,
		    (int64_t)event->pool.max);
		add_text(transcript, "name", event->pool.name);
		break;
	case EVENT_FIGURE:
		ADD("figure gc=%" PRId64 " what=%u generation=%" PRId64 " value=%" PRId64,
		    (int64_t)event->figure.gc, event->figure.what,
		    (int64_t)event->figure.generation, (int64_t)event->figure.value);
		break;
	case EVENT_EXEC:
		ADD("exec target=%u", event->target);
		add_text(transcript, "image", event->process.image);
		break;
	case EVENT_EXIT:
		ADD("exit target=%u status=%" PRId64, event->target,
		    (int64_t)event->process.status);
		break;
	case EVENT_LOSS:
		ADD("loss target=%d %s %" PRIu64, (int)event->target, loss__name(event->loss.kind),
		    event->loss.count);
		break;
	default:
		add_mark(transcript, event);
	}
}

void transcript__add(struct transcript *transcript, const struct event *event)
{
	switch (event->kind) {
	case EVENT_SAMPLES:
		add_samples(transcript, event);
		return;
	case EVENT_MOVED:
		add_ranges(transcript, event, "moved");
		return;
	case EVENT_SURVIVING:
		add_ranges(transcript, event, "surviving");
		return;
	case EVENT_ROOTS:
		add_roots(transcript, event);
		return;
	case EVENT_OBJECT:
		add_object(transcript, event);
		return;
	default:
		add_named(transcript, event);
		if (transcript->times)
			ADD(" at %" PRIu64, event->time);
		ADD("\n");
	}
}

static int take(void *ctx, const struct event *event)
{
	struct transcript *transcript = ctx;

	transcript__add(transcript, event);
	return transcript->answer;
}

struct event_sink transcript__sink(struct transcript *transcript)
{
	return (struct event_sink){ take, transcript };
}

void transcript__free(struct transcript *transcript)
{
	buf__free(&transcript->text);
}
