/* SPDX-License-Identifier: BSD-2-Clause */
/* What the environment of a .NET program says of agents. */
#ifndef GCTRACE_ATTACH_CLR_KNOBS_H
#define GCTRACE_ATTACH_CLR_KNOBS_H

#include <stdbool.h>

#include "base/buf.h"

/* The value of a variable, or NULL. */
typedef const char *clr_getenv(const void *context, const char *name);

enum clr_way {
	CLR_BY_SOCKET, /* into a process that runs */
	CLR_AT_START,
};

/*
 * Is an agent forbidden? Then the setting that does so is appended, as people write it, escaped:
 * "DOTNET_EnableDiagnostics_Profiler=0".
 */
bool clr_knobs__forbid(clr_getenv *get, const void *context, enum clr_way way, struct buf *setting);

/*
 * For a start with an agent: the value of CORECLR_NOTIFICATION_PROFILERS that has those that the
 * environment lists already, and the library. 0 or -EINVAL: the path has a character that such a
 * list cannot hold.
 */
int clr_knobs__add_profiler(clr_getenv *get, const void *context, const char *library,
			    struct buf *value);

#endif
