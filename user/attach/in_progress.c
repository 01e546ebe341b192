/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/in_progress.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/hsperf.h"
#include "target/process.h"
#include "target/runtime.h"

/* The JVM counts from when it started, which is soon after the process did. */
static uint64_t started_ns(const struct process *process)
{
	struct timespec boot;
	uint64_t since_boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	since_boot = (uint64_t)boot.tv_sec * NS_PER_S + (uint64_t)boot.tv_nsec;
	return clock__monotonic_ns() - since_boot +
	       process->start_ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

void in_progress__look(struct target *target)
{
	struct hsperf *hsperf = NULL;
	uint64_t since_ns;

	target->stop_what = NULL;
	if (!target->runtime || target->runtime->kind != RUNTIME_HOTSPOT ||
	    hsperf__open(target->process, &hsperf, NULL))
		return;
	target->stop_what = hsperf__in_progress(hsperf, &since_ns);
	hsperf__free(hsperf);
	if (!target->stop_what)
		return;
	target->stop_since_ns = started_ns(target->process) + since_ns;
	if (target->stop_since_ns > clock__monotonic_ns())
		target->stop_since_ns = clock__monotonic_ns();
}
