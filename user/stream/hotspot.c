/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot: events from the JVM's own probes (bpf/hotspot.bpf.c has their nesting).
 *
 * What is a collection? Each sequence of pools, from the first "before" to the last "after" of
 * one memory manager, because that is what the JVM's own log numbers:
 *
 *   G1         gc[ young ]   gc[ full ]              one a pause; two pauses in one operation
 *   Parallel   gc[ young  full ]                     several share a pause
 *   Serial     gc[ young  full ]
 *   ZGC        cycle( .. gc[] .. gc[] .. gc[] .. )   from a thread of the collector's own, around
 *   Shenandoah cycle( .. gc[] .. gc[] .. )           pauses of the VM thread without pools
 *   G1 remark, cleanup                  gc[]         until JDK 17
 *                               remark( gc[] )       later, around the pause but in its operation
 *
 * A pause without pools is a pause of the cycle that runs, if there is one or if its operation is
 * known to be a part of one (attached in the middle of it); else it is a collection by itself
 * (remark), of which the pools are not told. Where the operation is not known either (attached in
 * the middle of that), it is a pause and nothing else.
 *
 * A pause is what the program feels, the whole stop: safepoint__begin (the request to stop) to
 * safepoint__end (the threads run again), if something was collected in it. Until vmops__begin
 * threads were still on their way to the safepoint. One stop may have several parts of the
 * collector's, gc__begin to gc__end, and each of these several collections.
 *
 * safepoint__begin     vmops__begin   gc__begin     gc__end   gc__begin   gc__end    safepoint__end
 *   |  to the safepoint   |              |  pools ... |           | pools ... |              |
 *   <----------------------------------- pause ---------------------------------------------->
 *
 * The pause is reported when its first part begins, with the time at which it was requested. A
 * stop of which the request was not seen (the attach, a loss) has an end only. A JVM that has shown
 * no safepoint until its second collection has no such probes: there a pause is gc__begin to
 * gc__end.
 *
 * The cause is the text that GCCause::to_string() gave last in the thread that starts the
 * collection, unless it said "No GC" since: every collector sets its cause before the pools are
 * told, and with the counters on (-XX:+UsePerfData, the default) puts it in words.
 *
 * Nothing here is trusted to nest: records may have been lost, and the target may make up any.
 * After a loss everything is forgotten, as if attached anew; and what starts then is doubted where
 * what it lacks cannot be seen: its operation's name, the first of its pools, its cause.
 */
#include <errno.h>
#include <stdlib.h>

#include <gctrace/wire.h>

#include "hotspot_state.h"

/* -- operations --------------------------------------------------------------------------- */

struct text operation__name(const struct hotspot *hotspot)
{
	if (hotspot->depth == 0)
		return (struct text){ NULL, 0 };
	return name__text(&hotspot->operations[hotspot->depth - 1]);
}

const struct hotspot_operation *operation__now(const struct hotspot *hotspot)
{
	return hotspot_operation(operation__name(hotspot));
}

/* The word for a pause: the operation's, or its name where it is not known. */
static struct text operation__what(const struct hotspot *hotspot)
{
	const struct hotspot_operation *operation = operation__now(hotspot);

	return operation ? text__of(operation->what) : operation__name(hotspot);
}

static int operation__begin(const struct step *step, struct text name)
{
	struct hotspot *hotspot = step->hotspot;

	if (hotspot->vm_thread != step->record->tid)
		hotspot->depth = 0;
	hotspot->vm_thread = step->record->tid;
	if (hotspot->safepoint != EVENT_UNKNOWN && hotspot->suspend_ns == EVENT_UNKNOWN &&
	    step->record->stamp >= hotspot->safepoint)
		hotspot->suspend_ns = step->record->stamp - hotspot->safepoint;
	if (hotspot->depth < OPERATIONS)
		name__set(&hotspot->operations[hotspot->depth++], name);
	return 0;
}

