/* SPDX-License-Identifier: BSD-2-Clause */
#include "pauses.h"
#include "agents/common/clock.h"
#include "agents/common/emitter.h"
#include "clr.h"
#include "collections.h"
#include "movement.h"
#include "producer.h"

#include <stdatomic.h>
#include <stdbool.h>

static uint64_t numbers;	 /* of the last one; by the suspending thread */
static _Atomic uint64_t current; /* 0: none */
static uint64_t started_ns, suspend_ns;
static bool is_for_collection;

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
	emitter__release(writer);
}

void pauses__suspend(int32_t reason)
{
	numbers++;
	if (!emitter__is_heard())
		return;
	started_ns = clock__now();
	suspend_ns = UINT64_MAX;
	is_for_collection = reason == SUSPEND_FOR_GC;
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
	end();
}

void pauses__resuming(void)
{
	if (is_for_collection && pauses__now())
		collections__pause_ends();
	end();
}
