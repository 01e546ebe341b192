/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Provider ruby (CRuby built --enable-dtrace): four probes without arguments, which fire in the
 * thread that holds the VM's lock.
 */
#include "vmlinux.h"

#include "probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PHASE(probe_name, record_kind)                       \
	PROBE(probe_name)                                    \
	{                                                    \
		struct probe probe;                          \
		struct probe_args args = {};                          \
                                                             \
		if (probe__begin(ctx, &probe, &args, 0))      \
			return 0;                            \
		return probe__call(&probe, record_kind, &args); \
	}

PHASE(gc__mark__begin, RECORD_RUBY_MARK_BEGIN)
PHASE(gc__mark__end, RECORD_RUBY_MARK_END)
PHASE(gc__sweep__begin, RECORD_RUBY_SWEEP_BEGIN)
PHASE(gc__sweep__end, RECORD_RUBY_SWEEP_END)
