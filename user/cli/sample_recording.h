/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of threads into a recording: gctrace sample --record FILE.
 *
 *	sample_recording__open(&recording, path)	before rights are given up
 *	sample_recording__begin(&recording, ...)
 *	sample_recording__sweep(&recording, &sweep)...
 *	sample_recording__end(&recording, &sampling)
 *
 * Of a recording that was not opened the others do nothing. Facts of its own (stream/facts.h):
 *
 *	sample.interval_ns, sample.fields, sample.insists, sample.hold
 *				as in struct sample_heading; an older one has no sample.hold
 *	sample.missed, sample.holds, sample.held_ns, sample.longest_hold_ns
 *				as in struct sampling; in the last facts
 *	target.0.lacks		why there are no managed frames; absent: there are
 */
#ifndef GCTRACE_CLI_SAMPLE_RECORDING_H
#define GCTRACE_CLI_SAMPLE_RECORDING_H

#include <stdint.h>

struct call_stacks;
struct facts;
struct process;
struct recording_writer;
struct sample_heading;
struct sample_recorder;
struct sample_sweep;
struct sampling;

struct sample_recording {
	const char *path; /* NULL: it was not opened */
	int fd;		  /* until the writer has it */
	struct facts *facts;
	struct recording_writer *writer;
	struct sample_recorder *recorder;
	uint64_t flushed_ns;
};

/* All zero before. All return 0, or a negative errno after an error message. */
int sample_recording__open(struct sample_recording *recording, const char *path);
int sample_recording__begin(struct sample_recording *recording, const struct process *process,
			    const struct sample_heading *heading,
			    const struct call_stacks *stacks);
int sample_recording__sweep(struct sample_recording *recording, const struct sample_sweep *sweep);

int sample_recording__end(struct sample_recording *recording, const struct sampling *sampling);

#endif
