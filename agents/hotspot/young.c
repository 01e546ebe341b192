/* SPDX-License-Identifier: BSD-2-Clause */
#include "young.h"
#include "addresses.h"
#include "agents/common/emitter.h"
#include "agents/common/thread.h"
#include "agents/common/watcher.h"
#include "class_sizes.h"
#include "heap_layout.h"
#include "vm.h"
#include "young_check.h"
#include "young_walk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LOOKS_BETWEEN (WATCHER_LOOKS_A_SECOND / 4) /* of the watcher's: then new objects are made */
#define NEWCOMERS 8 /* times so: all of them */

#define ONE_THAT_RUNS UINT64_MAX /* in place of a collection's number: BESIDE */
#define EVERYWHERE 0, UINT64_MAX

/*
 * `is_on` is for the collector's callbacks: on, when all that they need is there. The worker opens
 * and closes; the watcher tells it to, and looks no further.
 */
static struct {
	atomic_bool is_on;
	_Atomic(const char *) why_not; /* for good */

	bool has_worker, is_open; /* the watcher's */
	unsigned looks;
	const char *said; /* of why_not, to whoever listens now */
	struct worker worker;

	jvmtiEnv *jvmti;	 /* for the collector's events; NULL: not yet */
	jobject class_, chunk;	 /* java.lang.Class, jdk.internal.vm.StackChunk */
	bool is_learned;	 /* what their instances are like */
	struct heap_part *last;	 /* behind the last collection */
	struct heap_part *before, *now;
	bool has_last;

	bool is_started; /* of the collection that is under way */
	struct heap_counts counts;
} young;

const char *young__why_not(void)
{
	return atomic_load(&young.why_not);
}

/* The first reason holds. */
static void give_up(const char *why)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&young.why_not, &none, why);
	atomic_store(&young.is_on, false);
}

static bool is_wanted(void)
{
	return gctrace_requests_moves() && emitter__is_heard() && emitter__wants_ranges();
}

/* ---- What old objects had, and have no more ---- */

/* Old ones lie where they lay: nothing was taken from the part. */
static bool is_kept(const struct heap_part *was, const struct heap_part *now)
{
	return now->kind == was->kind && now->top >= was->top;
}

static bool is_old(const struct heap_part *part)
{
	return part->kind == HEAP_OLD || part->kind == HEAP_LARGE;
}

static void tell_changed(struct gctrace_writer *writer, const struct heap_part *was,
			 const struct heap_part *now)
{
	for (size_t i = 0; i < heap_layout__count(); i++) {
		if (is_old(&was[i]) && !is_kept(&was[i], &now[i]))
			gctrace_write_reuse(writer, UINT64_MAX, was[i].start,
					    was[i].top - was[i].start);
	}
}

/* ---- A collection starts ---- */

static bool learn_classes(void)
{
	if (!young.is_learned)
		young.is_learned = class_sizes__learn(addresses__of(young.class_),
						      young.chunk ? addresses__of(young.chunk)
								  : 0);
	if (!young.is_learned)
		give_up("does not show what class objects are of");
	return young.is_learned;
}

static void tell_start(void)
{
	struct gctrace_writer *writer = emitter__take_aside(0, 0);

	if (young.has_last)
		tell_changed(writer, young.last, young.before);
	gctrace_write_beside(writer, GCTRACE_BESIDE_START);
	emitter__release(writer);
}

static void JNICALL starts(jvmtiEnv *jvmti)
{
	(void)jvmti;
	young.is_started = atomic_load(&young.is_on) && is_wanted() && learn_classes();
	if (!young.is_started) {
		young.has_last = false;
		return;
	}
	young.counts = heap_layout__counts();
	heap_layout__look(young.before);
	young_check__note();
	tell_start();
}

/* ---- It has ended ---- */

enum outcome {
	OUTCOME_NOTHING, /* no collection took place: young objects lie where they lay */
	OUTCOME_YOUNG,	 /* one did, and has emptied all room of young objects */
	OUTCOME_UNKNOWN,
};

static bool are_young_parts(bool (*right)(size_t i))
{
	for (size_t i = 0; i < heap_layout__count(); i++) {
		if (young.before[i].kind == HEAP_YOUNG && !right(i))
			return false;
	}
	return true;
}

static bool is_emptied(size_t i)
{
	return heap_layout__is_emptied(young.now, i, &young.before[i]);
}

static bool is_untouched(size_t i)
{
	return is_kept(&young.before[i], &young.now[i]);
}

static enum outcome judge(void)
{
	const struct heap_counts counts = heap_layout__counts();
	const uint32_t grown = counts.collections - young.counts.collections;

