/* SPDX-License-Identifier: BSD-2-Clause */
/* The one clock of all that is told: CLOCK_MONOTONIC, in ns. Legal in a stopped world. */
#ifndef GCTRACE_AGENT_CLOCK_H
#define GCTRACE_AGENT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock__now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
