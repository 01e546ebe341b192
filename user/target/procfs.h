/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of /proc taken apart without trusting a byte of it. (base/files.h reads it.)
 */
#ifndef GCTRACE_TARGET_PROCFS_H
#define GCTRACE_TARGET_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

/* Append the target of a symbolic link, of any length. 0 or negative errno; says nothing. */
int procfs__read_link(int dirfd, const char *name, struct buf *out);

/*
 * A number at *text, in base 10 or 16, not beyond end. True: *text is behind its last
 * digit. False, with *text as it was: there is no digit, or the value needs more than
 * 64 bits.
 */
bool procfs__number(const char **text, const char *end, unsigned int base, uint64_t *value);

/* The same for a fixed character. */
bool procfs__skip(const char **text, const char *end, char c);

/* Behind any blanks and tabs at *text. */
void procfs__skip_blanks(const char **text, const char *end);

/*
 * The value in a text of "Key:\tvalue" lines (/proc/PID/status): *value points into the
 * text, *len has no leading blanks and no newline in it. False when the key is not there.
 */
bool procfs__field(const struct buf *text, const char *key, const char **value, size_t *len);

#endif
