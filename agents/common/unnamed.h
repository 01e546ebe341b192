/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a dump that there was no room for. All room for names is bounded, since it cannot grow
 * in a stopped world; who finds his full counts here what is told without a name for that.
 */
#ifndef GCTRACE_AGENT_UNNAMED_H
#define GCTRACE_AGENT_UNNAMED_H

#include <gctrace/probes.h>

/* A dump begins. One at a time. */
void unnamed__begin(void);

/* By whichever thread tells the dump; legal in a pause. */
void unnamed__add(uint64_t names);

/* Before the dump's end: nothing, where all had room. */
void unnamed__tell(struct gctrace_writer *writer);

#endif
