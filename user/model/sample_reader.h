/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps over the threads of a process from the records of a recording (stream/sample_record.h),
 * which may be damaged, or made by somebody with bad intentions. Records of other kinds are passed
 * over.
 *
 * What a row names and no record tells is not known: that field is then not valid. A row that
 * contradicts the format is left out, and counted, as are rows that a sweep had and that did not
 * come.
 */
#ifndef MODEL_SAMPLE_READER_H
#define MODEL_SAMPLE_READER_H

#include <stdint.h>

#include "bpf/record.h"
#include "sighting.h"

struct call_stacks;
struct sample_reader;

/* 0 to go on; else it is handed up. What the sweep points to is valid during the call. */
struct sample_sink {
	int (*sweep)(void *context, const struct sample_sweep *sweep);
	void *context;
};

/*
 * Methods and stacks are put into `stacks`, which outlives it; where nothing is lost they get the
 * numbers that they had. 0 or -ENOMEM.
 */
int sample_reader__new(uint32_t target, uint32_t pid, struct call_stacks *stacks,
		       struct sample_sink to, struct sample_reader **out);
void sample_reader__free(struct sample_reader *reader);

/* 0, -ENOMEM, or what the sink answered. */
int sample_reader__record(struct sample_reader *reader, const struct record *record);

/* Rows that did not come, and rows and records that contradict the format. */
uint64_t sample_reader__lost(const struct sample_reader *reader);

#endif