static int operation__end(const struct step *step, struct text name)
{
	struct hotspot *hotspot = step->hotspot;

	/* Down to the one of that name: those above it must have ended. */
	for (unsigned int i = hotspot->depth; i > 0; i--) {
		if (!name__is(&hotspot->operations[i - 1], name))
			continue;
		hotspot->depth = i - 1;
		break;
	}
	cause__forget(hotspot, step->record->tid);
	return 0;
}

bool stands_still(const struct hotspot *hotspot, uint32_t tid)
{
	return hotspot->vm_thread == tid && (hotspot->depth > 0 || hotspot->paused);
}

/* -- collections -------------------------------------------------------------------------- */

int gc__start(const struct step *step, const struct gc_start *start)
{
	struct event event = step__event(step, EVENT_GC_START);

	event.time = start->time;
	event.doubted = start->doubted;
	event.gc_start.gc = EVENT_UNKNOWN;
	event.gc_start.generations =
		beside__generations(step->hotspot, start->generations, start->how);
	event.gc_start.how = start->how;
	event.gc_start.pools = start->pools;
	event.gc_start.what = start->what;
	event.gc_start.cause = cause__text(step->hotspot, step->record->tid);
	event.gc_start.reason = hotspot_reason(event.gc_start.cause);
	return step__tell(step, &event);
}

/* Whoever has ranges of it adds them; the JVM has none. */
int gc__finish(const struct step *step, uint64_t time, uint32_t tid, struct text what,
	       uint64_t generations)
{
	struct event event = translator__finish(step->record);

	event.time = time;
	event.tid = tid;
	event.gc_finish.what = what;
	event.gc_finish.untold = true;
	return beside__finish(step, &event, generations);
}

/* -- pauses ------------------------------------------------------------------------------- */

static struct event stop__event(const struct step *step, enum event_kind kind)
{
	const struct hotspot *hotspot = step->hotspot;
	const struct text name = name__text(&hotspot->stop_operation);
	const struct hotspot_operation *operation = hotspot_operation(name);
	struct event event = step__event(step, kind);

	event.pause.pause = EVENT_UNKNOWN;
	event.pause.why = operation ? operation->why : GCTRACE_WHY_UNKNOWN;
	event.pause.suspend_ns = hotspot->suspend_ns;
	event.pause.what = operation ? text__of(operation->what) : name;
	return event;
}

/* The first part of the collector's in it begins. */
static int stop__begin(const struct step *step)
{
	struct hotspot *hotspot = step->hotspot;
	const bool has_begun = hotspot->safepoint != EVENT_UNKNOWN;
	struct event event;

	name__set(&hotspot->stop_operation, operation__name(hotspot));
	hotspot->stop = STOP_UNBEGUN;
	if (!has_begun && hotspot->bracket != BRACKET_GC)
		return 0;
	hotspot->stop = STOP_BEGUN;
	event = stop__event(step, EVENT_PAUSE_BEGIN);
	event.doubted = hotspot->operation_doubted;
	if (has_begun)
		event.time = hotspot->safepoint;
	return step__tell(step, &event);
}

static int stop__end(const struct step *step)
{
	struct hotspot *hotspot = step->hotspot;
	const struct event event = stop__event(step, EVENT_PAUSE_END);

	if (hotspot->stop == STOP_NONE)
		return 0;
	hotspot->stop = STOP_NONE;
	return step__tell(step, &event);
}

/* The next one begins, and nothing has shown the end of this one. */
static int stop__give_up(const struct step *step)
{
	struct hotspot *hotspot = step->hotspot;
	struct event event = stop__event(step, EVENT_PAUSE_END);

	if (hotspot->stop == STOP_NONE)
		return 0;
	event.overdue = hotspot->stop == STOP_BEGUN;
	hotspot->stop = STOP_NONE;
	return step__tell(step, &event);
}

