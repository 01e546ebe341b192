/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_show.h"

#include <errno.h>
#include <unistd.h>

#include "../base/report.h"
#include "../model/call_stacks.h"
#include "settings.h"
#include "signals.h"

int sample_show__begin(struct sample_show *show, const struct sample_export_settings *export)
{
	int err = sample_export__begin(&show->export, export);

	if (err)
		return err;
	show->sampling.counts_stacks = export->as >= 0;
	show->stacks = call_stacks__new();
	return show->stacks ? 0 : error_errno(-ENOMEM, "cannot sample");
}

int sample_show__head(struct sample_show *show, const struct output_settings *form,
		      struct sample_view_options *options)
{
	show->sampling.no_places = !(show->heading.fields & SAMPLE_LOCATION);
	output__init(&show->output, STDOUT_FILENO, signals__stop_fd(), "standard output");
	terminal__init(&show->terminal, STDOUT_FILENO, (enum colour_when)form->colour);
	options->stays = options->stays && terminal__can_paint(&show->terminal);
	show->view = form->form == OUTPUT_JSON ?
			     sample_ndjson__new(options, show->stacks, &show->output) :
			     sample_text__new(options, show->stacks, &show->output,
					      &show->terminal);
	return show->view ? show->view->heading(show->view, &show->heading) : -ENOMEM;
}

int sample_show__sweep(struct sample_show *show, const struct sample_sweep *sweep)
{
	int err = 0;

	for (size_t i = 0; i < sweep->count && !err; i++)
		err = sampling__add(&show->sampling, &sweep->sightings[i]);
	if (err)
		return error_errno(err, "cannot count samples");
	sampling__sweep(&show->sampling, sweep->start_ns, sweep->end_ns, sweep->lost);
	return show->view->sweep(show->view, &show->heading, sweep, &show->sampling);
}

int sample_show__finish(struct sample_show *show, int err)
{
	if (!err && show->view && (show->sampling.sweeps || !show->heading.interval_ns))
		err = show->view->results(show->view, &show->heading, &show->sampling);
	return sample_export__end(&show->export, &show->heading, &show->sampling, show->stacks,
				  err);
}

void sample_show__end(struct sample_show *show)
{
	if (show->view)
		show->view->free(show->view);
	sampling__free(&show->sampling);
	call_stacks__free(show->stacks);
}
