/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_settings.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "../base/report.h"
#include "../model/heap.h"
#include "signals.h"

static const struct option graph_options[] = {
	{ .name = "allow-loss", .kind = OPTION_FLAG,
	  .offset = offsetof(struct graph_settings, allow_loss),
	  .help = "Exit with 0 instead of 3 when the dump is not whole (it is still told)" },
	{ .name = NULL },
};

const struct option_group graph_group = { "Graph", graph_options };

static const char *const ways[] = { "probes", "jvm", NULL };

static const struct option way_options[] = {
	{ .name = "via", .kind = OPTION_CHOICE, .choices = ways, .default_text = "probes",
	  .offset = offsetof(struct graph_settings, via),
	  .help = "How a process tells its heap: by probes, its own or an agent's; or jvm: a"
		  " HotSpot JVM (17 or later) makes its own dump, which is read as it comes:"
		  " nothing is loaded, and it writes to no disk; of Java 22 and later, gctrace"
		  " keeps the dump in an unnamed file in its TMPDIR meanwhile, or fails where less"
		  " than 5 % (at most 256 MiB) of that would stay free" },
	{ .name = NULL },
};

const struct option_group way_group = { "Dump", way_options };

bool graph_settings__process_or_file(const struct graph_settings *settings,
				     const struct target_settings *target,
				     const struct words *operands)
{
	if (settings->via == GRAPH_VIA_JVM && operands->count)
		error("--via is of a process: give -p PID, or the FILE without --via");
	else if (settings->via == GRAPH_VIA_JVM && target->load_agent)
		error("--load-agent has no effect with --via jvm, for which nothing is loaded: give"
		      " one of them");
	else
		return target_settings__process_or_file(target, operands);
	return false;
}

int graph__take(const struct graph_request *request, struct heap_source *source)
{
	const struct heap_source_options options = {
		.following = request->following,
		.counts_only = request->counts_only,
	};

	if (request->graph->via == GRAPH_VIA_JVM)
		return heap_source__jvm(source, request->target, &options);
	if (request->operands->count)
		return heap_source__file(source, request->operands->items[0], &options);
	return heap_source__live(source, request->target, &options);
}

enum status graph_settings__status(const struct graph_settings *settings,
				   struct heap_source *source, int err)
{
	const bool is_whole = source->heap && heap__is_complete(source->heap) &&
			      !source->is_uncertain;

	heap_source__free(source);
	if (err && err != -EPIPE)
		return STATUS_FAILED;
	return is_whole || settings->allow_loss ? STATUS_FINE : STATUS_DATA_LOST;
}

void graph_view__init(struct graph_view *to)
{
	*to = (struct graph_view){ .view = NULL };
}

int graph_view__open(struct graph_view *to, const struct heap_source *source,
		     const struct output_settings *settings)
{
	output__init(&to->output, STDOUT_FILENO, signals__stop_fd(), "standard output");
	terminal__init(&to->terminal, STDOUT_FILENO, (enum colour_when)settings->colour);
	if (settings->form == OUTPUT_JSON)
		to->view = heap_ndjson__new(source->heap, &source->heading, &to->output);
	else
		to->view = heap_text__new(source->heap, &source->heading, &to->output,
					  &to->terminal);
	return to->view ? 0 : -ENOMEM;
}

void graph_view__close(struct graph_view *to)
{
	if (to->view)
		to->view->form->free(to->view);
	to->view = NULL;
}

enum status graph__show(const struct graph_request *request, graph_show *show, const void *context)
{
	struct heap_source source;
	struct graph_view to;
	int err;

	output_settings__apply(request->output);
	if (signals__install())
		return STATUS_FAILED;
	heap_source__init(&source);
	graph_view__init(&to);
	err = graph__take(request, &source);
	source.heading.of_a_part = request->of_a_part;
	if (!err)
		err = graph_view__open(&to, &source, request->output);
	if (!err)
		err = show(context, &source, to.view);
	graph_view__close(&to);
	return graph_settings__status(request->graph, &source, err);
}
