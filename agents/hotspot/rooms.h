/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory in a region for what comes and goes: what is given back is given out again to whoever asks
 * for about as much, a quarter more at most. Nothing moves, and the region has as many pages as
 * were ever needed at once.
 *
 * One thread at a time.
 */
#ifndef GCTRACE_HOTSPOT_ROOMS_H
#define GCTRACE_HOTSPOT_ROOMS_H

#include "agents/common/region.h"

#define ROOMS_SIZES 60 /* the largest is some 900 KiB */

struct rooms {
	struct region region;
	void *free[ROOMS_SIZES]; /* lists, of each size */
};

/* Outside of a pause. False: no such address space. */
bool rooms__reserve(struct rooms *rooms, size_t all);
void rooms__empty(struct rooms *rooms);
void rooms__release(struct rooms *rooms);

/* Aligned to 8, of any content. NULL: there is none, or nobody has that large ones. */
void *rooms__get(struct rooms *rooms, size_t bytes);
/* As many bytes as were asked for. */
void rooms__give_back(struct rooms *rooms, void *room, size_t bytes);

#endif
