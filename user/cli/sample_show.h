/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps over threads shown, summed up and exported, wherever they come from: a process, or a
 * recording.
 *
 *	sample_show__begin(&show, &export_settings)	before rights are given up
 *	... show.heading is filled ...
 *	sample_show__head(&show, &output_settings, &view_options)
 *	sample_show__sweep(&show, &sweep)...
 *	sample_show__finish(&show, err)			the sums, and the file
 *	sample_show__end(&show)
 */
#ifndef GCTRACE_CLI_SAMPLE_SHOW_H
#define GCTRACE_CLI_SAMPLE_SHOW_H

#include <stdbool.h>

#include "../model/sampling.h"
#include "../view/output.h"
#include "../view/sample.h"
#include "../view/terminal.h"
#include "sample_export.h"

struct call_stacks;
struct output_settings;

struct sample_show {
	struct call_stacks *stacks;
	struct sampling sampling;
	struct sample_heading heading;
	struct sample_export export;
	struct output output;
	struct terminal terminal;
	struct sample_view *view; /* NULL: nothing was shown yet */
};

/* All zero before. All return 0, or a negative errno after an error message. */
int sample_show__begin(struct sample_show *show, const struct sample_export_settings *export);
int sample_show__head(struct sample_show *show, const struct output_settings *form,
		      struct sample_view_options *options);
int sample_show__sweep(struct sample_show *show, const struct sample_sweep *sweep);

/* err: how it went until then; the sums are shown unless that went wrong. */
int sample_show__finish(struct sample_show *show, int err);
void sample_show__end(struct sample_show *show);

#endif
