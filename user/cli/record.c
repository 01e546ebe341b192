/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace record: what arrives goes to a file, as it came; on the way it is understood as far as
 * is needed to count collections (-n) and losses. Stdout gets the heading and the results.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../stream/recording.h"
#include "command.h"
#include "live.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

#define FLUSH_NS NS_PER_S /* a gctrace that is killed leaves a file that lacks this much */

struct record_settings {
	const char *file;
	struct target_settings target;
	struct trace_settings trace;
	struct output_settings output;
};

static const struct record_settings defaults = {
	.trace = TRACE_SETTINGS_DEFAULTS,
};

static const struct view_settings view = VIEW_SETTINGS_DEFAULTS;

static const struct option record_options[] = {
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct record_settings, file),
	  .help = "The file to write; it is replaced if it is there, and belongs to the user who"
		  " called sudo" },
	{ .name = NULL },
};

static const struct option_group record_group = { "Record", record_options };

static const struct option_use options[] = {
	{ &record_group, 0 },
	{ &target_group, offsetof(struct record_settings, target) },
	{ &output_group, offsetof(struct record_settings, output) },
	{ &trace_group, offsetof(struct record_settings, trace) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

struct recorder {
	struct trace trace;
	const char *path;
	uint64_t flushed_ns;
};

static void show_progress(const struct recorder *recorder)
{
	const struct recording_writer *writer = recorder->trace.writer;
	char bytes[UNITS_TEXT], records[UNITS_TEXT];

	progress("%s, %s records", units__bytes(bytes, recording_writer__bytes(writer)),
		 units__count(records, recording_writer__records(writer)));
}

static int turn(void *context)
{
	struct recorder *recorder = context;
	uint64_t now = clock__monotonic_ns();

	if (now - recorder->flushed_ns < FLUSH_NS)
		return 0;
	recorder->flushed_ns = now;
	show_progress(recorder);
	return recording_writer__flush(recorder->trace.writer);
}

/* Everything that can fail for other reasons has been done: an empty file says nothing. */
static int open_writer(struct recorder *recorder)
{
	int fd = files__create(recorder->path);

	if (fd < 0)
		return fd;
	return recording_writer__new(fd, recorder->path, live__facts(recorder->trace.live),
				     &recorder->trace.writer);
}

static int begin(struct recorder *recorder, const struct words *processes)
{
	int err = trace__open_live(&recorder->trace, NULL);

	if (!err)
		err = live__add_words(recorder->trace.live, processes);
	if (!err)
		err = open_writer(recorder);
	/* What trace__begin() learns, when it started first of all, is written behind it. */
	if (!err)
		err = trace__begin(&recorder->trace);
	if (!err)
		err = recording_writer__facts(recorder->trace.writer,
					      live__facts(recorder->trace.live));
	return err;
}

static enum status close_writer(struct recorder *recorder, enum status status)
{
	struct recording_writer *writer = recorder->trace.writer;
	uint64_t records;
	char text[UNITS_TEXT];

	recorder->trace.writer = NULL;
	if (!writer)
		return STATUS_FAILED;
	progress_end();
	recording_writer__facts(writer, live__facts(recorder->trace.live)); /* ended_ns */
	recording_writer__flush(writer);
	records = recording_writer__records(writer);
	units__bytes(text, recording_writer__bytes(writer));
	if (recording_writer__close(writer))
		return STATUS_FAILED;
	note("%llu records, %s in %s", (unsigned long long)records, text, escape(recorder->path));
	return status;
}

static enum status record(struct recorder *recorder, const struct words *processes)
{
	const struct trace_hooks hooks = { .context = recorder, .turn = turn };
	enum status status = STATUS_FAILED;

	if (begin(recorder, processes) == 0)
		status = trace__finish(&recorder->trace, trace__follow(&recorder->trace, &hooks));
	status = close_writer(recorder, status);
	trace__close(&recorder->trace);
	return status;
}

static enum status run(const struct invocation *invocation)
{
	const struct record_settings *settings = invocation->settings;
	struct recorder recorder = { .path = settings->file };

	if (!target_settings__process(&settings->target, &invocation->operands))
		return command__usage(invocation->command);
	if (!settings->file) {
		error("where to? give --output FILE");
		return command__usage(invocation->command);
	}
	output_settings__apply(&settings->output);
	if (signals__install())
		return STATUS_FAILED;
	trace__init(&recorder.trace, &settings->trace, &view, &settings->output);
	recorder.trace.quiet = true;
	return record(&recorder, &settings->target.processes);
}

const struct command record_command = {
	.name = "record",
	.summary = "Write everything that arrives to a file, for any command, later and elsewhere",
	.operands = "-p PID|NAME --output FILE",
	.about = "Records what the probes of running processes tell, as it comes. Any command that"
		 " takes -p reads the file too, on any host and without privileges.\n"
		 "  gctrace record -p 4711 -d 10m --output app.gctrace\n"
		 "  gctrace app.gctrace\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct record_settings),
	.operands_min = 0,
	.operands_max = 0,
	.run = run,
};
