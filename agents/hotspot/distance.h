/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By which interval the distance to a thread's next sample was drawn: that is kept by the thread,
 * as the JVM keeps the distance. A key, and no variable of the thread's own, whose memory would be
 * allocated at the first use: for the first 32 keys of a process there is room in every thread.
 */
#ifndef GCTRACE_HOTSPOT_DISTANCE_H
#define GCTRACE_HOTSPOT_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Outside of a pause; the first time counts. Where there is no key, nothing is kept. */
void distance__init(void);

struct distance {
	uint32_t interval; /* by which the last one was drawn */
	bool is_first;	   /* since the last pause */
};

/*
 * The calling thread's distance is drawn anew, by `interval` bytes, when there were so many pauses.
 * What the last one was; of `first`, if that was before anybody took note.
 */
struct distance distance__draw(uint32_t interval, uint32_t first, uint64_t pauses);

#endif