	if (counts.full != young.counts.full || grown > 1)
		return OUTCOME_UNKNOWN;
	if (grown == 0)
		return are_young_parts(is_untouched) ? OUTCOME_NOTHING : OUTCOME_UNKNOWN;
	return are_young_parts(is_emptied) ? OUTCOME_YOUNG : OUTCOME_UNKNOWN;
}

/* Neighbours of one generation are told as one. */
static void tell_generation(struct gctrace_writer *writer, enum gctrace_when when,
			    const struct heap_part *parts, enum young_generation generation)
{
	uint64_t start = 0, end = 0;

	for (size_t i = 0; i < heap_layout__count(); i++) {
		const struct heap_part *part = &parts[i];

		if (part->kind == HEAP_FREE ||
		    (part->kind == HEAP_YOUNG) != (generation == YOUNG_GENERATION))
			continue;
		if (part->start == end) {
			end = part->top;
			continue;
		}
		if (end > start)
			gctrace_write_generation(writer, when, ONE_THAT_RUNS, generation, start,
						 end - start, end - start);
		start = part->start;
		end = part->top;
	}
	/* Also where there is nothing of it: what was told before does not hold. */
	gctrace_write_generation(writer, when, ONE_THAT_RUNS, generation, start, end - start,
				 end - start);
}

static void tell_generations(struct gctrace_writer *writer, enum gctrace_when when,
			     const struct heap_part *parts)
{
	tell_generation(writer, when, parts, YOUNG_GENERATION);
	tell_generation(writer, when, parts, OLD_GENERATION);
}

/* Of an old part that was emptied, what could not be walked is told as such and is no fault. */
static bool walk(struct gctrace_writer *writer)
{
	struct young_walk walk = { .writer = writer, .now = young.now };
	bool is_whole = true;

	for (size_t i = 0; i < heap_layout__count(); i++) {
		const struct heap_part *part = &young.before[i];

		if (part->kind == HEAP_YOUNG)
			is_whole = young_walk__part(&walk, part) && is_whole;
		else if (part->kind == HEAP_OLD && is_emptied(i))
			young_walk__part(&walk, part);
		else if (is_old(part) && !is_kept(part, &young.now[i]))
			gctrace_write_reuse(writer, UINT64_MAX, part->start,
					    part->top - part->start);
	}
	return is_whole;
}

static bool was_walked(uint64_t address)
{
	const struct heap_part *part = heap_layout__at(young.before, address);

	return part && (part->kind == HEAP_YOUNG ||
			(part->kind == HEAP_OLD && is_emptied((size_t)(part - young.before))));
}

/* True: all of our own objects lie where they were told to. */
static bool check(struct gctrace_writer *writer)
{
	const struct young_check result = young_check__judge(was_walked);

	gctrace_write_figure(writer, ONE_THAT_RUNS, GCTRACE_FIGURE_CHECKED, UINT64_MAX,
			     result.objects);
	gctrace_write_figure(writer, ONE_THAT_RUNS, GCTRACE_FIGURE_WRONG, UINT64_MAX,
			     result.wrong);
	if (result.wrong == 0)
		return true;
	give_up("has moved objects elsewhere than its heap shows");
	gctrace_write_reuse(writer, UINT64_MAX, EVERYWHERE);
	return false;
}

static unsigned tell_young(struct gctrace_writer *writer)
{
	bool is_told;

	tell_generations(writer, GCTRACE_BEFORE, young.before);
	is_told = walk(writer);
	tell_generations(writer, GCTRACE_AFTER, young.now);
	is_told = is_told && check(writer);
	return is_told ? GCTRACE_BESIDE_TOLD : GCTRACE_BESIDE_UNTOLD;
}

static unsigned tell_unknown(struct gctrace_writer *writer)
{
	tell_changed(writer, young.before, young.now);
	tell_generations(writer, GCTRACE_BEFORE, young.before);
	tell_generations(writer, GCTRACE_AFTER, young.now);
	return GCTRACE_BESIDE_UNTOLD;
}

static unsigned tell(struct gctrace_writer *writer, enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_YOUNG:
		return tell_young(writer);
	case OUTCOME_UNKNOWN:
		return tell_unknown(writer);
	default:
		tell_changed(writer, young.before, young.now);
		return 0;
	}
}

static void keep_last(void)
{
	struct heap_part *last = young.last;

	young.last = young.now;
	young.now = last;
	young.has_last = true;
}

static void JNICALL finishes(jvmtiEnv *jvmti)
{
	struct gctrace_writer *writer;
	enum outcome outcome;

	(void)jvmti;
	if (!young.is_started)
		return;
	young.is_started = false;
	heap_layout__look(young.now);
	outcome = judge();
	writer = emitter__take_aside(0, 0);
	gctrace_write_beside(writer, tell(writer, outcome));
	emitter__release(writer);
	if (outcome != OUTCOME_YOUNG)
		class_sizes__forget(); /* it may have unloaded some */
	keep_last();
}

