/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_file.h"

#include <errno.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/sample_reader.h"
#include "../stream/facts.h"
#include "../stream/loss.h"
#include "../stream/recording.h"
#include "sample_show.h"
#include "signals.h"

struct reading {
	const struct sample_file_options *options;
	struct recording *recording;
	struct sample_reader *reader;
	struct sample_show show;
	struct buf name, runtime, version, lacks; /* of its heading */
	VEC(struct sighting) chosen; /* rows of the threads that were asked for */
	bool stopped;	  /* before its end, since enough was shown */
	bool knows_holds; /* those of all that was shown, and of nothing else */
};

/* ---------------------------------------------------------------- the heading */

/* Facts come again at the end, in place of these. */
static struct text keep_fact(const struct facts *facts, const char *name, struct buf *buf)
{
	size_t bytes;
	const char *value = facts__get_target(facts, 0, name, &bytes);

	return value ? text__keep(buf, value, bytes) : (struct text){ "", 0 };
}

static int read_heading(struct reading *reading)
{
	const struct facts *facts = recording__facts(reading->recording);
	const char *path = reading->options->path, *lacks;
	size_t bytes;

	if (!facts__get(facts, "sample.fields", NULL)) {
		error("%s has no samples of threads: gctrace sample -p PID --record FILE makes a"
		      " recording that has", escape(path));
		return -ENODATA;
	}
	reading->show.heading = (struct sample_heading){
		.pid = (uint32_t)facts__get_u64(facts, "target.0.pid", 0),
		.name = keep_fact(facts, "comm", &reading->name),
		.runtime = keep_fact(facts, "runtime", &reading->runtime),
		.version = keep_fact(facts, "version", &reading->version),
		.start_ns = facts__get_u64(facts, "started_ns", 0),
		.clock_offset_ns = facts__get_i64(facts, "clock_offset_ns", 0),
		.interval_ns = facts__get_u64(facts, "sample.interval_ns", 0),
		.fields = (unsigned int)facts__get_u64(facts, "sample.fields", 0),
		.insists = facts__get_u64(facts, "sample.insists", 0) != 0,
		.holds = facts__get_u64(facts, "sample.hold",
					facts__get_u64(facts, "sample.insists", 0)) != 0,
	};
	lacks = facts__get_target(facts, 0, "lacks", &bytes);
	if (lacks) {
		escape__add(&reading->lacks, lacks, bytes);
		reading->show.heading.lacks = buf__str(&reading->lacks);
	}
	return 0;
}

/* ---------------------------------------------------------------- sweeps */

static bool is_chosen(const struct sample_file_options *options, uint32_t tid)
{
	for (size_t i = 0; i < options->tid_count; i++)
		if ((uint32_t)options->tids[i] == tid)
			return true;
	return options->tid_count == 0;
}

static int choose(struct reading *reading, struct sample_sweep *sweep)
{
	vec__reset(&reading->chosen);
	for (size_t i = 0; i < sweep->count; i++)
		if (is_chosen(reading->options, sweep->sightings[i].tid) &&
		    vec__push(&reading->chosen, sweep->sightings[i]))
			return -ENOMEM;
	sweep->sightings = reading->chosen.items;
	sweep->count = reading->chosen.count;
	return 0;
}

/* 1: enough was seen. */
static int show_sweep(void *context, const struct sample_sweep *sweep)
{
	struct reading *reading = context;
	const struct sample_file_options *options = reading->options;
	const uint64_t since = sweep->start_ns - reading->show.heading.start_ns;
	struct sample_sweep shown = *sweep;
	int err;

	if (options->duration_ns && since >= options->duration_ns)
		return 1;
	err = choose(reading, &shown);
	if (err)
		return error_errno(err, "cannot show threads");
	reading->show.sampling.missed = sweep->missed;
	err = sample_show__sweep(&reading->show, &shown);
	if (err)
		return err;
	return options->count && reading->show.sampling.sweeps >= options->count;
}

static int take_record(void *context, const struct record *record, unsigned int ring)
{
	struct reading *reading = context;
	const struct record_call *call = (const struct record_call *)record;
	int err;

	(void)ring;
	if (record->kind == RECORD_LOSS && record->bytes >= sizeof(*call) &&
	    call->args[0] == LOSS_RECORDING)
		reading->show.sampling.lost_blocks += call->args[1];
	err = sample_reader__record(reading->reader, record);
	return err == -ENOMEM ? error_errno(err, "cannot read on") : err;
}

