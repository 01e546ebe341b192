/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace sample: where the threads of a process are, again and again.
 *
 * Sweeps come at fixed times from the start on: one that took too long does not move those behind
 * it, it leaves some out.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../attach/clr_perf_map.h"
#include "../base/privileges.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../target/note_cache.h"
#include "../target/process.h"
#include "../target/reader.h"
#include "../target/runtime.h"
#include "../target/sight.h"
#include "command.h"
#include "gc_watch.h"
#include "observer.h"
#include "processes.h"
#include "option_forms.h"
#include "sample_export.h"
#include "sample_file.h"
#include "sample_recording.h"
#include "sample_show.h"
#include "settings.h"
#include "signals.h"

struct sample_settings {
	struct target_settings target;
	struct output_settings output;
	struct sample_export_settings export;
	struct words tids, fields;
	const char *record;
	uint64_t rate;
	uint64_t duration_ns; /* 0: until it ends or is stopped */
	uint64_t count;	      /* sweeps; 0: no limit */
	uint64_t top;
	int at;		      /* enum sample_at */
	bool stacks, exact, hold, perf_map, summary, allow_loss;
};

enum sample_at { AT_INTERVAL, AT_GC };
static const char *const at_names[] = { "interval", "gc", NULL };

static const struct sample_settings defaults = {
	.rate = 99,
	.top = 20,
	.export = SAMPLE_EXPORT_DEFAULTS,
};

static const struct option sample_options[] = {
	{ .name = "tid", .letter = 't', .kind = OPTION_WORDS, .metavar = "TID[,...]",
	  .offset = offsetof(struct sample_settings, tids),
	  .help = "Only these threads, by their ids; otherwise all, also those that come later" },
	{ .name = "rate", .kind = OPTION_COUNT, .metavar = "COUNT", .min = 1, .max = 10000,
	  .offset = offsetof(struct sample_settings, rate), .default_text = "99",
	  .help = "So many sweeps over the threads in a second; not with --at gc" },
	{ .name = "at", .kind = OPTION_CHOICE, .choices = at_names,
	  .offset = offsetof(struct sample_settings, at), .default_text = "interval",
	  .help = "When: at fixed times, or at each collection's start, where was everybody then?"
		  " That takes probes that tell collections, as gctrace -p does. A collection that"
		  " is over within a few milliseconds may be missed, which is told" },
	{ .name = "fields", .kind = OPTION_WORDS, .metavar = "FIELD[,...]",
	  .offset = offsetof(struct sample_settings, fields),
	  .default_text = "method,location,pc",
	  .help = "What is asked of each thread: any of stack, method, location and pc" },
	{ .name = "stacks", .kind = OPTION_FLAG, .offset = offsetof(struct sample_settings, stacks),
	  .help = "Whole stacks besides the other fields, as --fields stack,... does" },
	{ .name = "exact", .kind = OPTION_FLAG, .offset = offsetof(struct sample_settings, exact),
	  .help = "Where a thread was running and no tick met it, sweep again, up to 100 times,"
		  " until its registers are exact. A sweep then takes longer, and its rows are"
		  " some hundreds of microseconds apart; no thread is stopped" },
	{ .name = "hold", .kind = OPTION_FLAG, .offset = offsetof(struct sample_settings, hold),
	  .help = "As --exact; and where a thread's stack or method would be a guess since it runs"
		  " on while it is read, take its CPU away meanwhile: for some tens of"
		  " microseconds, 500 at most each time. It is not stopped by a signal or a"
		  " debugger's means, and no system call of its is disturbed. What it cost is told"
		  " at the end" },
	{ .name = "perf-map", .kind = OPTION_FLAG,
	  .offset = offsetof(struct sample_settings, perf_map),
	  .help = "Ask a runtime of .NET 8 or 9, by its diagnostics socket, to write the names of"
		  " its compiled methods to a file perf-PID.map for as long as gctrace runs, which"
		  " is removed then; it costs the runtime a line for each method that it compiles."
		  " .NET 10 tells them without" },
	{ .name = "duration", .letter = 'd', .kind = OPTION_DURATION, .metavar = "TIME", .min = 1,
	  .offset = offsetof(struct sample_settings, duration_ns),
	  .help = "Stop after this time, such as 500ms, 30s or 2m; otherwise when the process ends,"
		  " or by Ctrl-C" },
	{ .name = "count", .letter = 'n', .kind = OPTION_COUNT, .metavar = "COUNT", .min = 1,
	  .offset = offsetof(struct sample_settings, count),
	  .help = "Stop after this many sweeps" },
	{ .name = "summary", .kind = OPTION_FLAG,
	  .offset = offsetof(struct sample_settings, summary),
	  .help = "Show no samples, only where the time went: by location, thread and method" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct sample_settings, top),
	  .help = "So many threads and methods at the end; 0: all" },
	{ .name = "record", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct sample_settings, record),
	  .help = "Put all samples into a recording as well, with whole stacks, for gctrace sample"
		  " FILE: it shows the same and exports the same, later and elsewhere" },
	{ .name = "allow-loss", .kind = OPTION_FLAG,
	  .offset = offsetof(struct sample_settings, allow_loss),
	  .help = "Exit with 0 instead of 3 when data was lost (it is still told)" },
	{ .name = NULL },
};

