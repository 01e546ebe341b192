/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace sample FILE: what gctrace sample --record FILE has put there, shown as it was live. */
#ifndef GCTRACE_CLI_SAMPLE_FILE_H
#define GCTRACE_CLI_SAMPLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "status.h"

struct output_settings;
struct sample_export_settings;

struct sample_file_options {
	const char *path;
	const pid_t *tids; /* only these threads */
	size_t tid_count;  /* 0: all */
	uint64_t count;	   /* sweeps; 0: all */
	uint64_t duration_ns; /* since the recording's start; 0: all */
	uint64_t top;
	bool summary, stacks, allow_loss;
	const struct output_settings *output;
	const struct sample_export_settings *export;
};

enum status sample_file__run(const struct sample_file_options *options);

#endif
