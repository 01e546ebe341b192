/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts from a target: counted bytes, not terminated, any bytes, hostile until escaped. Whose they
 * are and for how long says whoever hands one over.
 */
#ifndef STREAM_TEXT_H
#define STREAM_TEXT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
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

/*
 * A text on the heap, with a 0 behind its bytes, in place of `own`, which is such a one too or
 * { NULL, 0 }. The owner's to free. -ENOMEM: `own` is as it was.
 */
static inline int text__own(struct text *own, struct text text)
{
	char *copy = malloc(text.bytes + 1);

	if (!copy)
		return -ENOMEM;
	if (text.bytes)
		memcpy(copy, text.at, text.bytes);
	copy[text.bytes] = 0;
	free((char *)own->at);
	*own = (struct text){ copy, text.bytes };
	return 0;
}

static inline void text__free(struct text *own)
{
	free((char *)own->at);
	*own = (struct text){ NULL, 0 };
}

#endif
