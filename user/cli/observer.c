/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a thread between two sweeps is its struct seen. Where its count of switches has
 * not changed and it is off the CPU, it has not run, and what was found in its memory still holds.
 * More than that: it has stood still while that was read, which makes it exact.
 *
 * Mappings are read again every second, and when code is met where none was mapped.
 */
#include "observer.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../target/debug_file.h"
#include "../target/name_table.h"
#include "observer_private.h"

#define MAPS_NS NS_PER_S
#define MAPS_SOON_NS (50 * NS_PER_MS)
#define INSISTENCE 100 /* sweeps */

/* ---------------------------------------------------------------- life */

static int open_parts(struct observing *own)
{
	struct sampler_options options = {
		.pid = own->process->pid,
		.tids = own->options.tids,
		.tid_count = own->options.tid_count,
		.copies_stack = own->options.fields & SAMPLE_STACK_ID,
	};
	int err;

	own->natives = name_table__new();
	if (!own->natives)
		return error_errno(-ENOMEM, "cannot sample");
	err = sampler__new(&options, &own->sampler);
	if (err)
		return err;
	err = observing__open_image(own);
	return err ? error_errno(err, "cannot look into process %d", own->process->pid) : 0;
}

int observer__new(const struct observer_options *options, struct process *process,
		  const struct runtime *runtime, struct call_stacks *stacks,
		  struct observer **out)
{
	struct observer *observer = calloc(1, sizeof(*observer));
	int err;

	if (observer)
		observer->own = calloc(1, sizeof(*observer->own));
	if (!observer || !observer->own) {
		free(observer);
		return error_errno(-ENOMEM, "cannot sample");
	}
	observer->own->options = *options;
	observer->own->query = (struct map_query)MAP_QUERY_INIT;
	observer->own->process = process;
	observer->own->runtime = runtime;
	observer->own->stacks = stacks;
	err = open_parts(observer->own);
	if (err)
		observer__free(observer);
	else
		*out = observer;
	return err;
}

void observer__free(struct observer *observer)
{
	struct observing *own = observer ? observer->own : NULL;

	if (!observer)
		return;
	holder__free(own->holder);
	sampler__free(own->sampler);
	observing__close_image(own);
	name_table__free(own->natives);
	seen_threads__free(&own->threads);
	vec__free(&own->frames);
	vec__free(&own->walk.frames);
	buf__free(&own->lacks);
	buf__free(&own->name);
	vec__free(&observer->sightings);
	sweep__free(&observer->sweep);
	free(own);
	free(observer);
}

int observer__permit_holds(struct observer *observer)
{
	return observing__permit_holds(observer->own);
}

int observer__begin_holds(struct observer *observer)
{
	return observing__begin_holds(observer->own);
}

struct holds observer__holds(const struct observer *observer)
{
	return observer->own->holder ? holder__holds(observer->own->holder) :
				       (struct holds){ 0 };
}

const char *observer__lacks(const struct observer *observer)
{
	return observer->own->walker ? NULL : buf__str(&observer->own->lacks);
}

/* ---------------------------------------------------------------- a sweep */

static bool is_unmapped(const struct observing *own, const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->rows.count; i++) {
		const struct sampled *row = &sweep->rows.items[i];

		const struct map *map = maps__at(&own->maps, row->caught.ip);

		/* Runtimes reserve memory for code, and make it executable piece by piece. */
		if (sampled__is_sharp(row) && !row->is_worker && (!map || !map->execute))
			return true;
	}
	return false;
}

/* Once a second; of a program that has just been executed more often, the younger it is. */
static uint64_t maps_are_good_for(const struct observing *own, uint64_t now)
{
	const uint64_t age = now - own->image_ns;

	if (!own->executed || age / 10 > MAPS_NS)
		return MAPS_NS;
	return age / 10 > MAPS_SOON_NS ? age / 10 : MAPS_SOON_NS;
}

