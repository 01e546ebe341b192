/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Provider python (CPython built --with-dtrace). Both probes fire in the thread that collects,
 * which holds its interpreter's lock from before the first until after the second.
 */
#include "vmlinux.h"

#include "probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* generation */
PROBE(gc__start)
{
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 1))
		return 0;
	return probe__call(&probe, RECORD_PYTHON_GC_START, &args);
}

/* objects collected, those found uncollectable included */
PROBE(gc__done)
{
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 1))
		return 0;
	return probe__call(&probe, RECORD_PYTHON_GC_DONE, &args);
}
