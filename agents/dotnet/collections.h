/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collections, from their start to their end: by the profiler's callbacks, and by events while a
 * session is open, which tell more.
 */
#ifndef GCTRACE_DOTNET_COLLECTIONS_H
#define GCTRACE_DOTNET_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The callbacks. generations: bit n is generation n. */
void collections__started(uint64_t generations, bool is_induced);
void collections__finished(void);

/* GC_START, GC_END, HEAP_STATS. */
void collections__event(uint32_t id, const uint8_t *payload, uint32_t bytes);

/* The number of the collection at work (the inner one, where one interrupts another), 0: none. */
uint64_t collections__now(void);

#endif
