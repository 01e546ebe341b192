/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap dumps: asked for by semaphore, made by a thread of their own. */
#ifndef GCTRACE_HOTSPOT_DUMP_H
#define GCTRACE_HOTSPOT_DUMP_H

#include <stdbool.h>

/* By the watcher's thread, at each look. One rise, one dump. */
void dump__want(bool is_wanted);

#endif
