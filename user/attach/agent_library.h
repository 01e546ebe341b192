/* SPDX-License-Identifier: BSD-2-Clause */
/* Where gctrace's own libraries for runtimes are. */
#ifndef GCTRACE_ATTACH_AGENT_LIBRARY_H
#define GCTRACE_ATTACH_AGENT_LIBRARY_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * The path of a library by its name ("libgctrace-dotnet.so"): beside this program, where it is
 * built, or else in ../lib/gctrace from there, where it is installed. Real, so that no link is
 * followed later. 0; or -ENOENT, and where it was looked for is in `path` instead.
 */
int agent_library__find(const char *name, struct buf *path);

#endif
