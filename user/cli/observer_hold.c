/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that runs is where the tick says, but its stack is read a few microseconds later, and is
 * another one by then. Here such a thread loses its CPU (attach/holder.h), is caught off the CPU,
 * looked at, and seen to have stood still: then all that its walk found is exact.
 *
 * One after the other, so that each is away for no longer than it takes to look at it. Who is not
 * caught is tried again: names that were read the first time are known the second.
 */
#include <errno.h>

#include "../attach/holder.h"
#include "../base/clock.h"
#include "../base/report.h"
#include "../base/units.h"
#include "observer_private.h"

#define TRIES 3

int observing__permit_holds(struct observing *own)
{
	int err = holder__new(&own->holder);

	return err ? error_errno(err, "--hold takes a thread of real-time priority, which gctrace"
				      " may not have here") : 0;
}

int observing__begin_holds(struct observing *own)
{
	char most[UNITS_TEXT], text[UNITS_TEXT];
	int err = holder__begin(own->holder);
	uint64_t least;

	if (err)
		return error_errno(err, "privileges could not be given up");
	least = holder__rehearse(own->holder);
	note("a thread whose sample is not exact otherwise loses its CPU for %s%s%sthe time"
	     " that its stack takes to read, at most %s each time (what that came to is told at"
	     " the end)", least ? "some " : "", least ? units__ns(text, least) : "",
	     least ? " and " : "", units__ns(most, HOLDER_MOST_NS));
	return 0;
}

/* Would anything of it be told more exactly if it had stood still meanwhile? */
static bool would_gain(const struct observing *own, const struct sweep *sweep,
		       const struct sampled *row, const struct seen *seen)
{
	struct seen still = *seen;
	struct sighting now, then;
	bool gains = false;

	if (row->is_worker)
		return false;
	if (!sampled__is_sharp(row))
		return row->state != SAMPLED_ENDS;
	still.is_still = true;
	now = observing__sight(own, sweep, row, seen);
	then = observing__sight(own, sweep, row, &still);
	for (unsigned int i = 0; i < SIGHTING_FIELDS; i++)
		gains |= then.of[i] > now.of[i];
	return gains;
}

/* While it is away. */
static int look_at_held(struct observing *own, struct sampled *row, struct seen *seen)
{
	int err = sampler__catch_one(own->sampler, row);

	seen->is_known = seen->is_still = false;
	if (err || row->torn || row->caught.how != CAUGHT_OFF_CPU)
		return err;
	/* By an exec it may have become another, which the next sweep looks at. */
	if (row->image != own->image) {
		row->torn = true;
		return 0;
	}
	err = observing__look_at(own, row, seen);
	if (!err)
		err = sampler__look_again_at_one(own->sampler, row);
	seen->is_still = !err && row->still;
	return err;
}

/* Once. */
static void tell_refusal(struct observing *own, uint32_t cpu)
{
	if (!own->was_refused)
		warning("threads that run on CPU %u are not held, nor are those on others that"
			" gctrace may not run on itself (cpuset(7)): what is read of them may be"
			" a guess", cpu);
	own->was_refused = true;
}

/* 0, also if it could not be had. */
static int hold(struct observing *own, struct sampled *row, struct seen *seen)
{
	const struct sampled row_before = *row;
	const struct seen seen_before = *seen;
	const int taken = holder__take(own->holder, row->cpu);
	uint32_t now_on;
	int err;

	if (taken == -EINVAL)
		tell_refusal(own, row->cpu);
	if (taken)
		return taken == -ENOMEM ? taken : 0;
	err = look_at_held(own, row, seen);
	holder__release(own->holder);
	if (seen__is_better(seen, row, &row_before))
		return err;
	/* Only where it runs is news. */
	now_on = row->cpu;
	*row = row_before;
	*seen = seen_before;
	row->cpu = now_on;
	return err;
}

int observing__hold_all(struct observing *own, struct sweep *sweep)
{
	int err = 0;

	for (size_t i = 0; i < sweep->rows.count && !err; i++) {
		struct sampled *row = &sweep->rows.items[i];
		struct seen *seen = seen_threads__of(&own->threads, row->kernel_tid);

		if (!seen)
			return -ENOMEM;
		if (!would_gain(own, sweep, row, seen))
			continue;
		sampler__single_out(own->sampler, row);
		for (int tries = 0; tries < TRIES && !err &&
				    would_gain(own, sweep, row, seen); tries++)
			err = hold(own, row, seen);
	}
	sampler__let_be(own->sampler);
	sweep->end_ns = clock__monotonic_ns();
	return err;
}
