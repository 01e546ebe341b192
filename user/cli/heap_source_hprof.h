/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of a heap dump of a JVM, in the hprof format: of a file, or as it comes. */
#ifndef GCTRACE_CLI_HEAP_SOURCE_HPROF_H
#define GCTRACE_CLI_HEAP_SOURCE_HPROF_H

#include "heap_source.h"

struct hprof_known;

/*
 * Read all that comes from a descriptor, which stays the caller's. name: of the file, for messages,
 * unescaped. known: what the JVM says of sizes, NULL: nothing. 0, or negative errno after an error
 * message: nothing of a dump came.
 */
int heap_source_hprof__read(struct heap_source *source, int fd, const char *name,
			    const struct heap_source_options *options,
			    const struct hprof_known *known);

#endif
