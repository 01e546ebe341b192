/* SPDX-License-Identifier: BSD-2-Clause */
#include "watcher.h"
#include "emitter.h"
#include "thread.h"

#include <stdatomic.h>
#include <time.h>

static requests_handler *handler;
static atomic_bool is_stopped;

static struct requests look(void)
{
	return (struct requests){
		.listens = gctrace_wants_batch(),
		.movement = emitter__wants_ranges(),
		.samples = gctrace_wants_object__alloc(),
		.dump = gctrace_requests_dump(),
	};
}

static void watch(void *context)
{
	const struct timespec interval = { .tv_nsec = 1000000000 / WATCHER_LOOKS_A_SECOND };
	struct requests before = { 0 };

	(void)context;
	while (!atomic_load(&is_stopped)) {
		const struct requests now = look();

		handler(&now, &before);
		before = now;
		nanosleep(&interval, NULL);
	}
}

void watcher__stop(void)
{
	atomic_store(&is_stopped, true);
}

bool watcher__start(requests_handler *to)
{
	handler = to;
	return thread__start("gctrace-watch", watch, NULL);
}