static int pause__begin(const struct step *step, bool full)
{
	struct hotspot *hotspot = step->hotspot;
	int err = 0;

	hotspot->vm_thread = step->record->tid;
	if (hotspot->stop != STOP_NONE && hotspot->bracket == BRACKET_UNKNOWN) {
		hotspot->bracket = BRACKET_GC;
		err = stop__give_up(step);
	}
	if (!err && hotspot->stop == STOP_NONE)
		err = stop__begin(step);
	hotspot->paused = true;
	hotspot->pause_start = step->record->stamp;
	hotspot->pause_full = full;
	hotspot->last_manager.bytes = 0;
	beside__begin(hotspot);
	/* Pools that were told before the pause, but in its operation (G1 Concurrent GC). */
	hotspot->pause_collections = sequences__still(hotspot);
	return err;
}

/* A pause that told no pools: of the cycle that runs, or a collection by itself. */
static int pause__alone(const struct step *step)
{
	struct hotspot *hotspot = step->hotspot;
	const struct hotspot_operation *operation = operation__now(hotspot);
	struct text what = operation__what(hotspot);
	struct gc_start start = {
		.time = hotspot->pause_start,
		.generations = EVENT_UNKNOWN,
		.doubted = hotspot->operation_doubted,
	};
	int err;

	if (sequences__cycle(hotspot, operation && operation->overrides ? operation->what : NULL) ||
	    (operation && operation->in_cycle))
		return 0;
	/* Attached within the operation, or perhaps within a cycle: it may be anything. */
	if (hotspot->depth == 0 || (!operation && hotspot->cycle_doubted))
		return 0;
	if (what.bytes == 0)
		what = text__of(hotspot->pause_full ? "full" : "collection");
	start.what = what;
	err = gc__start(step, &start);
	if (err)
		return err;
	return gc__finish(step, step->record->stamp, step->record->tid, (struct text){ NULL, 0 },
			  beside__generations(hotspot, EVENT_UNKNOWN, 0));
}

static int pause__end(const struct step *step)
{
	struct hotspot *hotspot = step->hotspot;
	struct event event;
	int err = 0;

	if (hotspot->paused && hotspot->pause_collections == 0)
		err = pause__alone(step);
	if (err)
		return err;
	if (hotspot->stop == STOP_NONE) {
		name__set(&hotspot->stop_operation, operation__name(hotspot));
		hotspot->stop = STOP_UNBEGUN;
	}
	if (hotspot->bracket == BRACKET_GC) {
		hotspot->stop = STOP_NONE;
		event = stop__event(step, EVENT_PAUSE_END);
		err = beside__end(step, &event);
	} else {
		err = beside__end(step, NULL);
	}
	hotspot->paused = false;
	return err;
}

static int safepoint(const struct step *step)
{
	const bool begins = step->record->kind == RECORD_HOTSPOT_SAFEPOINT_BEGIN;
	struct hotspot *hotspot = step->hotspot;
	int err = begins ? stop__give_up(step) : stop__end(step);

	hotspot->bracket = BRACKET_SAFEPOINT;
	hotspot->operation_doubted = false;
	hotspot->safepoint = begins ? step->record->stamp : EVENT_UNKNOWN;
	hotspot->suspend_ns = EVENT_UNKNOWN;
	hotspot->depth = 0;
	hotspot->paused = false;
	return err;
}

/* -- records ------------------------------------------------------------------------------ */

/* The text of a record_text: false when the record contradicts itself. */
static bool record__text(const struct record *record, struct text *text)
{
	const struct record_text *body = (const struct record_text *)record;

	if (record->bytes < sizeof(*body) || body->bytes > RECORD_TEXT_BYTES ||
	    body->bytes > record->bytes - sizeof(*body))
		return false;
	*text = (struct text){ (const char *)(body + 1), body->bytes };
	return true;
}

static int translate_text(const struct step *step)
{
	struct text text;

	if (!record__text(step->record, &text))
		return -EBADMSG;
	switch (step->record->kind) {
	case RECORD_HOTSPOT_VMOP_BEGIN:
		return operation__begin(step, text);
	case RECORD_HOTSPOT_VMOP_END:
		return operation__end(step, text);
	default:
		return cause__note(step, text);
	}
}

