/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace's agent for HotSpot (Java 11 and later), and how a JVM that runs is made to load it: it
 * is asked by its attach socket, as jcmd asks it.
 */
#ifndef GCTRACE_ATTACH_AGENT_HOTSPOT_H
#define GCTRACE_ATTACH_AGENT_HOTSPOT_H

#include <stdbool.h>

#include "base/buf.h"

struct maps;
struct patience;
struct process;
struct runtime;

/* As those of agent_dotnet.h. */
bool agent_hotspot__is_refused(const struct process *process, const struct maps *maps,
			       const struct runtime *runtime, struct buf *why);
int agent_hotspot__load(const struct process *process, const struct runtime *runtime,
			const char *library, const char *options, struct patience *patience,
			struct buf *why);

/*
 * The same for one that is loaded already, from this very file, to give it options. -EXDEV: it was
 * loaded from another file, which nobody can name to the JVM any more.
 */
int agent_hotspot__tell(const struct process *process, const struct maps *maps,
			const char *library, const char *options, struct patience *patience,
			struct buf *why);

#endif
