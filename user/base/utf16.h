/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of runtimes that keep them as UTF-16 (little-endian) or Latin-1, made UTF-8. */
#ifndef GCTRACE_BASE_UTF16_H
#define GCTRACE_BASE_UTF16_H

#include <stddef.h>

#include "buf.h"

/* Append; half a pair is U+FFFD, a byte that is left over is nothing. Always valid UTF-8. */
void utf16__add(struct buf *out, const void *bytes, size_t size);
void latin1__add(struct buf *out, const void *bytes, size_t size);

#endif
