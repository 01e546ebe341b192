/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples summed up: by location, by thread, by method. A sample stands for the time between two
 * sweeps, so shares of samples are shares of time.
 */
#ifndef MODEL_SAMPLING_H
#define MODEL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "hash_slots.h"
#include "sighting.h"
#include "stack_counts.h"

/* Samples by their location; and of these those whose location is exact. */
struct sampling_places {
	uint64_t samples;
	uint64_t of[PLACES], exact[PLACES];
};

struct sampling_thread {
	uint32_t pid, tid;
	struct text name; /* allocated; the last one */
	struct sampling_places places;
	uint64_t running;      /* samples on a CPU or ready for one */
	struct sighting last;  /* its texts are not to be used but `doing` */
	uint64_t last_sweep;
};

struct sampling_method {
	uint32_t method; /* number in call_stacks */
	uint64_t samples, exact;
	uint64_t places[PLACES];
};

struct sampling {
	struct sampling_places places;
	uint64_t by_accuracy[3]; /* NONE, POOR, EXACT: of the samples as a whole */
	uint64_t sweeps, sweep_ns, longest_sweep_ns;
	uint64_t missed; /* sweeps that were due and not made: we did not get to it in time */
	uint64_t holds, held_ns, longest_hold_ns; /* of threads that lost their CPU by --hold */
	uint64_t lost; /* ticks that found no room */
	uint64_t unanswered; /* reads not answered in time by the process: the caller sets it */
	uint64_t lost_rows, lost_blocks; /* of a recording that is damaged: the caller's to set */
	uint64_t first_ns, last_ns;  /* start of the first sweep, end of the last */
	uint64_t last_start_ns;
	VEC(struct sampling_thread) threads;  /* in the order in which they came */
	VEC(struct sampling_method) methods; /* by number - 1 */
	struct hash_slots thread_slots; /* of threads, by pid and tid */
	struct memory memory;		/* of these, without a limit */
	bool no_places; /* the caller's: nobody asked for locations, and none is counted */
	bool counts_stacks; /* the caller's: somebody wants these */
	struct stack_counts stacks;
};

void sampling__free(struct sampling *sampling);

/* 0 or -ENOMEM. */
int sampling__add(struct sampling *sampling, const struct sighting *sighting);

/* A sweep is over: how long it took, and the ticks that were lost in it. */
void sampling__sweep(struct sampling *sampling, uint64_t start_ns, uint64_t end_ns,
		     uint64_t lost);

/* Nothing was lost. */
bool sampling__is_complete(const struct sampling *sampling);

/* The time that a sample stands for, as it came to be; `otherwise` before the second sweep. */
uint64_t sampling__period_ns(const struct sampling *sampling, uint64_t otherwise);

/* The location that most samples have. */
enum place sampling_places__most(const uint64_t of[PLACES]);

#endif
