/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts that have less room than they need: "..." stands for what is left out.
 *
 * Texts are as escape.h leaves them. What stays is whole characters and whole escapes ("\x1b" is
 * never cut to "\x1"), with the marks that combine with the last of them.
 */
#ifndef GCTRACE_BASE_SHORTEN_H
#define GCTRACE_BASE_SHORTEN_H

#include <stddef.h>

#include "buf.h"

/* How many bytes at the beginning of a text have room in so many columns. */
size_t shorten__fitting(const char *text, size_t len, size_t columns);

/*
 * Append a text, or where it is wider than so many columns (fewer than 4 count as 4) its beginning
 * and "...".
 */
void shorten__add(struct buf *buf, const char *text, size_t len, size_t columns);

/* The same with a text whose end says most, as that of a path does: "...lib/libjvm.so". */
void shorten__add_end(struct buf *buf, const char *text, size_t len, size_t columns);

#endif
