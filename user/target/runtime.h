/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which managed runtime a process runs, what can be seen of it from outside, and what to do
 * where that is nothing.
 */
#ifndef GCTRACE_TARGET_RUNTIME_H
#define GCTRACE_TARGET_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"

struct maps;
struct modules;
struct process;

enum runtime_kind {
	RUNTIME_UNKNOWN,
	RUNTIME_PROBES,     /* anything built with gctrace/probes.h */
	RUNTIME_HOTSPOT,
	RUNTIME_OPENJ9,
	RUNTIME_DOTNET,
	RUNTIME_DOTNET_MONO,   /* .NET on Mono instead of CoreCLR */
	RUNTIME_DOTNET_NATIVE, /* .NET compiled ahead of time */
	RUNTIME_MONO,
	RUNTIME_CPYTHON,
	RUNTIME_RUBY,
	RUNTIME_GO,
	RUNTIME_NODE,
};

struct runtime {
	enum runtime_kind kind;
	const char *name;   /* "HotSpot", "CPython", … ; static text; never NULL */
	char *version;      /* from the target, unescaped; NULL: not known */
	char *collector;    /* "G1", …; NULL: not known, or there is only one */
	bool has_probes;    /* of a provider that gctrace knows */
	bool has_agent;     /* gctrace's own agent is in it: its probes are those of kind */
	/*
	 * Where there are no probes: one or two sentences that say what it is, that it has
	 * none, and what can be done with this version of gctrace. NULL otherwise. Escaped.
	 */
	char *advice;
};

/*
 * Identify. A process may hold several runtimes: the one with probes is preferred, then the
 * order of enum runtime_kind. Always a result (RUNTIME_UNKNOWN at least), or NULL for
 * want of memory. Free by runtime__free().
 */
struct runtime *runtime__identify(const struct process *process, const struct maps *maps,
				  const struct modules *modules);
void runtime__free(struct runtime *runtime);

#endif
