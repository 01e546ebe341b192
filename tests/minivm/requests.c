/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests.h"
#include "base.h"
#include "collector.h"
#include "report.h"

#include <gctrace/probes.h>
#include <pthread.h>

#define LOOK_NS 25000000u
#define WAIT_NS 1000000u
#define WAIT_MOST_NS 2000000000u
#define VAIN_MOST 5

static struct {
	pthread_t thread;
	bool stop;
} watcher;

/* A dump is asked for by a rise; held up, it asks for no second one. */
static void *run(void *argument)
{
	bool was_up = false;

	(void)argument;
	pthread_setname_np(pthread_self(), "minivm-helper");
	while (!__atomic_load_n(&watcher.stop, __ATOMIC_RELAXED)) {
		const bool is_up = gctrace_requests_dump();

		if (is_up && !was_up)
			collector__request_dump();
		was_up = is_up;
		report__progress();
		sleep_ns(LOOK_NS);
	}
	return NULL;
}

void requests__start(void)
{
	if (pthread_create(&watcher.thread, NULL, run, NULL))
		die("cannot start the helper's thread");
}

void requests__stop(void)
{
	__atomic_store_n(&watcher.stop, true, __ATOMIC_RELAXED);
	pthread_join(watcher.thread, NULL);
}

bool requests__dump_is_wanted(void)
{
	return gctrace_requests_dump();
}

/* The rule of agents/common/pace.h: who was waited for in vain so often is not, until he moves. */
static void wait_as_asked(void)
{
	static unsigned vain; /* waits in a row behind which the request was still up */
	const uint64_t end = now_ns() + WAIT_MOST_NS;

	if (vain == VAIN_MOST && gctrace_requests_pause())
		return;
	while (gctrace_requests_pause() && gctrace_requests_dump() && now_ns() < end)
		sleep_ns(WAIT_NS);
	vain = gctrace_requests_pause() ? vain + 1 : 0;
}

bool requests__may_go_on(void)
{
	wait_as_asked();
	return gctrace_requests_dump();
}