static const struct option_group sample_group = { "Sampling", sample_options };

static const struct option_use options[] = {
	{ &target_group, offsetof(struct sample_settings, target) },
	{ &sample_group, 0 },
	{ &sample_export_group, offsetof(struct sample_settings, export) },
	{ &output_group, offsetof(struct sample_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

struct tids VEC_OF(pid_t);

struct sampling_run {
	const struct sample_settings *settings;
	unsigned int fields;
	struct tids tids;
	struct process *process;
	struct sight sight;
	bool has_sight;
	struct clr_perf_map *perf_map; /* NULL: none was asked for, or it is not ours to end */
	struct observer *observer;
	struct sample_show show;
	struct sample_recording recording;
	struct gc_watch *watch; /* NULL: at an interval */
	uint64_t start_ns;
};

/* ---------------------------------------------------------------- settings */

/* 0, or -EINVAL after an error message. */
static int read_fields(struct sampling_run *run)
{
	static const struct {
		const char *name;
		enum sample_flag flag;
	} fields[] = {
		{ "stack", SAMPLE_STACK_ID },
		{ "method", SAMPLE_METHOD_ID },
		{ "location", SAMPLE_LOCATION },
		{ "pc", SAMPLE_PC },
	};
	const struct words *words = &run->settings->fields;
	size_t known;

	for (size_t i = 0; i < words->count; i++) {
		for (known = 0; known < sizeof(fields) / sizeof(fields[0]); known++)
			if (strcmp(words->items[i], fields[known].name) == 0)
				break;
		if (known == sizeof(fields) / sizeof(fields[0])) {
			error("--fields takes stack, method, location and pc, not \"%s\"",
			      escape(words->items[i]));
			return -EINVAL;
		}
		run->fields |= fields[known].flag;
	}
	if (!words->count)
		run->fields = SAMPLE_METHOD_ID | SAMPLE_LOCATION | SAMPLE_PC;
	if (run->settings->stacks || run->settings->record || run->settings->export.as >= 0)
		run->fields |= SAMPLE_STACK_ID;
	return 0;
}

static int read_tids(struct sampling_run *run)
{
	for (size_t i = 0; i < run->settings->tids.count; i++) {
		const char *word = run->settings->tids.items[i];
		char *end;
		const long tid = strtol(word, &end, 10);

		if (*word < '1' || *word > '9' || *end || tid > INT32_MAX) {
			error("-t takes ids of threads, not \"%s\"", escape(word));
			return -EINVAL;
		}
		if (vec__push(&run->tids, (pid_t)tid))
			return error_errno(-ENOMEM, "cannot sample");
	}
	return 0;
}

/* ---------------------------------------------------------------- start */

static int find_process(struct sampling_run *run)
{
	struct processes processes = VEC_INIT;
	int err = processes__open(&run->settings->target.processes, &processes);

	if (!err && processes.count != 1) {
		error("one process at a time; -p names %zu", processes.count);
		err = -EINVAL;
	}
	if (!err) {
		run->process = processes.items[0];
		processes.items[0] = NULL;
	}
	processes__free(&processes);
	return err;
}

static int look_at_process(struct sampling_run *run)
{
	struct note_cache *cache = note_cache__new();
	int err = cache ? sight__look(&run->sight, run->process, cache) : -ENOMEM;

	note_cache__free(cache);
	run->has_sight = !err;
	return err ? error_errno(err, "cannot look at process %d", run->process->pid) : 0;
}

static struct text text_of(const char *word)
{
	return word ? text__of(word) : (struct text){ "", 0 };
}

static void make_heading(struct sampling_run *run)
{
	const struct runtime *runtime = run->sight.runtime;

	run->show.heading = (struct sample_heading){
		.pid = (uint32_t)run->process->pid,
		.name = text_of(run->process->comm),
		.version = text_of(runtime->version),
		.start_ns = run->start_ns,
		.clock_offset_ns = clock__wall_offset_ns(),
		.interval_ns = run->watch ? 0 : NS_PER_S / run->settings->rate,
		.fields = run->fields,
		.insists = run->settings->exact || run->settings->hold,
		.holds = run->settings->hold,
		.lacks = observer__lacks(run->observer),
	};
	if (runtime->kind != RUNTIME_UNKNOWN)
		run->show.heading.runtime = text__of(runtime->name);
}

static int begin_perf_map(struct sampling_run *run)
{
	struct buf why = BUF_INIT;
	int err;

	if (run->sight.runtime->kind != RUNTIME_DOTNET) {
		error("process %d runs %s: only .NET writes a perf map when it is asked to",
		      run->process->pid, run->sight.runtime->name);
		return -ENOTSUP;
	}
	err = clr_perf_map__begin(run->process, signals__stop_fd(), &run->perf_map, &why);
	if (err == -EEXIST)
		note("process %d writes a perf map already, which stays", run->process->pid);
	else if (err)
		error("process %d cannot be had to write a perf map: %s", run->process->pid,
		      buf__str(&why));
	buf__free(&why);
	return err == -EEXIST ? 0 : err;
}

static int give_up_rights(struct sampling_run *run)
{
	int err = run->settings->hold ? observer__permit_holds(run->observer) : 0;

	if (!err && run->settings->at == AT_GC)
		err = gc_watch__new(&run->settings->target, &run->watch);
	else if (!err)
		err = privileges__drop(false);
	if (!err && run->settings->hold)
		err = observer__begin_holds(run->observer);
	return err;
}

/* Everything that takes rights. */
static int begin_looking(struct sampling_run *run)
{
	const struct sample_settings *settings = run->settings;
	struct observer_options observer_options = {
		.tid_count = run->tids.count,
		.tids = run->tids.items,
		.fields = run->fields,
		.insists = settings->exact || settings->hold,
	};
	int err = settings->perf_map ? begin_perf_map(run) : 0;

	if (!err)
		err = observer__new(&observer_options, run->process, run->sight.runtime,
				    run->show.stacks, &run->observer);
	if (!err && settings->record)
		err = sample_recording__open(&run->recording, settings->record);
	return err ? err : give_up_rights(run);
}

static int begin(struct sampling_run *run)
{
	struct sample_view_options view_options = {
		.top = run->settings->top,
		.quiet = run->settings->summary,
		.at_collections = run->settings->at == AT_GC,
		.stays = true,
	};
	int err = sample_show__begin(&run->show, &run->settings->export);

	if (!err)
		err = find_process(run);
	if (!err)
		err = look_at_process(run);
	if (!err)
		err = begin_looking(run);
	if (err)
		return err;
	run->start_ns = view_options.start_ns = clock__monotonic_ns();
	signals__end_after(run->start_ns, run->settings->duration_ns);
	make_heading(run);
	err = sample_recording__begin(&run->recording, run->process, &run->show.heading,
				      run->show.stacks);
	return err ? err : sample_show__head(&run->show, &run->settings->output, &view_options);
}

static void end(struct sampling_run *run)
{
	sample_show__end(&run->show);
	gc_watch__free(run->watch);
	observer__free(run->observer);
	clr_perf_map__end(run->perf_map);
	if (run->has_sight)
		sight__close(&run->sight);
	process__free(run->process);
	vec__free(&run->tids);
}

/* ---------------------------------------------------------------- sweeps */

/* Show what the observer has seen, for a collection (NULL: for none). */
static int show(struct sampling_run *run, const struct gc_begun *gc)
{
	const struct observer *observer = run->observer;
	const struct sample_sweep told = {
		.number = observer->sweep.number,
		.start_ns = observer->sweep.start_ns,
		.end_ns = observer->sweep.end_ns,
		.lost = observer->sweep.lost,
		.missed = run->show.sampling.missed,
		.gc = gc ? gc->gc : SAMPLE_NO_GC,
		.gc_ns = gc ? gc->start_ns : 0,
		.sightings = observer->sightings.items,
		.count = observer->sightings.count,
	};
	int err = sample_recording__sweep(&run->recording, &told);

	run->show.sampling.unanswered = reader__failed(0);
	return err ? err : sample_show__sweep(&run->show, &told);
}

/* Until a moment, or a signal. */
static void wait_until(uint64_t moment)
{
	const uint64_t now = clock__monotonic_ns();
	struct pollfd fd = { .fd = signals__fd(), .events = POLLIN };
	struct timespec left;

	if (moment <= now)
		return;
	left.tv_sec = (time_t)((moment - now) / NS_PER_S);
	left.tv_nsec = (long)((moment - now) % NS_PER_S);
	ppoll(&fd, 1, &left, NULL);
}

static bool is_over(struct sampling_run *run, uint64_t now)
{
	const struct sample_settings *settings = run->settings;

	if (signals__take() & SIGNALS_RESIZE)
		terminal__resize(&run->show.terminal);
	return signals__stopping() ||
	       (settings->count && run->show.sampling.sweeps >= settings->count) ||
	       (settings->duration_ns && now - run->start_ns >= settings->duration_ns);
}

#define WAIT_NS (200 * NS_PER_MS) /* at most, between two looks at the clock */

/* A sweep that came too late tells nothing of the collection's start: that counts as missed. */
static int go_on_at_collections(struct sampling_run *run)
{
	struct gc_begun gc;
	int err = 0;

	while (!err && !is_over(run, clock__monotonic_ns())) {
		err = gc_watch__wait(run->watch, WAIT_NS, &gc);
		if (err || !gc.is_under_way)
			continue;
		err = observer__sweep(run->observer, gc.in_pause);
		if (err || gc_watch__has_ended(run->watch, &gc, run->observer->sweep.end_ns))
			continue;
		run->show.sampling.missed = gc_watch__missed(run->watch);
		err = show(run, &gc);
	}
	run->show.sampling.missed = gc_watch__missed(run->watch);
	return err == -ESRCH ? 0 : err;
}

/* 0, also when the process has ended; or negative errno. */
static int go_on(struct sampling_run *run)
{
	const uint64_t interval = run->show.heading.interval_ns;
	uint64_t next = run->start_ns, now, late;
	int err = 0;

	while (now = clock__monotonic_ns(), !err && !is_over(run, now)) {
		if (now < next) {
			wait_until(next);
			continue;
		}
		err = observer__sweep(run->observer, false);
		if (!err)
			err = show(run, NULL);
		late = (clock__monotonic_ns() - next) / interval;
		run->show.sampling.missed += late;
		next += (late + 1) * interval;
	}
	return err == -ESRCH ? 0 : err;
}

static void take_holds(struct sampling_run *run)
{
	const struct holds holds = observer__holds(run->observer);
	struct sampling *sampling = &run->show.sampling;

	sampling->holds = holds.count;
	sampling->held_ns = holds.ns;
	sampling->longest_hold_ns = holds.longest_ns;
}

/* ---------------------------------------------------------------- the command */

static enum status status_of(const struct sampling_run *run, int err)
{
	if (err == -EPIPE)
		return STATUS_FINE; /* whoever reads has seen enough */
	if (err)
		return STATUS_FAILED;
	if (!run->show.sampling.sweeps && !run->watch) {
		error("no thread of process %d was seen: %s", run->process->pid,
		      run->tids.count ? "it has none of those that -t names" : "it has ended");
		return STATUS_FAILED;
	}
	return sampling__is_complete(&run->show.sampling) || run->settings->allow_loss ?
		       STATUS_FINE :
		       STATUS_DATA_LOST;
}

/* What a recording has, it has: these are asked of a process. */
static bool is_for_a_process(const struct given *given)
{
	static const char *const names[] = { "rate", "at", "fields", "exact", "hold",
					     "perf-map", "record" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!option_forms__is_given(given, names[i]))
			continue;
		error("--%s is for running processes: a recording has what was recorded", names[i]);
		return true;
	}
	return false;
}

/* The collections say when. */
static bool rate_has_an_effect(const struct sample_settings *settings, const struct given *given)
{
	if (settings->at != AT_GC || !option_forms__is_given(given, "rate"))
		return true;
	error("--rate has no effect with --at gc: there is a sweep for each collection");
	return false;
}

static bool are_sound(struct sampling_run *run, const struct invocation *invocation)
{
	const struct sample_settings *settings = run->settings;
	const char *recording = invocation->operands.count ? invocation->operands.items[0] :
							     settings->record;

	return target_settings__process_or_file(&settings->target, &invocation->operands) &&
	       !(invocation->operands.count && is_for_a_process(&invocation->given)) &&
	       rate_has_an_effect(settings, &invocation->given) &&
	       sample_export_settings__are_sound(&settings->export, recording) &&
	       read_fields(run) == 0 && read_tids(run) == 0;
}

static enum status sample_process(struct sampling_run *run)
{
	int err = begin(run), also;

	if (!err)
		err = run->watch ? go_on_at_collections(run) : go_on(run);
	if (run->observer)
		take_holds(run);
	err = sample_show__finish(&run->show, err);
	also = sample_recording__end(&run->recording, &run->show.sampling);
	if (!err || err == -EPIPE)
		err = also ? also : err;
	return err && !run->show.view ? STATUS_FAILED : status_of(run, err);
}

static enum status sample_file(const struct sampling_run *run, const char *path)
{
	const struct sample_settings *settings = run->settings;
	const struct sample_file_options file_options = {
		.path = path,
		.tids = run->tids.items,
		.tid_count = run->tids.count,
		.count = settings->count,
		.duration_ns = settings->duration_ns,
		.top = settings->top,
		.summary = settings->summary,
		.stacks = settings->stacks,
		.allow_loss = settings->allow_loss,
		.output = &settings->output,
		.export = &settings->export,
	};

	return sample_file__run(&file_options);
}

static enum status run_command(const struct invocation *invocation)
{
	const struct sample_settings *settings = invocation->settings;
	struct sampling_run run = { .settings = settings };
	enum status status = STATUS_FAILED;

	if (!are_sound(&run, invocation)) {
		vec__free(&run.tids);
		return command__usage(invocation->command);
	}
	output_settings__apply(&settings->output);
	if (signals__install() == 0)
		status = invocation->operands.count ?
				 sample_file(&run, invocation->operands.items[0]) :
				 sample_process(&run);
	end(&run);
	return status;
}

const struct command sample_command = {
	.name = "sample",
	.summary = "Show where the threads of a process are: in which method, waiting for what",
	.operands = "-p PID | FILE",
	.about = "At a fixed rate, for each thread: its location (managed code, native code,"
		 " collecting, compiling, loading, waiting, ...), the method, the bytecode where"
		 " that is interpreted, and how far each of it is to be trusted: EXACT, or POOR for"
		 " a guess. Threads that run and threads that wait alike. On a terminal a table of"
		 " threads that is kept up to date; else a line for each sample; at the end where"
		 " the time went. The process is neither stopped nor changed (but"
		 " see --hold and --perf-map).\n"
		 "  gctrace sample -p 4711 -d 10s --summary\n"
		 "  gctrace sample -p 4711 --at gc -d 1m\n"
		 "  gctrace sample -p 4711 --stacks -o json\n"
		 "  gctrace sample -p 4711 -d 30s --as pprof --output app.pprof\n"
		 "  gctrace sample -p 4711 -d 30s --record app.gctrace\n"
		 "  gctrace sample app.gctrace --summary\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct sample_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run_command,
};
