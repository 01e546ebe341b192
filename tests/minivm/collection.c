/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which collection when, its phases and its accounts.
 *
 *   YOUNG       condemns the nursery. Copies; moves are phase 0.
 *
 *   FULL        condemns everything. One trace copies the nursery (phase 0) and marks the rest;
 *               then the old space is swept (survivals of generation 1), or compacted (moves of
 *               generation 1 in phase 1, so that a promoted object goes nursery -> old -> old);
 *               large objects survive where they are (generation 2).
 *
 *   CONCURRENT  condemns old space and large objects. In one pause a whole young collection, then
 *               this one's start: all is marked, with every object that is left in the nursery
 *               for a root. Then the program runs on and the old space is swept; young
 *               collections come in between and promote into its holes. In a last pause the
 *               survivors are told, as they were marked, large objects are swept, and it ends.
 */
#include "collection.h"
#include "background.h"
#include "collector.h"
#include "large.h"
#include "nursery.h"
#include "old.h"
#include "options.h"
#include "report.h"
#include "roots.h"
#include "trace.h"
#include "truth_write.h"
#include "verify.h"

#include <pthread.h>

static struct {
	uint64_t started;
	uint64_t finished; /* with the lock */
	pthread_mutex_t lock;
	uint64_t threshold; /* bytes outside the nursery that make a collection a full one */
	struct list pinned;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

uint64_t collections__started(void)
{
	return state.started;
}

uint64_t collections__finished(void)
{
	uint64_t finished;

	pthread_mutex_lock(&state.lock);
	finished = state.finished;
	pthread_mutex_unlock(&state.lock);
	return finished;
}

/* ---- Accounts ---- */

static void account_start(struct gc *gc)
{
	static const char *const names[GENERATIONS] = { "nursery", "old", "large" };
	struct usage usage[GENERATIONS];

	heap__usage(usage);
	for (unsigned i = 0; i < GENERATIONS; i++) {
		gc->pools[i] = (struct gc_pool){ .name = names[i], .before = usage[i].bytes };
		if (gc->condemned >> i & 1)
			gc->counts[i].condemned = usage[i];
	}
}

static void account_pools(struct gc *gc)
{
	struct usage usage[GENERATIONS];

	heap__usage(usage);
	for (unsigned i = 0; i < GENERATIONS; i++)
		gc->pools[i].used = usage[i].bytes;
	gc->pools[GEN_NURSERY].committed = gc->pools[GEN_NURSERY].max = heap.young_bytes;
	gc->pools[GEN_OLD].committed = old.top - heap.old;
	gc->pools[GEN_LARGE].committed = large.committed;
	gc->pools[GEN_OLD].max = gc->pools[GEN_LARGE].max = opt.heap;
}

/* What the trace did to the nursery, and what came out of it into the old space. */
static void account_nursery(struct gc *gc)
{
	struct gc_counts *counts = &gc->counts[GEN_NURSERY];

	for (unsigned i = 0; i < workers_count; i++) {
		usage__sum(&counts->moved, &workers[i].copied);
		usage__sum(&counts->moved, &workers[i].promoted);
		usage__sum(&counts->promoted, &workers[i].promoted);
	}
	nursery.usage = counts->moved;
	usage__less(&nursery.usage, &counts->promoted);
	usage__sum(&nursery.usage, &counts->stayed);
	usage__sum(&old.usage, &counts->promoted);
	counts->dead = counts->condemned;
	usage__less(&counts->dead, &counts->moved);
	usage__less(&counts->dead, &counts->stayed);
}

static struct usage marked_in_old(void)
{
	struct usage marked = { 0, 0 };