/* What only the end of a recording says: of the whole. */
static void take_sums(struct reading *reading)
{
	const struct facts *facts = recording__facts(reading->recording);
	struct sampling *sampling = &reading->show.sampling;

	if (!facts__get(facts, "sample.missed", NULL))
		return; /* it was cut off */
	sampling->missed = facts__get_u64(facts, "sample.missed", 0);
	reading->knows_holds = !reading->options->tid_count;
	if (!reading->knows_holds)
		return;
	sampling->holds = facts__get_u64(facts, "sample.holds", 0);
	sampling->held_ns = facts__get_u64(facts, "sample.held_ns", 0);
	sampling->longest_hold_ns = facts__get_u64(facts, "sample.longest_hold_ns", 0);
}

static int read_all(struct reading *reading)
{
	const struct record_sink sink = { take_record, reading };
	int answer;

	do {
		signals__take();
		answer = recording__pull(reading->recording, &sink);
	} while (answer == SOURCE_MORE && !signals__stopping());
	if (answer == SOURCE_END)
		take_sums(reading);
	reading->stopped = answer != SOURCE_END;
	reading->show.sampling.lost_rows = sample_reader__lost(reading->reader);
	return answer < 0 ? answer : 0;
}

/* A whole recording has something to show; or it is said what it lacks, and -ENODATA. */
static int expect_samples(const struct reading *reading)
{
	const struct sampling *sampling = &reading->show.sampling;
	const char *path = escape(reading->options->path);
	char duration[UNITS_TEXT];

	if (sampling->places.samples || signals__stopping() || !sampling__is_complete(sampling))
		return 0;
	if (sampling->sweeps ? !reading->options->tid_count : !reading->show.heading.interval_ns)
		return 0; /* sweeps that met nobody; no collection to sweep at */
	if (sampling->sweeps)
		error("%s has no sample of a thread that -t names%s", path,
		      reading->stopped ? ", in what -n and -d let be shown" : "");
	else if (reading->stopped)
		error("%s has no sweep over threads in its first %s: a longer -d shows some", path,
		      units__ns(duration, reading->options->duration_ns));
	else
		error("%s is whole, but has no sweep over threads: none was seen while it was"
		      " recorded. gctrace sample -p PID --record FILE, while the process runs,"
		      " makes one that has", path);
	return -ENODATA;
}

static void tell_holds(const struct reading *reading)
{
	if (reading->show.heading.holds && reading->show.sampling.sweeps && !reading->knows_holds)
		note("how often threads lost their CPU by --hold is known of a whole recording"
		     " only, not of the part that is shown");
}

/* ---------------------------------------------------------------- the whole */

static int begin(struct reading *reading)
{
	const struct sample_file_options *options = reading->options;
	const struct sample_sink sink = { show_sweep, reading };
	struct sample_show *show = &reading->show;
	struct sample_view_options view_options = {
		.top = options->top,
		.quiet = options->summary,
	};
	int err = sample_show__begin(show, options->export);

	if (!err)
		err = recording__open(options->path, &reading->recording);
	if (!err)
		err = read_heading(reading);
	if (err)
		return err;
	view_options.at_collections = !show->heading.interval_ns;
	view_options.start_ns = show->heading.start_ns;
	err = sample_reader__new(0, show->heading.pid, show->stacks, sink, &reading->reader);
	if (err)
		return error_errno(err, "cannot read %s", escape(options->path));
	if ((options->stacks || options->export->as >= 0) &&
	    !(show->heading.fields & SAMPLE_STACK_ID))
		warning("%s has no stacks: only methods are known", escape(options->path));
	return sample_show__head(show, options->output, &view_options);
}

static enum status status_of(const struct reading *reading, int err)
{
	if (err == -EPIPE)
		return STATUS_FINE; /* whoever reads has seen enough */
	if (err)
		return STATUS_FAILED;
	return sampling__is_complete(&reading->show.sampling) || reading->options->allow_loss ?
		       STATUS_FINE :
		       STATUS_DATA_LOST;
}

enum status sample_file__run(const struct sample_file_options *options)
{
	struct reading reading = { .options = options };
	const char *damage = NULL;
	int err = begin(&reading);
	enum status status;

	if (!err)
		err = read_all(&reading);
	if (!err)
		err = expect_samples(&reading);
	if (!err)
		tell_holds(&reading);
	err = sample_show__finish(&reading.show, err);
	if (reading.recording)
		damage = recording__damage(reading.recording);
	if (damage)
		warning("%s", damage);
	status = status_of(&reading, err);
	sample_show__end(&reading.show);
	sample_reader__free(reading.reader);
	recording__close(reading.recording);
	vec__free(&reading.chosen);
	buf__free(&reading.name);
	buf__free(&reading.runtime);
	buf__free(&reading.version);
	buf__free(&reading.lacks);
	return status;
}
