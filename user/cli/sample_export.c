/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_export.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../model/sampling.h"
#include "../view/sample.h"

enum { AS_PPROF, AS_FOLDED, AS_FOLDED_RUNNING, AS_FOLDED_WAITING };
static const char *const formats[] = {
	"pprof", "folded", "folded-running", "folded-waiting", NULL,
};

static const struct option export_options[] = {
	{ .name = "as", .kind = OPTION_CHOICE, .choices = formats,
	  .offset = offsetof(struct sample_export_settings, as),
	  .help = "With --output: write whole stacks at the end for other tools, and how many"
		  " samples had them. pprof has all samples, those of threads on a CPU, and what"
		  " time they stand for; folded is all samples, for a flame graph" },
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct sample_export_settings, output),
	  .help = "With --as: the file to write" },
	{ .name = NULL },
};

const struct option_group sample_export_group = { "Export", export_options };

bool sample_export_settings__are_sound(const struct sample_export_settings *settings,
				       const char *recording)
{
	if (settings->output && recording && files__are_one(settings->output, recording)) {
		error("%s cannot be both the recording and what is exported",
		      escape(settings->output));
		return false;
	}
	if ((settings->as < 0) == !settings->output)
		return true;
	error("--as and --output belong together: %s",
	      settings->output ? "in which format?" : "into which file?");
	return false;
}

int sample_export__begin(struct sample_export *export,
			 const struct sample_export_settings *settings)
{
	int err;

	export->settings = settings;
	if (settings->as < 0)
		return 0;
	err = draft__open(&export->draft, settings->output);
	export->is_open = !err;
	return err;
}

struct exported {
	int as;
	const struct sample_heading *heading;
	const struct sampling *sampling;
	const struct call_stacks *stacks;
};

static int write_all(void *context, FILE *out)
{
	const struct exported *all = context;
	enum sample_chosen which = SAMPLE_ALL;

	if (all->as == AS_PPROF)
		return sample_export__write_pprof(all->heading, all->sampling, all->stacks, out);
	if (all->as == AS_FOLDED_RUNNING)
		which = SAMPLE_RUNNING;
	else if (all->as == AS_FOLDED_WAITING)
		which = SAMPLE_WAITING;
	return sample_export__write_folded(all->sampling, all->stacks, which, out);
}

int sample_export__end(struct sample_export *export, const struct sample_heading *heading,
		       const struct sampling *sampling, const struct call_stacks *stacks, int err)
{
	struct exported all = { 0, heading, sampling, stacks };

	if (!export->is_open)
		return err;
	all.as = export->settings->as;
	export->is_open = false;
	if (!err && !sampling->places.samples) {
		error("%s is not written: there is no sample", escape(export->settings->output));
		err = -ENODATA;
	}
	if (!err)
		err = draft__write(&export->draft, write_all, &all);
	return draft__close(&export->draft, err);
}
