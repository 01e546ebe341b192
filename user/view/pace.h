/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often a table is painted anew: twice a second, and more rarely where painting it takes so
 * long that it would be more than a 20th of the time.
 */
#ifndef GCTRACE_VIEW_PACE_H
#define GCTRACE_VIEW_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: it is due at once. */
struct pace {
	uint64_t due_ns;
};

/* Times: ns of CLOCK_MONOTONIC. */
bool pace__is_due(const struct pace *pace, uint64_t now_ns);

/* It was painted, from start_ns to end_ns. */
void pace__painted(struct pace *pace, uint64_t start_ns, uint64_t end_ns);

#endif
