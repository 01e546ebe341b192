/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap dumps in a recording, one a line. */
#ifndef GCTRACE_CLI_HEAP_LIST_H
#define GCTRACE_CLI_HEAP_LIST_H

#include <stdbool.h>

/*
 * On standard output. Is the recording whole? If not, a warning said so. 0, or negative errno after
 * an error message; no dump at all is one.
 */
int heap_list__show(const char *path, bool as_json, bool *is_whole);

#endif
