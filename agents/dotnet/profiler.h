/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as the runtime knows it: a notification-only profiler, which works beside another
 * tool's profiler and costs the program no feature of its own.
 */
#ifndef GCTRACE_DOTNET_PROFILER_H
#define GCTRACE_DOTNET_PROFILER_H

#include "clr.h"

#include <stdbool.h>

/* The one object as interface iid; E_NOINTERFACE where it is no such thing. */
HRESULT profiler__query(const struct guid *iid, void **out);

/* Has it been initialised? Then it must not be again. */
bool profiler__is_at_work(void);

bool guid__is_any(const struct guid *id, const struct guid *any, size_t count);

#endif
