/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/sample_recorder.h"
#include "../stream/facts.h"
#include "../stream/recording.h"
#include "../target/process.h"
#include "../view/sample.h"
#include "live_facts.h"

#define FLUSH_NS NS_PER_S /* a gctrace that is killed leaves a file that lacks this much */

static int set_number(struct facts *facts, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return facts__set_target(facts, 0, name, text);
}

static int set_text(struct facts *facts, const char *name, struct text text)
{
	struct buf copy = BUF_INIT;
	int err = 0;

	buf__add(&copy, text.at, text.bytes);
	if (text.bytes)
		err = copy.error ? copy.error : facts__set_target(facts, 0, name, buf__str(&copy));
	buf__free(&copy);
	return err;
}

/* No probe is listened to: what they could tell is not there, rather than never happened. */
static int set_process(struct facts *facts, const struct process *process,
		       const struct sample_heading *heading)
{
	int err = set_number(facts, "pid", heading->pid);

	if (!err)
		err = set_number(facts, "start_ticks", process->start_ticks);
	if (!err)
		err = set_text(facts, "comm", heading->name);
	if (!err)
		err = set_text(facts, "runtime", heading->runtime);
	if (!err)
		err = set_text(facts, "version", heading->version);
	if (!err)
		err = set_number(facts, "attached_ns", heading->start_ns);
	if (!err)
		err = set_number(facts, "known", 0);
	if (!err && heading->lacks)
		err = facts__set_target(facts, 0, "lacks", heading->lacks);
	return err;
}

static int set_facts(struct facts *facts, const struct process *process,
		     const struct sample_heading *heading)
{
	int err = live_facts__host(facts);

	if (!err)
		err = facts__set_u64(facts, "started_ns", heading->start_ns);
	if (!err)
		err = facts__set_i64(facts, "clock_offset_ns", heading->clock_offset_ns);
	if (!err)
		err = facts__set_u64(facts, "sample.interval_ns", heading->interval_ns);
	if (!err)
		err = facts__set_u64(facts, "sample.fields", heading->fields);
	if (!err)
		err = facts__set_u64(facts, "sample.insists", heading->insists);
	if (!err)
		err = facts__set_u64(facts, "sample.hold", heading->holds);
	return err ? err : set_process(facts, process, heading);
}

int sample_recording__open(struct sample_recording *recording, const char *path)
{
	recording->fd = files__create(path);
	if (recording->fd < 0)
		return recording->fd;
	recording->path = path;
	return 0;
}

int sample_recording__begin(struct sample_recording *recording, const struct process *process,
			    const struct sample_heading *heading, const struct call_stacks *stacks)
{
	const int fd = recording->fd;
	int err;

	if (!recording->path)
		return 0;
	recording->facts = facts__new();
	err = recording->facts ? set_facts(recording->facts, process, heading) : -ENOMEM;
	if (err)
		return error_errno(err, "cannot record to %s", escape(recording->path));
	recording->fd = -1;
	err = recording_writer__new(fd, recording->path, recording->facts, &recording->writer);
	if (err)
		return err;
	err = sample_recorder__new(stacks, 0, recording_writer__sink(recording->writer),
				   &recording->recorder);
	return err ? error_errno(err, "cannot record to %s", escape(recording->path)) : 0;
}

/* The writer has said what went wrong with the file. */
int sample_recording__sweep(struct sample_recording *recording, const struct sample_sweep *sweep)
{
	int err;

	if (!recording->recorder)
		return 0;
	err = sample_recorder__sweep(recording->recorder, sweep);
	if (err == -ENOMEM)
		return error_errno(err, "cannot record to %s", escape(recording->path));
	if (err || sweep->end_ns - recording->flushed_ns < FLUSH_NS)
		return err;
	recording->flushed_ns = sweep->end_ns;
	return recording_writer__flush(recording->writer);
}

static int set_sums(struct facts *facts, const struct sampling *sampling)
{
	int err = facts__set_u64(facts, "sample.missed", sampling->missed);

	if (!err && sampling->holds)
		err = facts__set_u64(facts, "sample.holds", sampling->holds);
	if (!err && sampling->holds)
		err = facts__set_u64(facts, "sample.held_ns", sampling->held_ns);
	if (!err && sampling->holds)
		err = facts__set_u64(facts, "sample.longest_hold_ns", sampling->longest_hold_ns);
	return err;
}

static int close_writer(struct sample_recording *recording, const struct sampling *sampling)
{
	struct recording_writer *writer = recording->writer;
	char bytes[UNITS_TEXT];
	uint64_t records;
	int err, also;

	err = set_sums(recording->facts, sampling);
	if (!err)
		err = facts__set_u64(recording->facts, "ended_ns", clock__monotonic_ns());
	if (!err)
		err = recording_writer__facts(writer, recording->facts);
	records = recording_writer__records(writer);
	units__bytes(bytes, recording_writer__bytes(writer));
	also = recording_writer__close(writer);
	err = err ? err : also;
	if (!err)
		note("%" PRIu64 " record%s, %s in %s", records, units__s(records), bytes,
		     escape(recording->path));
	return err;
}

int sample_recording__end(struct sample_recording *recording, const struct sampling *sampling)
{
	int err = recording->writer ? close_writer(recording, sampling) : 0;

	if (recording->path)
		files__close(&recording->fd);
	sample_recorder__free(recording->recorder);
	facts__free(recording->facts);
	return err;
}
