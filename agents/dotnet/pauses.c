/* SPDX-License-Identifier: BSD-2-Clause */
#include "pauses.h"
#include "agents/common/clock.h"
#include "agents/common/emitter.h"
#include "clr.h"
#include "collections.h"
#include "movement.h"
#include "producer.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static uint64_t numbers;	 /* of the last one; by the suspending thread */
static _Atomic uint64_t current; /* 0: none */
static uint64_t started_ns, suspend_ns;
static bool is_for_collection;

/* Of a pause that began while nobody listened: the watcher may tell it. */
enum unheard { NONE, UNHEARD, BEING_TOLD };
static _Atomic enum unheard unheard;
static uint64_t unheard_why;

uint64_t pauses__now(void)
{
	return atomic_load_explicit(&current, memory_order_relaxed);
}

/*
 * A background collection stops the program to finish marking, and, if its survivors are asked for,
 * to tell them.
 */
static uint64_t why_in_background(void)
{
	static uint64_t marked; /* the collection whose marking is finished */
	const uint64_t gc = collections__now();

	if (!gc)
		return WHY_BACKGROUND;
	if (gc == marked && collections__background_has_ranges())
		return WHY_SURVIVORS;
	marked = gc;
	return GCTRACE_WHY_REMARK;
}

static uint64_t why(int32_t reason)
{
	switch (reason) {
	case SUSPEND_FOR_GC:
		return GCTRACE_WHY_COLLECTION;
	case SUSPEND_FOR_GC_PREP:
		return why_in_background();
	default:
		return GCTRACE_WHY_OTHER;
	}
}

static void tell_begin(uint64_t why)
{
	struct gctrace_writer *writer = emitter__take(0, numbers);

	producer__write(writer);
	producer__define_why(writer, why);
	if (gctrace_wants_pause__begin())
		gctrace_write_pause_begin(writer, numbers, why);
	if (why == GCTRACE_WHY_REMARK || why == WHY_BACKGROUND)
		movement__sweeps(writer);
	gctrace_flush(writer); /* it may be a long one, and is seen while it lasts */
	emitter__release(writer);
}

void pauses__tell_progress(void)
{
	enum unheard expected = UNHEARD;
	struct gctrace_writer *writer;

	if (!gctrace_wants_pause__begin() || !gctrace_wants_pause__end() ||
	    !atomic_compare_exchange_strong(&unheard, &expected, BEING_TOLD))
		return;
	writer = emitter__take(0, numbers);
	producer__write(writer);
	producer__define_why(writer, unheard_why);
	gctrace_write_pause_begin_of(writer, started_ns, numbers, unheard_why);
	gctrace_flush(writer);
	emitter__release(writer);
	atomic_store(&current, numbers);
	atomic_store(&unheard, NONE);
}

/* Before its end: it is told, or has not been and is not. */
static void settle(void)
{
	enum unheard expected = UNHEARD;

	atomic_compare_exchange_strong(&unheard, &expected, NONE);
	while (atomic_load(&unheard) != NONE)
		sched_yield();
}

void pauses__suspend(int32_t reason)
{
	numbers++;
	started_ns = clock__now();
	suspend_ns = UINT64_MAX;
	is_for_collection = reason == SUSPEND_FOR_GC;
	if (!emitter__is_heard()) {
		unheard_why = reason == SUSPEND_FOR_GC	      ? GCTRACE_WHY_COLLECTION :
			      reason == SUSPEND_FOR_GC_PREP ? WHY_BACKGROUND :
							      GCTRACE_WHY_OTHER;
		atomic_store(&unheard, UNHEARD);
		return;
	}
	atomic_store(&current, numbers);
	tell_begin(why(reason));
}

void pauses__suspended(void)
{
	if (pauses__now())
		suspend_ns = clock__now() - started_ns;
}

static void end(void)
{
	const uint64_t pause = pauses__now();

	if (!pause)
		return;
	/* Others' first; what this one holds, mostly the collection's end, goes in one with it. */
	struct gctrace_writer *writer = emitter__take(0, pause);

	emitter__flush_all();
	if (gctrace_wants_pause__end())
		gctrace_write_pause_end(writer, pause, suspend_ns);
	emitter__release(writer);
	atomic_store(&current, 0);
}

void pauses__aborted(void)
{
	settle();
	end();
}

void pauses__resuming(void)
{
	settle();
	if (is_for_collection && pauses__now())
		collections__pause_ends();
	end();
}
