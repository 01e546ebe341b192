/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest runtime: twenty collections a second that collect nothing. Built as a program, or as
 * a library that host.c loads.
 */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include <unistd.h>

void collect_for_ever(void);

void collect_for_ever(void)
{
	for (uint64_t gc = 1;; gc++) {
		if (gctrace_wants_gc__start())
			gctrace_fire_gc_start(gc, 1, GCTRACE_REASON_EXPLICIT, 0);
		if (gctrace_wants_gc__finish())
			gctrace_fire_gc_finish(gc, 0);
		usleep(50000);
	}
}

#ifdef PROGRAM
int main(void)
{
	collect_for_ever();
}
#endif
