/* SPDX-License-Identifier: BSD-2-Clause */
/* How `gctrace probes` shows what it found, as text or as NDJSON. */
#ifndef GCTRACE_CLI_PROBES_VIEW_H
#define GCTRACE_CLI_PROBES_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "../attach/agent.h"
#include "../base/vec.h"
#include "../target/module.h"
#include "../view/json.h"
#include "../view/terminal.h"
#include "settings.h"

struct output;
struct process;
struct runtime;

/* A process looked at. */
struct probed {
	struct process *process;
	struct runtime *runtime;
	struct modules modules;
	enum agent_state agent;
	struct buf agent_text; /* a clause on that, escaped */
};


struct probes_view {
	const struct output_settings *settings;
	struct output *output;
	struct terminal terminal;
	bool listing;
	struct json json;
	struct buf text;
	struct buf listeners;    /* names of probes, while they are gathered */
	size_t shown;            /* processes */
	struct buf refusals;     /* of a list: a line for each that is forbidden, and why */
	struct buf loadable;     /* of a list: "4711, 4712": they need an agent, and may have it */
	size_t forbidden;        /* processes that are not ours to look into */
	size_t unseen;           /* that were named and could not be shown, for any reason */
};

/* settings and output must outlive it. listing: the processes of the host, a line each. */
void probes_view__init(struct probes_view *view, const struct output_settings *settings,
		       struct output *output, bool listing);
void probes_view__free(struct probes_view *view);

/* All return 0 or a negative errno: the output's, or -ENOMEM after an error message. */
int probes_view__begin(struct probes_view *view);
int probes_view__process(struct probes_view *view, const struct probed *probed);
int probes_view__listed(struct probes_view *view, const struct probed *probed);
int probes_view__end(struct probes_view *view);

#endif
