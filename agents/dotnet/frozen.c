/* SPDX-License-Identifier: BSD-2-Clause */
#include "frozen.h"
#include "clr.h"

#define MOST_RANGES 64 /* one for a start, of 4 MiB, and then of twice the last one's size */
#define INFO_HAS_FROZEN 14

static struct frozen_range ranges[MOST_RANGES];
static uint32_t count;

void frozen__learn(void)
{
	count = 0;
	if (clr.version < INFO_HAS_FROZEN ||
	    CLR_CALL(get_non_gc_heap_bounds, MOST_RANGES, &count, ranges) < 0)
		count = 0;
	if (count > MOST_RANGES)
		count = MOST_RANGES;
}

/* Up to what is reserved: one may have grown since. */
bool frozen__has(uint64_t object)
{
	for (uint32_t i = 0; i < count; i++)
		if (object - ranges[i].start < ranges[i].reserved)
			return true;
	return false;
}
