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

/* Was the beginning of the pause under way told? While the watcher does so, no end comes. */
enum telling { NONE, UNHEARD, BEING_TOLD, TOLD };
static _Atomic enum telling telling;
static uint64_t why_now;
static _Atomic uint64_t told_ns; /* when its beginning was */

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

/* Whoever heard it had left when the watcher looked last and nobody listened. */
static bool was_heard_by_another(uint64_t silent_ns)
{
	return atomic_load(&telling) == TOLD && atomic_load(&told_ns) < silent_ns;
}

void pauses__tell_progress(bool listens)
{
	static uint64_t silent_ns; /* when nobody listened last */
	enum telling expected = UNHEARD;
	struct gctrace_writer *writer;

	if (!listens) {
		silent_ns = clock__now();
		return;
	}
	if (was_heard_by_another(silent_ns))
		expected = TOLD;
	if (!gctrace_wants_pause__begin() || !gctrace_wants_pause__end() ||
	    !atomic_compare_exchange_strong(&telling, &expected, BEING_TOLD))
		return;
	writer = emitter__take(0, numbers);
	producer__write(writer);
	producer__define_why(writer, why_now);
	gctrace_write_pause_begin_of(writer, started_ns, numbers, why_now);
	gctrace_flush(writer);
	emitter__release(writer);
	atomic_store(&told_ns, clock__now());
	atomic_store(&current, numbers);
	atomic_store(&telling, TOLD);
}

/* Before its end: from now on nobody tells that it is in progress. */
static void settle(void)
{
	enum telling now;

	do {
		while ((now = atomic_load(&telling)) == BEING_TOLD)
			sched_yield();
	} while (!atomic_compare_exchange_strong(&telling, &now, NONE));
}

void pauses__suspend(int32_t reason)
{
	numbers++;
	started_ns = clock__now();
	suspend_ns = UINT64_MAX;
	is_for_collection = reason == SUSPEND_FOR_GC;
	if (!emitter__is_heard()) {
		why_now = reason == SUSPEND_FOR_GC	  ? GCTRACE_WHY_COLLECTION :
			  reason == SUSPEND_FOR_GC_PREP ? WHY_BACKGROUND :
							  GCTRACE_WHY_OTHER;
		atomic_store(&telling, UNHEARD);
		return;
	}
	why_now = why(reason);
	atomic_store(&current, numbers);
	tell_begin(why_now);
	atomic_store(&told_ns, started_ns);
	atomic_store(&telling, TOLD);
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
