/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from a traced process (names, paths, /proc text) made safe to show on a terminal.
 *
 * Whatever such a text holds, the result is valid UTF-8 on one line that moves no cursor,
 * changes no colour and does not reorder what stands around it:
 *
 *   \t \n \r            tab, newline, carriage return
 *   \\                  a backslash, so that the rest can be told from the original
 *   \x1b                any other control byte, and every byte that is not valid UTF-8
 *   \u{202e}            C1 controls, bidirectional marks and overrides, line and paragraph
 *                       separators, invisible (zero width, tag, variation) characters,
 *                       noncharacters
 *
 * Nothing is ever left out or shortened: every input byte is in the result, as itself or
 * as an escape, and the input can be recovered from it.
 */
#ifndef GCTRACE_BASE_ESCAPE_H
#define GCTRACE_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* Append the escaped form of len bytes. */
void escape__add(struct buf *buf, const void *bytes, size_t len);

/* The same of all that is in raw, which is empty then; what raw had lost, buf has lost, too. */
void escape__move(struct buf *buf, struct buf *raw);

/*
 * The escaped form of a string, for use as an argument of error() and its like:
 *
 *	error("cannot open %s", escape(path));
 *
 * The result lives in one of 16 buffers of this thread and is valid until 16 more calls
 * in the same thread; nobody frees it. NULL is shown as "(none)".
 */
const char *escape(const char *text);
const char *escape_bytes(const void *bytes, size_t len);

/*
 * Decode one character of UTF-8 at bytes (len > 0 bytes are left). Returns its length,
 * 1 to 4, and its code point; or 0 when the first byte starts no valid character (overlong
 * forms, surrogates and values over 10FFFF are not valid).
 */
size_t utf8__decode(const void *bytes, size_t len, uint32_t *code_point);

/* Is this a character that escape__add() writes as \u{...}? */
bool utf8__is_unsafe(uint32_t code_point);

/* Columns that an escaped text takes on a terminal (combining 0, wide 2, others 1). */
size_t utf8__columns(const char *text, size_t len);

#endif
