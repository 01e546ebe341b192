/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap dumps: asked for by semaphore, told by the events of a session of their own. */
#ifndef GCTRACE_DOTNET_DUMP_H
#define GCTRACE_DOTNET_DUMP_H

#include <stdbool.h>
#include <stdint.h>

/* By the watcher's thread, at each look. */
void dump__want(bool is_wanted);

/*
 * GC_START, GC_END, BULK_TYPE, BULK_NODE, BULK_EDGE, BULK_ROOT_EDGE, BULK_DEPENDENT, BULK_STATIC:
 * also those of other tools' collections, and while no dump is wanted.
 */
void dump__deliver(uint32_t id, uint32_t version, const uint8_t *payload, uint32_t bytes);

/* The runtime ends: nothing is asked of it from now on. Any thread. */
void dump__stop(void);

#endif
