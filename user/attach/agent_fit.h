/* SPDX-License-Identifier: BSD-2-Clause */
/* What any runtime's process has to be, so that an agent of ours can be in it. */
#ifndef GCTRACE_ATTACH_AGENT_FIT_H
#define GCTRACE_ATTACH_AGENT_FIT_H

#include <stdbool.h>

#include "base/buf.h"

struct maps;
struct process;

/*
 * Why it cannot: a clause with the remedy is appended to why. err: of reading what it was started
 * with (environment, options); 0 or negative errno. Nothing is done to find out.
 */
bool agent_fit__is_refused(const struct process *process, const struct maps *maps, int err,
			   struct buf *why);

/* The same of what it was started with alone; err: negative errno. */
void agent_fit__tell_unreadable(const struct process *process, int err, struct buf *why);

#endif
