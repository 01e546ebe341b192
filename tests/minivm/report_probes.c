/* SPDX-License-Identifier: BSD-2-Clause */
/* The one source file that holds the probes, as <gctrace/probes.h> wants it. */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>