/* ---- Opening and closing, on a thread of the agent's ---- */

static bool get_parts(void)
{
	const size_t bytes = heap_layout__count() * sizeof(struct heap_part);
	unsigned char *memory;

	if (young.last)
		return true;
	memory = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	young.last = (struct heap_part *)(void *)memory;
	young.before = (struct heap_part *)(void *)(memory + bytes);
	young.now = (struct heap_part *)(void *)(memory + 2 * bytes);
	return true;
}

static jobject hold_class(struct visit *visit, const char *name)
{
	jclass class_ = VM_CALL(visit->jni, FindClass, name);
	jobject held = class_ ? VM_CALL(visit->jni, NewGlobalRef, class_) : NULL;

	VM_CALL(visit->jni, ExceptionClear);
	if (class_)
		VM_CALL(visit->jni, DeleteLocalRef, class_);
	return held;
}

static bool set_events(bool are_on)
{
	const jvmtiEventMode mode = are_on ? JVMTI_ENABLE : JVMTI_DISABLE;

	return !VM_CALL(young.jvmti, SetEventNotificationMode, mode,
			JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL) &&
	       !VM_CALL(young.jvmti, SetEventNotificationMode, mode,
			JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
}

static bool get_environment(void)
{
	const jvmtiEventCallbacks callbacks = { .GarbageCollectionStart = starts,
						.GarbageCollectionFinish = finishes };
	const jvmtiCapabilities wanted = { .can_generate_garbage_collection_events = 1 };

	if (young.jvmti)
		return true;
	return vm__get_environment(&young.jvmti) &&
	       !VM_CALL(young.jvmti, AddCapabilities, &wanted) &&
	       !VM_CALL(young.jvmti, SetEventCallbacks, &callbacks, (jint)sizeof(callbacks));
}

/* NULL: all that the callbacks need is there. */
static const char *prepare(struct visit *visit)
{
	const char *why = NULL;

	if (!young.last)
		why = heap_layout__find(vm__version());
	if (!why && !young.last)
		why = class_sizes__find();
	if (why)
		return why;
	if (!young.class_) {
		young.class_ = hold_class(visit, "java/lang/Class");
		young.chunk = hold_class(visit, "jdk/internal/vm/StackChunk");
	}
	if (!young.class_ || !get_parts())
		return "has no memory left";
	return get_environment() ? NULL : "tells no collections to agents";
}

static void open_up(struct visit *visit)
{
	const char *why = prepare(visit);

	for (unsigned i = 0; i < NEWCOMERS && !why; i++)
		young_check__make(visit);
	young.has_last = false;
	atomic_store(&young.is_on, !why);
	if (!why && !set_events(true))
		why = "tells no collections to agents";
	if (why)
		give_up(why);
}

static void open_events(void *context)
{
	(void)context;
	vm__visit(open_up);
}

static void make_newcomer(struct visit *visit)
{
	young_check__make(visit);
}

static void make_newcomers(void *context)
{
	(void)context;
	vm__visit(make_newcomer);
}

static void close_down(struct visit *visit)
{
	if (young.jvmti)
		set_events(false);
	young_check__let_go(visit);
}

static void close_events(void *context)
{
	(void)context;
	atomic_store(&young.is_on, false);
	vm__visit(close_down);
}

/* ---- The watcher's ---- */

/* Once to each who listens. */
static void tell_why_not(void)
{
	const char *why = young__why_not();
	struct gctrace_writer *writer;
	char text[256];

	if (why == young.said)
		return;
	young.said = why;
	snprintf(text, sizeof(text), "exact moves are not told: the JVM %s", why);
	writer = emitter__take_aside(0, 0);
	gctrace_write_notice(writer, GCTRACE_NOTICE_INEXACT, text);
	gctrace_flush(writer);
	emitter__release(writer);
}

static bool can_work(void)
{
	if (!young.has_worker)
		young.has_worker = worker__start(&young.worker, "gctrace-moves");
	if (!young.has_worker)
		give_up("lets no thread be started");
	return young.has_worker && worker__is_idle(&young.worker);
}

void young__want(bool is_asked)
{
	const bool is_to_be_open = is_asked && !young__why_not();

	if (is_asked && young__why_not())
		tell_why_not();
	if (!is_asked)
		young.said = NULL;
	if ((!is_to_be_open && !young.is_open) || !can_work())
		return;
	if (is_to_be_open != young.is_open) {
		young.is_open = is_to_be_open;
		young.looks = 0;
		worker__post(&young.worker, is_to_be_open ? open_events : close_events, NULL);
	} else if (++young.looks % LOOKS_BETWEEN == 0) {
		worker__post(&young.worker, make_newcomers, NULL);
	}
}
