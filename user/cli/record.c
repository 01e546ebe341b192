/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace record: what arrives goes to a file, as it came; on the way it is understood as far as
 * is needed to count collections (-n) and losses. Stdout gets the heading and the results.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../stream/recording.h"
#include "../stream/feed.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "command.h"
#include "dumper.h"
#include "live.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

#define FLUSH_NS NS_PER_S /* a gctrace that is killed leaves a file that lacks this much */

/* So much longer a dump that has begun may take when the recording is to end: 2 s in all. */
#define FINISH_NS (1200 * NS_PER_MS)

#define NO_DUMP UINT64_MAX

struct record_settings {
	const char *file;
	bool samples;
	uint64_t dump_every_ns; /* 0: one; NO_DUMP */
	struct target_settings target;
	struct trace_settings trace;
	struct output_settings output;
};

static const struct record_settings defaults = {
	.dump_every_ns = NO_DUMP,
	.trace = TRACE_SETTINGS_DEFAULTS,
};

static const struct view_settings view = VIEW_SETTINGS_DEFAULTS;

static const struct option record_options[] = {
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct record_settings, file),
	  .help = "The file to write; it is replaced if it is there, and belongs to the user who"
		  " called sudo" },
	{ .name = "dump", .kind = OPTION_DURATION, .metavar = "EVERY", .bare = "0",
	  .offset = offsetof(struct record_settings, dump_every_ns), .max = NO_DUMP - 1,
	  .help = "Have a heap dump made at the start and put it into the file; with EVERY another"
		  " one each time that this has passed, such as 30s. The process stands still"
		  " while a dump is made. One that has begun has 1.2 s more when the recording"
		  " ends; with -d none is begun that could not end in time" },
	{ .name = "samples", .kind = OPTION_FLAG,
	  .offset = offsetof(struct record_settings, samples),
	  .help = "Put sampled allocations into the file, and what becomes of them, for gctrace"
		  " follow FILE --by site. HotSpot needs gctrace's agent for it (--load-agent)" },
	{ .name = NULL },
};

static const struct option_group record_group = { "Record", record_options };

