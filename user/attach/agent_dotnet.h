/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace's agent for .NET 8 and later, and how a process that runs is made to load it: it is asked
 * by its own diagnostics socket to attach a profiler (a notification-only one, beside whatever
 * profiler it has).
 */
#ifndef GCTRACE_ATTACH_AGENT_DOTNET_H
#define GCTRACE_ATTACH_AGENT_DOTNET_H

#include <stdbool.h>

#include "base/buf.h"

struct maps;
struct patience;
struct process;
struct runtime;

/*
 * Is there a reason why this process can't load it? Nothing is done to find out. True: it is in
 * why, a clause about the process and what to do, escaped.
 */
bool agent_dotnet__is_refused(const struct process *process, const struct maps *maps,
			      const struct runtime *runtime, struct buf *why);

/*
 * Have it loaded. library: its path in our view. Says by note() what is done. 0; -EEXIST, it was
 * there already; or a negative errno with the reason in why: then the process is as it was.
 */
int agent_dotnet__load(const struct process *process, const char *library,
		       struct patience *patience, struct buf *why);

#endif
