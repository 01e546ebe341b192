/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts from a target: counted bytes, not terminated, any bytes, hostile until escaped. Whose they
 * are and for how long says whoever hands one over.
 */
#ifndef STREAM_TEXT_H
#define STREAM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

struct text {
	const char *at;
	size_t bytes;
};

static inline struct text text__of(const char *word)
{
	return (struct text){ word, strlen(word) };
}

static inline bool text__equal(struct text a, struct text b)
{
	return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

static inline bool text__is(struct text text, const char *word)
{
	return text__equal(text, text__of(word));
}

/* A copy in a buffer of the caller's, in place of what that held. */
static inline struct text text__keep(struct buf *buf, const void *bytes, size_t len)
{
	buf__reset(buf);
	buf__add(buf, bytes, len);
	return (struct text){ buf__str(buf), buf->len };
}

#endif
