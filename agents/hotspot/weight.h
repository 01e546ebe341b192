/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sample stands for (sampler.h says how it is taken). */
#ifndef GCTRACE_HOTSPOT_WEIGHT_H
#define GCTRACE_HOTSPOT_WEIGHT_H

#include <stdint.h>

/* Bytes: size / (1 - exp(-size / interval)). interval 0: everything is sampled. */
uint64_t weight__of(uint64_t size, uint32_t interval);

#endif
