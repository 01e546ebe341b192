/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled allocations: which objects are followed, from their allocation on.
 *
 * HotSpot's own sampler (JEP 331) takes one allocation in so many bytes, after a distance that is
 * drawn anew each time (exponentially, so that no pattern of the program's hides from it), and
 * hands it to whoever has asked, on the thread that allocates. Each byte has the same chance: an
 * object of `size` bytes is taken with p = 1 - exp(-size / interval), and stands for size / p
 * bytes.
 *
 * The distance to a thread's next sample is drawn at its last one, or when the thread is made. If
 * the interval is changed meanwhile, that sample still comes after the old distance, and stands for
 * what one by the old interval does.
 *
 * A JVM has one sampler, for one agent. Where another one has it, that is said.
 *
 *	off --start--> on --stop--> off      by our own thread; in between nothing is held
 */
#ifndef GCTRACE_HOTSPOT_SAMPLER_H
#define GCTRACE_HOTSPOT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

#define SAMPLER_INTERVAL 524288u

/* Bytes between two samples in the mean; 0: every allocation. Any thread. */
void sampler__set_interval(uint32_t bytes);
/* By our own thread, while it is on: has the JVM heed it, if it is another. */
void sampler__heed_interval(void);
/* What the JVM heeds. */
uint32_t sampler__interval(void);

/*
 * By a thread of the JVM's, which gets the sampler's environment into visit->jvmti. NULL: samples
 * are taken from now on; else a sentence: why not.
 */
const char *sampler__start(struct visit *visit);
/* No sample is taken any more and no handle held, nobody looks, and the environment is gone. */
void sampler__stop(struct visit *visit);

bool sampler__is_on(void);
/* The sampler's environment, while it is on. */
jvmtiEnv *sampler__environment(void);

/* Samples that found no room, since the last call. */
uint32_t sampler__lost(void);

/* Repeats of its random numbers, for each sample: what GCTRACE_SAMPLES_REPEATS says. */
unsigned sampler__repeats(void);

#endif