static int translate_pool(const struct step *step)
{
	const struct record_pool *body = (const struct record_pool *)step->record;
	struct text manager, name;
	int err;

	if (step->record->bytes < sizeof(*body) + RECORD_TEXT_BYTES ||
	    body->manager_bytes > RECORD_TEXT_BYTES || body->pool_bytes > RECORD_TEXT_BYTES ||
	    body->pool_bytes > step->record->bytes - sizeof(*body) - RECORD_TEXT_BYTES)
		return -EBADMSG;
	manager = (struct text){ (const char *)(body + 1), body->manager_bytes };
	name = (struct text){ manager.at + RECORD_TEXT_BYTES, body->pool_bytes };
	err = sequences__settle(step, manager);
	if (err)
		return err;
	if (step->record->kind == RECORD_HOTSPOT_POOL_BEGIN)
		return pool__begin(step, manager, name, body->used);
	return pool__end(step, manager, body, name);
}

static int translate_call(const struct step *step)
{
	const struct record_call *body = (const struct record_call *)step->record;

	if (step->record->bytes < sizeof(*body))
		return -EBADMSG;
	switch (step->record->kind) {
	case RECORD_HOTSPOT_GC_BEGIN:
		return pause__begin(step, body->args[0] & 0xff);
	case RECORD_HOTSPOT_GC_END:
		return pause__end(step);
	default:
		return safepoint(step);
	}
}

static int hotspot__record(void *state, const struct record *record, const struct event_sink *sink)
{
	struct step step = { state, record, sink };
	int err = beside__settle(&step);

	if (err)
		return err;
	switch (record->kind) {
	case RECORD_HOTSPOT_POOL_BEGIN:
	case RECORD_HOTSPOT_POOL_END:
		return translate_pool(&step);
	case RECORD_HOTSPOT_VMOP_BEGIN:
	case RECORD_HOTSPOT_VMOP_END:
	case RECORD_HOTSPOT_CAUSE:
		err = sequences__settle(&step, (struct text){ NULL, 0 });
		return err ? err : translate_text(&step);
	case RECORD_HOTSPOT_GC_BEGIN:
	case RECORD_HOTSPOT_GC_END:
	case RECORD_HOTSPOT_SAFEPOINT_BEGIN:
	case RECORD_HOTSPOT_SAFEPOINT_END:
		err = sequences__settle(&step, (struct text){ NULL, 0 });
		return err ? err : translate_call(&step);
	default:
		return -EBADMSG;
	}
}

static void *hotspot__new(uint32_t target)
{
	struct hotspot *hotspot = calloc(1, sizeof(*hotspot));

	(void)target;
	if (!hotspot)
		return NULL;
	hotspot->safepoint = EVENT_UNKNOWN;
	hotspot->suspend_ns = EVENT_UNKNOWN;
	return hotspot;
}

static void hotspot__lost(void *state)
{
	struct hotspot *hotspot = state;
	const struct hotspot before = *hotspot;

	sequences__free(hotspot);
	*hotspot = (struct hotspot){
		.beside.is_heard = before.beside.is_heard,
		.bracket = before.bracket,
		.safepoint = EVENT_UNKNOWN,
		.suspend_ns = EVENT_UNKNOWN,
		.operation_doubted = true,
		.cycle_doubted = true,
	};
}

static void hotspot__free(void *state)
{
	struct hotspot *hotspot = state;

	if (!hotspot)
		return;
	sequences__free(hotspot);
	free(hotspot);
}

const struct translator hotspot_translator = {
	.name = "hotspot",
	.first = RECORD_HOTSPOT_GC_BEGIN,
	.last = RECORD_HOTSPOT_CAUSE,
	.new = hotspot__new,
	.free = hotspot__free,
	.record = hotspot__record,
	.beside = hotspot__beside,
	.lost = hotspot__lost,
};
