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

/*
 * The same of its beginning and its end, and between them how many bytes are left out:
 * "com.shop...(+65436)...Order". Fewer columns than 32 count as 32.
 */
void shorten__add_middle(struct buf *buf, const char *text, size_t len, size_t columns);

/*
 * A name of a type, a field, a method in a sentence or a path. It stands whole, where it has to in
 * more than one line (wrap.h), up to 200 columns. Beyond that hardly anybody reads it, and a
 * terminal is full of one: it is shortened in its middle, to a quarter of that.
 */
void shorten__add_name(struct buf *buf, const char *text, size_t len);

/* A sentence, whose words (what stands between two blanks) may be names. */
void shorten__add_words(struct buf *buf, const char *text, size_t len);

#endif
