/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the bench's own probes stand. */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>
