/* SPDX-License-Identifier: BSD-2-Clause */
#include "pace.h"
#include "clock.h"
#include "emitter.h"

#include <stdint.h>
#include <time.h>

#define LOOK_NS 1000000
#define WAIT_MOST_NS UINT64_C(2000000000)
static uint64_t seen; /* batches */
static bool is_over;
static bool was_in_vain; /* the last wait: the request was still up behind it */

bool pace__is_wanted(void)
{
	return gctrace_requests_dump() || emitter__has_descriptor();
}

static void wait_as_asked(void)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	const uint64_t end = clock__now() + WAIT_MOST_NS;

	if (was_in_vain && gctrace_requests_pause())
		return;
	while (gctrace_requests_pause() && pace__is_wanted() && clock__now() < end)
		nanosleep(&look, NULL);
	was_in_vain = gctrace_requests_pause();
}

void pace__begin(void)
{
	seen = emitter__batches();
	is_over = !pace__is_wanted();
	was_in_vain = false;
}

bool pace__may_go_on(void)
{
	const uint64_t batches = emitter__batches();

	if (batches != seen && !is_over) {
		wait_as_asked();
		is_over = !pace__is_wanted();
		seen = batches;
	}
	return !is_over;
}