	for (unsigned i = 0; i < workers_count; i++)
		usage__sum(&marked, &workers[i].marked);
	return marked;
}

/* marked: in the old space, what this collection promoted included. */
static void account_dead_old(struct gc *gc, const struct usage *marked)
{
	struct usage *dead = &gc->counts[GEN_OLD].dead;

	*dead = gc->counts[GEN_OLD].condemned;
	usage__sum(dead, &gc->counts[GEN_NURSERY].promoted);
	usage__less(dead, marked);
}

static void account_dead_large(struct gc *gc)
{
	struct gc_counts *counts = &gc->counts[GEN_LARGE];

	counts->dead = counts->condemned;
	usage__less(&counts->dead, &counts->survived);
}

static uint64_t outside_bytes(void)
{
	return old.usage.bytes + large.usage.bytes;
}

/* After a collection; is_exact: what is left is alive. */
static void set_threshold(bool is_exact)
{
	const uint64_t live = outside_bytes(), more = 4 * heap.young_bytes;

	if (is_exact && live > opt.heap)
		die("the heap is full: %llu MiB are alive of --heap %llu MiB",
		    (unsigned long long)live >> 20, (unsigned long long)opt.heap >> 20);
	state.threshold = live + (live / 2 > more ? live / 2 : more);
	if (state.threshold > opt.heap)
		state.threshold = opt.heap;
}

bool collection__is_wanted_for(uint64_t bytes)
{
	bool is_short;

	pthread_mutex_lock(&large.lock);
	is_short = outside_bytes() + bytes > state.threshold && !large.born_marked;
	pthread_mutex_unlock(&large.lock);
	return is_short;
}

/* ---- Collections ---- */

static void start(struct gc *gc, uint64_t condemned, uint32_t how, uint32_t reason)
{
	*gc = (struct gc){ .number = ++state.started, .condemned = condemned, .how = how,
			   .reason = reason, .start_ns = now_ns(),
			   .start_pause = pause_now.number };
	pause_now.gc = gc->number;
	account_start(gc);
	report__gc_start(gc);
	truth__gc_start(gc);
}

static void finish(struct gc *gc)
{
	account_pools(gc);
	report__gc_finish(gc);
	gc->finish_ns = now_ns();
	pthread_mutex_lock(&state.lock);
	state.finished++;
	pthread_mutex_unlock(&state.lock);
	background__hold();
	if (opt.verify)
		verify__heap(gc);
	truth__gc_finish(gc);
	background__release();
}

static void find_pinned(void)
{
	state.pinned.count = 0;
	handles__pinned(&state.pinned);
	nursery__begin(&state.pinned);
}

static void collect_young(uint32_t reason)
{
	struct gc gc;

	start(&gc, 1 << GEN_NURSERY, GCTRACE_HOW_COPYING, reason);
	find_pinned();
	trace__run(&gc, TRACE_YOUNG);
	nursery__end();
	account_nursery(&gc);
	background__step();
	finish(&gc);
}

static void collect_full(uint32_t reason)
{
	const uint64_t everything = 1 << GEN_NURSERY | 1 << GEN_OLD | 1 << GEN_LARGE;
	const bool compact = opt.collector == COLLECTOR_COMPACT || old__is_scattered();
	struct usage marked;
	struct gc gc;

	start(&gc, everything,
	      GCTRACE_HOW_COPYING | (compact ? GCTRACE_HOW_COMPACTING : GCTRACE_HOW_SWEEPING),
	      reason);
	find_pinned();
	large__begin(false);
	trace__run(&gc, TRACE_FULL);
	nursery__end();
	report__phase_end(&gc);
	marked = marked_in_old();
	account_nursery(&gc);
	large__sweep(&gc);
	gc.phase = 1;
	if (compact)
		old__compact(&gc, &state.pinned);
	else
		old__sweep(&gc);
	account_dead_old(&gc, &marked);
	account_dead_large(&gc);
	set_threshold(true);
	finish(&gc);
}

static void start_concurrent(uint32_t reason)
{
	struct gc gc;

	start(&gc, 1 << GEN_OLD | 1 << GEN_LARGE, GCTRACE_HOW_SWEEPING | GCTRACE_HOW_CONCURRENT,
	      reason);
	large__begin(true);
	trace__run(&gc, TRACE_MARK);
	old.usage = marked_in_old();
	large__forget_dead();
	account_dead_old(&gc, &old.usage);
	background__begin(&gc);
}

void collection__finish_concurrent(void)
{
	struct gc *gc = background__gc();

	background__end();
	pause_now.gc = gc->number;
	report__gc_again(gc);
	old__sweep_report(gc);
	large__sweep(gc);
	account_dead_large(gc);
	set_threshold(false);
	finish(gc);
}

bool collection__is_full_due(uint32_t reason)
{
	if (opt.full_every && (state.started + 1) % opt.full_every == 0)
		return true;
	if (reason == GCTRACE_REASON_LARGE || reason == GCTRACE_REASON_EXPLICIT)
		return true;
	return outside_bytes() + nursery.usage.bytes > state.threshold;
}

static bool is_heap_short(void)
{
	return outside_bytes() + nursery.usage.bytes > opt.heap;
}

static bool is_enough(void)
{
	return opt.collections && collections__finished() >= opt.collections;
}

void collection__run(uint32_t reason)
{
	bool is_full, is_short = is_heap_short();

	if (background__gc() && (is_short || background__is_swept()))
		collection__finish_concurrent();
	is_full = collection__is_full_due(reason);
	is_short = is_heap_short();
	if (is_full && reason == GCTRACE_REASON_ALLOCATION && !opt.full_every)
		reason = GCTRACE_REASON_THRESHOLD;
	if (is_full && (opt.collector != COLLECTOR_CONCURRENT || is_short ||
			reason == GCTRACE_REASON_EXPLICIT)) {
		if (background__gc())
			collection__finish_concurrent();
		collect_full(reason);
		return;
	}
	collect_young(reason);
	if (is_full && !background__gc() && !is_enough())
		start_concurrent(reason);
}

void collections__init(void)
{
	set_threshold(true);
}
