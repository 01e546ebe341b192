/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static fields that each thread has of its own ([ThreadStatic]). The runtime tells of no root
 * whose they are, and they move: so where each stands is asked for in the pause, of every thread
 * and every field that may be one, which were looked for before it.
 *
 * That is a call of the runtime for each thread and field while the program stands still, some 50
 * to 100 ns. There are a million at most; fields of threads beyond are told as names that had no
 * room (agents/common/unnamed.h), and what they hold as other roots of threads.
 *
 * Fields of generic classes are not among them: which classes those are nobody tells. Nor are
 * fields that are structs, and those of modules that may be unloaded.
 *
 * As with statics (statics.h), what stands in an array of the runtime's is told once.
 */
#ifndef GCTRACE_DOTNET_THREAD_STATICS_H
#define GCTRACE_DOTNET_THREAD_STATICS_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "agents/common/totals.h"

/* Once, outside of a pause. False: no address space. */
bool thread_statics__init(void);

/* Looks for fields and threads; before the pause, with modules open, not on a runtime's thread. */
void thread_statics__learn(void);

/* In the pause, before any object is told. domain: of the program's classes; 0: nothing is told. */
void thread_statics__tell(struct gctrace_writer *writer, uintptr_t domain, struct totals *totals);

/* Is this slot that of one that was told? */
bool thread_statics__has(uint64_t slot);

/* Names the threads; after the pause. */
void thread_statics__name_threads(struct gctrace_writer *writer);

void thread_statics__empty(void);

#endif
