/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a heap dump would cost, without one being made: nothing is asked of the process.
 *
 * How full the heap is, the next collection tells, which is waited for. Where none comes, all of
 * the process's own memory is the upper limit. What follows from it: model/dump_estimate.h.
 */
#ifndef GCTRACE_CLI_HEAP_DRY_RUN_H
#define GCTRACE_CLI_HEAP_DRY_RUN_H

#include "settings.h"
#include "status.h"

/*
 * Of one process. earlier: a recording with dumps of the same program, to measure by; NULL: none.
 * Signals must be installed. The exit status, after an error message if it is not 0.
 */
enum status heap_dry_run(const struct target_settings *target,
			 const struct output_settings *output, const char *earlier);

#endif
