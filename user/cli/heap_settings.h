/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands that show heap graphs share: options, the way to a view, the exit status. */
#ifndef GCTRACE_CLI_HEAP_SETTINGS_H
#define GCTRACE_CLI_HEAP_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../view/heap_view.h"
#include "../view/output.h"
#include "../view/terminal.h"
#include "heap_source.h"
#include "settings.h"
#include "status.h"

enum graph_way { GRAPH_VIA_PROBES, GRAPH_VIA_JVM };

struct graph_settings {
	bool allow_loss;
	int via; /* enum graph_way: how a process tells its heap */
};

extern const struct option_group graph_group;

/* The same settings, for those who take a graph of a process. */
extern const struct option_group way_group;

/* A process, or one FILE, and what goes with them. False after an error message. */
bool graph_settings__process_or_file(const struct graph_settings *settings,
				     const struct target_settings *target,
				     const struct words *operands);

/* The exit status; err: how showing ended. Frees the source. */
enum status graph_settings__status(const struct graph_settings *settings,
				   struct heap_source *source, int err);

/* The view on standard output. */
struct graph_view {
	struct output output;
	struct terminal terminal;
	struct heap_view *view; /* NULL: not open */
};

void graph_view__init(struct graph_view *to);
int graph_view__open(struct graph_view *to, const struct heap_source *source,
		     const struct output_settings *settings);
void graph_view__close(struct graph_view *to);

/* ---------------------------------------------------------------------------------------------
 * All of that, for a command that shows a graph.
 */

struct graph_request {
	const struct graph_settings *graph;
	const struct target_settings *target;
	const struct output_settings *output;
	const struct words *operands;
	enum heap_following following; /* of a recording's objects */
	bool of_a_part;		       /* see struct heap_heading */
	bool counts_only;	       /* no graph */
};

/*
 * From a process or a FILE (output is not looked at). 0, or negative errno after an error message.
 */
int graph__take(const struct graph_request *request, struct heap_source *source);

/* The same. */
typedef int graph_show(const void *context, const struct heap_source *source,
		       struct heap_view *view);

/* Take the graph, show it in a view on standard output, and free both. */
enum status graph__show(const struct graph_request *request, graph_show *show,
			const void *context);

#endif
