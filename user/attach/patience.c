/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/patience.h"

#include <inttypes.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "target/process.h"

#define STARTED_NS (10 * NS_PER_S)   /* as old is a process that has surely started */
#define BUSY_NS (500 * NS_PER_MS)    /* as long any other may be busy */
#define UNSAID_NS (300 * NS_PER_MS)  /* a wait of which nobody need be told */
#define PAUSE_MS 20

static uint64_t age_ns(const struct process *process)
{
	const uint64_t start =
		process->start_ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_BOOTTIME, &now);
	now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	return now_ns > start ? now_ns - start : 0;
}

struct patience patience__for(const struct process *process, int stop_fd)
{
	const uint64_t age = age_ns(process), now = clock__monotonic_ns();

	return (struct patience){
		.process = process,
		.until_ns = now + (age + BUSY_NS < STARTED_NS ? STARTED_NS - age : BUSY_NS),
		.stop_fd = stop_fd,
	};
}

bool patience__wait(struct patience *patience)
{
	struct pollfd stop = { .fd = patience->stop_fd, .events = POLLIN };
	const uint64_t now = clock__monotonic_ns();

	if (now >= patience->until_ns || !process__alive(patience->process))
		return false;
	if (!patience->since_ns)
		patience->since_ns = now;
	if (!patience->has_said && now - patience->since_ns >= UNSAID_NS &&
	    patience->until_ns - now > NS_PER_S) {
		note("pid %d is starting: gctrace waits up to %" PRIu64 " s for its runtime",
		     patience->process->pid, (patience->until_ns - now) / NS_PER_S + 1);
		patience->has_said = true;
	}
	return poll(&stop, 1, PAUSE_MS) <= 0;
}
