/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps over the threads of a process as records (stream/sample_record.h): names and stacks once,
 * before the first row that has them.
 */
#ifndef MODEL_SAMPLE_RECORDER_H
#define MODEL_SAMPLE_RECORDER_H

#include <stdint.h>

#include "sighting.h"
#include "stream/source.h"

struct call_stacks;
struct sample_recorder;

/* What the numbers of sightings mean is in `stacks`, which outlives it. 0 or -ENOMEM. */
int sample_recorder__new(const struct call_stacks *stacks, uint32_t target, struct record_sink to,
			 struct sample_recorder **out);
void sample_recorder__free(struct sample_recorder *recorder);

/* 0, -ENOMEM, or what the sink answers. */
int sample_recorder__sweep(struct sample_recorder *recorder, const struct sample_sweep *sweep);

#endif
