/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which build of an agent a process has loaded, and which one gctrace would load. An agent stays
 * until its process ends, so that of an older gctrace may be met, or one that was built anew since.
 * Linkers give each build a number of its own (NT_GNU_BUILD_ID), which the mapped file still has
 * when nothing stands at its path any more.
 */
#ifndef GCTRACE_ATTACH_AGENT_BUILD_H
#define GCTRACE_ATTACH_AGENT_BUILD_H

#include <stdbool.h>

#include "base/buf.h"

struct modules;
struct notes;

/*
 * Has the process an agent of another build than the one here? Then a clause is appended: which
 * ones, and which probes of ours it lacks. False where one of both is not there, or has no number.
 */
bool agent_build__differs(const struct modules *modules, struct buf *text);

/* The same of two files: that which is loaded, that which is here. */
bool agent_build__compare(const struct notes *loaded, const struct notes *here, struct buf *text);

#endif