/* As long as they are good, and for code that is new; at most every 50 ms. */
static int refresh(struct observing *own, const struct sweep *sweep)
{
	const uint64_t now = clock__monotonic_ns(), age = now - own->maps_ns;
	int err = 0;

	own->maps_are_new = false;
	if (age > maps_are_good_for(own, now) ||
	    (age > MAPS_SOON_NS && is_unmapped(own, sweep)))
		err = observing__read_maps(own);
	if (!err && own->maps_are_new)
		err = observing__meet_runtime(own);
	own->can_walk = false;
	if (err || !own->walker)
		return err;
	err = own->walker->refresh(own->walker_state, own->maps_are_new ? &own->maps : NULL);
	own->can_walk = !err;
	return err == -ESRCH || err == -ENOMEM ? err : 0;
}

/* The innermost frames of most threads lie in this much of their stacks, which is read by pages. */
#define STACK_FORESEEN 1024
#define STACK_PAGE 4096

/* What will be read of the threads that have run, all at once. */
static void foresee(struct observing *own, const struct sweep *sweep)
{
	const bool reads = own->can_walk || own->options.fields & SAMPLE_STACK_ID;

	for (size_t i = 0; reads && i < sweep->rows.count; i++) {
		const struct sampled *row = &sweep->rows.items[i];
		const struct seen *seen = seen_threads__of(&own->threads, row->kernel_tid);
		uint64_t from, last;

		if (!seen || seen__still_holds(seen, row) || row->torn || row->is_worker)
			continue;
		from = row->caught.sp / STACK_PAGE * STACK_PAGE;
		last = (row->caught.sp + STACK_FORESEEN) / STACK_PAGE * STACK_PAGE;
		remote__foresee(&own->memory, from, last - from + STACK_PAGE);
		if (own->can_walk && own->walker->foresee)
			own->walker->foresee(own->walker_state, &row->caught);
	}
	remote__fetch(&own->memory);
}

static int look_at_all(struct observing *own, const struct sweep *sweep, bool *has_read)
{
	int err = 0;

	own->sweep = sweep->number;
	foresee(own, sweep);
	for (size_t i = 0; i < sweep->rows.count && !err; i++) {
		struct sampled *row = &sweep->rows.items[i];
		struct seen *seen = seen_threads__of(&own->threads, row->kernel_tid);

		if (!seen)
			return -ENOMEM;
		seen__meet(seen, row);
		if (seen__wants_name(seen) || own->maps_are_new)
			observing__name_thread(own, row, seen);
		seen->sweep = sweep->number;
		seen->sweeps++;
		if (seen__still_holds(seen, row)) {
			seen->is_still = true;
		} else if (row->torn || row->is_worker) {
			seen->is_known = false;
		} else {
			err = observing__look_at(own, row, seen);
			*has_read = true;
		}
	}
	return err;
}

/*
 * By another thread where that by which it is looked at has ended. -ESRCH: nothing is to be had, so
 * all have ended; or in the midst of an exec.
 */
static int look(struct observing *own, const struct sweep *sweep, bool *has_read)
{
	int err;

	for (int lives = 0; lives < LIVES; lives++) {
		if (own->memory.is_gone && observing__look_by_another(own))
			break;
		err = refresh(own, sweep);
		if (!err)
			err = look_at_all(own, sweep, has_read);
		remote__forget(&own->memory);
		own->memory.is_gone |= err == -ESRCH;
		if (!own->memory.is_gone)
			return err;
	}
	return -ESRCH;
}

/* A thread on a CPU has moved on, whatever its count of switches is. */
static void settle(struct observing *own, const struct sweep *sweep, bool has_looked_again)
{
	for (size_t i = 0; i < sweep->rows.count; i++) {
		const struct sampled *row = &sweep->rows.items[i];
		struct seen *seen = seen_threads__of(&own->threads, row->kernel_tid);

		if (seen && has_looked_again && row->still)
			seen->is_still = true;
		if (seen && row->caught.how != CAUGHT_OFF_CPU)
			seen->is_known = false;
	}
}

