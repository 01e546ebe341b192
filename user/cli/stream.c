/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace -p PID, gctrace FILE: collections as they happen, or as they were recorded.
 */
#include <stddef.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../target/offer.h"
#include "../target/runtime.h"
#include "command.h"
#include "live.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

struct stream_settings {
	struct target_settings target;
	struct trace_settings trace;
	struct view_settings view;
	struct output_settings output;
};

static const struct stream_settings defaults = {
	.trace = TRACE_SETTINGS_DEFAULTS,
	.view = VIEW_SETTINGS_DEFAULTS,
};

static const struct option_use options[] = {
	{ &target_group, offsetof(struct stream_settings, target) },
	{ &agent_group, offsetof(struct stream_settings, target.load_agent) },
	{ &probing_group, offsetof(struct stream_settings, target.fault_in) },
	{ &trace_group, offsetof(struct stream_settings, trace) },
	{ &view_group, offsetof(struct stream_settings, view) },
	{ &output_group, offsetof(struct stream_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* A JVM that is starting has not chosen its collector. */
static bool may_tell_fates(const struct runtime *runtime)
{
	return runtime && runtime->kind == RUNTIME_HOTSPOT &&
	       (!runtime->collector || offers__samples_tell_fates(runtime));
}

/*
 * HotSpot's agent was asked for: it samples allocations, too (model/sampled.h), unless that would
 * be for nothing.
 */
static int want_samples(struct session *session)
{
	int err = 0;

	for (uint32_t i = 0; i < session__target_count(session) && !err; i++) {
		struct target *target = session__target(session, i);

		if (may_tell_fates(target->runtime))
			err = session__want(session, target, LEVEL_ALLOCATIONS);
	}
	return err;
}

static enum status follow_processes(struct trace *trace, const struct target_settings *target)
{
	const struct live_options options = { .fault_in = target->fault_in };
	int err = trace__open_live(trace, &options);

	if (!err)
		err = live__add_named(trace->live, target);
	if (!err && target->load_agent)
		err = want_samples(live__session(trace->live));
	if (!err)
		err = trace__begin(trace);
	if (err)
		return STATUS_FAILED;
	return trace__finish(trace, trace__follow(trace, NULL));
}

static enum status read_file(struct trace *trace, const char *path)
{
	if (trace__open_file(trace, path))
		return STATUS_FAILED;
	return trace__finish(trace, trace__read(trace));
}

static enum status run(const struct invocation *invocation)
{
	const struct stream_settings *settings = invocation->settings;
	struct trace trace;
	enum status status;

	if (!target_settings__process_or_file(&settings->target, &invocation->operands))
		return command__usage(invocation->command);
	output_settings__apply(&settings->output);
	if (signals__install())
		return STATUS_FAILED;
	trace__init(&trace, &settings->trace, &settings->view, &settings->output);
	trace.samples = true;
	if (invocation->operands.count)
		status = read_file(&trace, invocation->operands.items[0]);
	else
		status = follow_processes(&trace, &settings->target);
	trace__close(&trace);
	return status;
}

const struct command stream_command = {
	.name = "stream",
	.summary = "Show collections as they happen, or those in a recording (the default command)",
	.operands = "-p PID | FILE",
	.about = "Trace the garbage collections of running processes, or those in a recording: one "
		 "line for each, with its pause, its cause, and what became of the heap. Nothing "
		 "in the process is changed: only probes that are there already are used, unless"
		 " --load-agent brings some.\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct stream_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
