/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which version of a runtime, read from its files. All results are the target's text,
 * unescaped, appended to out; nothing is appended where it cannot be told.
 */
#ifndef GCTRACE_TARGET_RUNTIME_VERSION_H
#define GCTRACE_TARGET_RUNTIME_VERSION_H

#include <stdbool.h>

#include "../base/buf.h"

struct map;
struct maps;
struct process;

/* The file `release` of a JDK, two directories above its libjvm.so. */
void runtime_version__java(const struct process *process, const struct map *library,
			   struct buf *out);

/* The directory's name: .../Microsoft.NETCore.App/10.0.12/libcoreclr.so */
void runtime_version__dotnet(const struct map *library, struct buf *out);

/* What the program or library exports: Py_Version (3.11 on), ruby_version. */
void runtime_version__python(const struct process *process, const struct maps *maps,
			     const struct map *file, struct buf *out);
void runtime_version__ruby(const struct process *process, const struct maps *maps,
			   const struct map *file, struct buf *out);

/* The section .go.buildinfo. True when the file has one: it is a Go program. */
bool runtime_version__go(const struct process *process, const struct maps *maps,
			 const struct map *file, struct buf *out);

/* Does the program export this symbol? */
bool runtime_version__exports(const struct process *process, const struct maps *maps,
			      const struct map *file, const char *symbol);

#endif
