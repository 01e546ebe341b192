/* SPDX-License-Identifier: BSD-2-Clause */
/* What a dump has told so far. */
#ifndef GCTRACE_AGENT_TOTALS_H
#define GCTRACE_AGENT_TOTALS_H

#include <stdint.h>

struct totals {
	uint64_t objects;
	uint64_t references; /* nulls not counted */
	uint64_t roots;
	uint64_t bytes;
};

#endif
