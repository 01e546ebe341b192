/* SPDX-License-Identifier: BSD-2-Clause */
/* The one file that holds the sites and the semaphores of gctrace's probes. */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>
