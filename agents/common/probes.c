/* SPDX-License-Identifier: BSD-2-Clause */
/* The one file with the probes' sites and semaphores. */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>
