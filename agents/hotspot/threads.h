/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a dump. Their objects bear tags from THREADS_FIRST on; a thread's number for
 * gctrace is Java's own, Thread.getId().
 */
#ifndef GCTRACE_HOTSPOT_THREADS_H
#define GCTRACE_HOTSPOT_THREADS_H

#include <gctrace/probes.h>

#include "vm.h"

#define THREADS_FIRST (INT64_C(1) << 32)
#define THREADS_UNKNOWN UINT64_MAX

bool threads__init(void);
void threads__empty(void);

/* All that live: tags and tells them. Before the pause. */
void threads__tell(struct visit *visit, struct gctrace_writer *writer);

/* The tag of the calling thread; 0: none. Before the pause. */
jlong threads__own(struct visit *visit);

/* A thread that has come since then; its tag, 0: no room. In the pause. */
jlong threads__add(void);
/* Java's number of it; THREADS_UNKNOWN. */
uint64_t threads__number(jlong tag);
/* A frame of it says its number. */
void threads__note(jlong tag, uint64_t number);

/* Tells those that have come late. Behind the pause. */
void threads__tell_late(struct visit *visit, struct gctrace_writer *writer);

#endif
