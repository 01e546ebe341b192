/* SPDX-License-Identifier: BSD-2-Clause */
/* The second file of a runtime: declarations of our probes, and a probe of another provider. */
#include <gctrace/probes.h>
#include <sys/sdt.h>

int collect(void);

int collect(void)
{
	STAP_PROBE1(elsewhere, tick, 7);
	if (gctrace_wants_gc__start())
		gctrace_fire_gc_start(1, 1, GCTRACE_REASON_EXPLICIT, GCTRACE_HOW_COPYING);
	return gctrace_requests_dump();
}