static const struct option_use options[] = {
	{ &record_group, 0 },
	{ &target_group, offsetof(struct record_settings, target) },
	{ &agent_group, offsetof(struct record_settings, target.load_agent) },
	{ &probing_group, offsetof(struct record_settings, target.fault_in) },
	{ &output_group, offsetof(struct record_settings, output) },
	{ &trace_group, offsetof(struct record_settings, trace) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

struct recorder {
	struct trace trace;
	struct dumper dumper;
	bool is_dumping, is_sampling;
	const char *path;
	uint64_t flushed_ns;
	struct buf undumped; /* a line for each process that cannot make a heap dump, and why */
};

static void show_progress(const struct recorder *recorder)
{
	if (recorder->dumper.dump)
		return; /* it has its own */

	const struct recording_writer *writer = recorder->trace.writer;
	char bytes[UNITS_TEXT], records[UNITS_TEXT];

	progress("%s, %s record%s", units__bytes(bytes, recording_writer__bytes(writer)),
		 units__count(records, recording_writer__records(writer)),
		 units__s(recording_writer__records(writer)));
}

static int turn(void *context)
{
	struct recorder *recorder = context;
	uint64_t now = clock__monotonic_ns();

	if (recorder->is_dumping)
		dumper__turn(&recorder->dumper);
	if (now - recorder->flushed_ns < FLUSH_NS)
		return 0;
	recorder->flushed_ns = now;
	show_progress(recorder);
	return recording_writer__flush(recorder->trace.writer);
}

static bool may_stop(void *context, bool hurry)
{
	struct recorder *recorder = context;

	return dumper__may_stop(&recorder->dumper, hurry);
}

static int see_event(void *context, const struct event *event)
{
	struct recorder *recorder = context;

	return dumper__event(&recorder->dumper, event);
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

/* Told at the end, too: what was said at the start is far up by then. */
static void note_undumped(struct recorder *recorder, const struct target *target,
			  const struct offer *offer)
{
	buf__printf(&recorder->undumped, "pid %d made no heap dump: %s has none (%s)\n",
		    target->process->pid,
		    target->runtime->name ? target->runtime->name : "its runtime", offer->text);
}

static int look_at_offers(struct recorder *recorder)
{
	struct session *session = live__session(recorder->trace.live);
	int err = 0;

	for (uint32_t i = 0; i < session__target_count(session) && !err; i++) {
		struct target *target = session__target(session, i);
		struct offer offers[OFFER_COUNT];

		if (!target->runtime)
			continue;
		offers__find(target->runtime, &target->modules, offers);
		if (recorder->is_dumping && !offers[OFFER_DUMP].available)
			note_undumped(recorder, target, &offers[OFFER_DUMP]);
		if (recorder->is_sampling && !offers[OFFER_ALLOCATIONS].available)
			warning("pid %d tells no sampled allocations: %s", target->process->pid,
				offers[OFFER_ALLOCATIONS].text);
		/* Births between dumps are what a survival curve is made of. */
		if (recorder->is_dumping && offers__tell_births(target->runtime, offers))
			err = session__want(session, target, LEVEL_ALLOCATIONS);
	}
	return err;
}

static void tell_undumped(const struct recorder *recorder)
{
	const char *line = buf__str(&recorder->undumped), *stop;

	for (; (stop = strchr(line, '\n')); line = stop + 1)
		error("%.*s", (int)(stop - line), line);
}

/* On a terminal nothing else says for a second that it works, nor how it ends. */
static void say_how_it_ends(const struct recorder *recorder)
{
	const struct trace_settings *tracing = recorder->trace.tracing;

	if (isatty(STDERR_FILENO) && !tracing->duration_ns && !tracing->count)
		note("recording; Ctrl-C ends it");
}

static int begin(struct recorder *recorder, const struct target_settings *target)
{
	const struct live_options options = {
		.levels = (recorder->is_dumping ? LEVEL_DUMP : 0) |
			  (recorder->is_sampling ? LEVEL_ALLOCATIONS : 0),
		.fault_in = target->fault_in,
	};
	int err = trace__open_live(&recorder->trace, &options);

	if (!err)
		err = live__add_named(recorder->trace.live, target);
	if (!err)
		err = look_at_offers(recorder);
	if (!err)
		err = open_writer(recorder);
	/* What trace__begin() learns, when it started first of all, is written behind it. */
	if (!err)
		err = trace__begin(&recorder->trace);
	if (!err)
		err = recording_writer__facts(recorder->trace.writer,
					      live__facts(recorder->trace.live));
	if (!err && recorder->is_dumping && recorder->trace.tracing->duration_ns)
		recorder->dumper.until_ns =
			recorder->trace.start_ns + recorder->trace.tracing->duration_ns;
	if (!err && recorder->is_dumping)
		dumper__begin(&recorder->dumper, recorder->trace.live);
	if (!err)
		say_how_it_ends(recorder);
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
	recording_writer__flush(writer);
	records = recording_writer__records(writer);
	units__bytes(text, recording_writer__bytes(writer));
	if (recording_writer__close(writer))
		return STATUS_FAILED;
	note("%llu record%s, %s in %s", (unsigned long long)records, units__s(records), text,
	     escape(recorder->path));
	return status;
}

static enum status record(struct recorder *recorder, const struct target_settings *target)
{
	const struct trace_hooks hooks = {
		.context = recorder,
		.turn = turn,
		.may_stop = recorder->is_dumping ? may_stop : NULL,
		.wait_ns = recorder->is_dumping ? DUMPER_TURN_NS : 0,
	};
	/* Containers are all that a dump's way is seen by; what it tells goes to the file. */
	const struct event_sink also = { see_event, recorder };
	enum status status = STATUS_FAILED;

	if (recorder->is_dumping) {
		recorder->trace.also = &also;
		recorder->trace.also_wants =
			FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_DUMP_END);
	}
	if (begin(recorder, target) == 0)
		status = trace__finish(&recorder->trace, trace__follow(&recorder->trace, &hooks));
	dumper__end(&recorder->dumper);
	if (status == STATUS_FINE && recorder->dumper.failed)
		status = STATUS_FAILED;
	if (status == STATUS_FINE && recorder->dumper.incomplete &&
	    !recorder->trace.tracing->allow_loss)
		status = STATUS_DATA_LOST;
	status = close_writer(recorder, status);
	tell_undumped(recorder);
	buf__free(&recorder->undumped);
	trace__close(&recorder->trace);
	return status;
}

static enum status run(const struct invocation *invocation)
{
	const struct record_settings *settings = invocation->settings;
	struct recorder recorder = {
		.path = settings->file,
		.is_dumping = settings->dump_every_ns != NO_DUMP,
		.is_sampling = settings->samples,
	};

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
	if (recorder.is_dumping) {
		recorder.dumper.every_ns = settings->dump_every_ns;
		recorder.dumper.finish_ns = FINISH_NS;
	}
	return record(&recorder, &settings->target);
}

const struct command record_command = {
	.name = "record",
	.summary = "Write everything that arrives to a file, for any command, later and elsewhere",
	.operands = "-p PID|NAME --output FILE",
	.about = "Records what the probes of running processes tell, as it comes. Any command that"
		 " takes -p reads the file too, on any host and without privileges.\n"
		 "  gctrace record -p 4711 -d 10m --output app.gctrace\n"
		 "  gctrace app.gctrace\n"
		 "Heap dumps in a recording are counted from 1, over all of its processes: FILE@2"
		 " is the second, FILE@first the first, FILE@last the last complete one.\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct record_settings),
	.operands_min = 0,
	.operands_max = 0,
	.run = run,
};
