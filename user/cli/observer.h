/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who looks where the threads of one process are: the sampler's sweeps, the runtime's walker and
 * the symbols of native code put together into sightings.
 *
 *	observer__new(&options, process, stacks, &observer)
 *	observer__sweep(observer)
 *	for (i < observer->sightings.count) ...
 *	observer__free(observer)
 *
 * A thread that has not run since the last sweep is where it was: nothing of it is read again. So
 * waiting threads, however many, cost next to nothing.
 */
#ifndef GCTRACE_CLI_OBSERVER_H
#define GCTRACE_CLI_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../attach/holder.h"
#include "../attach/sampler.h"
#include "../model/sighting.h"

struct call_stacks;
struct process;
struct runtime;
struct observing;

struct observer_options {
	const pid_t *tids; /* the caller's; NULL: all */
	size_t tid_count;
	unsigned int fields; /* enum sample_flag: those asked for */
	bool insists;	     /* sweep again for what is not exact */
	bool may_ask;	     /* the runtime may be asked to do something */
};

struct observer {
	VEC(struct sighting) sightings; /* of the last sweep */
	struct sweep sweep;
	struct observing *own;
};

/*
 * What process and runtime are is the caller's, and outlives it; the process may be looked at by
 * another of its threads afterwards. After an error message.
 */
int observer__new(const struct observer_options *options, struct process *process,
		  const struct runtime *runtime, struct call_stacks *stacks,
		  struct observer **out);
void observer__free(struct observer *observer);

/*
 * in_pause: a collection has the program stopped. 0; -ESRCH: the process has ended; or a negative
 * errno after an error message.
 */
int observer__sweep(struct observer *observer, bool in_pause);

/*
 * Where that makes a sample exact, a thread loses its CPU for some microseconds: to be permitted
 * before privileges are dropped, and begun afterwards. 0 or negative errno after an error message.
 */
int observer__permit_holds(struct observer *observer);
int observer__begin_holds(struct observer *observer);
struct holds observer__holds(const struct observer *observer);

/* Why there are no managed frames, as the end of a sentence, escaped; NULL: there are. */
const char *observer__lacks(const struct observer *observer);

#endif
