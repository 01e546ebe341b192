/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment that a process was executed with. What it has changed since is not seen, nor do
 * most runtimes: they read theirs at the start. Names and values are the target's text.
 */
#ifndef GCTRACE_TARGET_ENVIRONMENT_H
#define GCTRACE_TARGET_ENVIRONMENT_H

#include "../base/buf.h"

struct process;

/* 0 or negative errno: -ESRCH, it is gone; -EACCES, not ours to look into. */
int environment__read(const struct process *process, struct buf *environment);

/* The value of a name, the first where it stands there twice; NULL: it is not set. */
const char *environment__get(const struct buf *environment, const char *name);

/* Where the process has its temporary files, as it sees it: TMPDIR, or /tmp without one. */
const char *environment__temporary(const struct buf *environment);

#endif
