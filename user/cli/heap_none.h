/* SPDX-License-Identifier: BSD-2-Clause */
/* Why no object of a heap is as it was asked for. */
#ifndef GCTRACE_CLI_HEAP_NONE_H
#define GCTRACE_CLI_HEAP_NONE_H

#include "heap_select.h"

struct buf;

/*
 * Append a sentence, escaped: no type matches, and which there are; or none is that old, and how
 * old the oldest is. 0 or -ENOMEM.
 */
int heap_none__explain(struct buf *out, const struct heap *heap, const struct heap_wish *wish);

#endif