static int sight_all(struct observer *observer)
{
	struct observing *own = observer->own;

	vec__reset(&observer->sightings);
	if (vec__reserve(&observer->sightings, observer->sweep.rows.count))
		return -ENOMEM;
	for (size_t i = 0; i < observer->sweep.rows.count; i++) {
		const struct sampled *row = &observer->sweep.rows.items[i];
		const struct seen *seen = seen_threads__of(&own->threads, row->kernel_tid);

		if (seen)
			observer->sightings.items[observer->sightings.count++] =
				observing__sight(own, &observer->sweep, row, seen);
	}
	return 0;
}

static bool look_for_pause(const struct observing *own, struct walk_pause *pause)
{
	return own->walker && own->walker->pause &&
	       own->walker->pause(own->walker_state, pause) == 0;
}

static void begin_pause(struct observing *own, bool in_pause)
{
	own->paused = in_pause ? PAUSED_SURELY : PAUSED_PERHAPS;
	own->looks_for_pause = !in_pause && look_for_pause(own, &own->before);
}

/* All threads have been caught: what is as before has been so all the time. */
static void judge_pause(struct observing *own)
{
	struct walk_pause after;

	if (!own->looks_for_pause)
		return;
	own->paused = PAUSED_PERHAPS;
	if (look_for_pause(own, &after) && own->before.is_under_way == after.is_under_way &&
	    own->before.number == after.number)
		own->paused = after.is_under_way ? PAUSED_SURELY : PAUSED_NOT;
}

static int catch_all(struct observer *observer, bool in_pause)
{
	struct observing *own = observer->own;
	int err;

	begin_pause(own, in_pause);
	err = sampler__sweep(own->sampler, &observer->sweep);
	if (!err && own->options.insists)
		err = sampler__insist(own->sampler, &observer->sweep, INSISTENCE);
	judge_pause(own);
	return err;
}

/* One after the other, and later than the rest. */
static int hold_all(struct observer *observer)
{
	int err = observing__hold_all(observer->own, &observer->sweep);

	judge_pause(observer->own);
	if (err != -ESRCH)
		return err;
	/* The next sweep finds out whether all have ended. */
	observer->own->memory.is_gone = true;
	return 0;
}

/* Once: which it is first is enough to know what to do. */
static void tell_unread(struct observing *own)
{
	const char *path = own->told_unread ? NULL : symbols__unread(own->symbols);
	char most[UNITS_TEXT];

	if (!path)
		return;
	own->told_unread = true;
	warning("functions of %s are not told by its debug file: since it has no build id all of"
		" that would have to be read, and of such files no more than %s in all are. Link it"
		" with -Wl,--build-id", escape(path), units__bytes(most, DEBUG_FILES_MOST));
}

int observer__sweep(struct observer *observer, bool in_pause)
{
	struct observing *own = observer->own;
	bool has_read = false;
	int err = catch_all(observer, in_pause);

	if (!err)
		err = observing__follow_exec(own, &observer->sweep);
	if (!err)
		err = look(own, &observer->sweep, &has_read);
	if (err == -ESRCH && observer->sweep.rows.count &&
	    observing__is_alive(own, &observer->sweep))
		err = 0;
	has_read = has_read && (own->can_walk || own->options.fields & SAMPLE_STACK_ID);
	if (!err && (has_read || own->maps_are_new))
		err = sampler__look_again(own->sampler, &observer->sweep);
	if (!err) {
		observing__drop_past(&observer->sweep);
		settle(own, &observer->sweep, has_read);
		if (own->holder)
			err = hold_all(observer);
	}
	if (!err)
		err = sight_all(observer);
	seen_threads__keep(&own->threads, observer->sweep.number);
	tell_unread(own);
	if (err && err != -ESRCH)
		return error_errno(err, "cannot sample process %d", own->process->pid);
	return err;
}
