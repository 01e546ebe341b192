/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growable byte buffer.
 *
 * Invariants, from BUF_INIT (or all zero) to buf__free() and after it:
 *   - buf__str() is never NULL and is closed by a 0;
 *     data itself is NULL until something was reserved or appended;
 *   - len <= alloc, and alloc has room for the closing 0 whenever data is set;
 *   - bytes may be any bytes, zeros too: len is the truth, not strlen().
 *
 * Errors are sticky: when memory runs out, error becomes -ENOMEM, the buffer keeps what it
 * had, and every later append does nothing. So a writer appends a whole line without a
 * check in between and asks buf->error once, before it uses the result: a shortened
 * text is never taken for a whole one. buf__reset() clears the error with the contents.
 *
 * The buffer belongs to whoever declared it, who calls buf__free() (legal at any time and
 * twice) or takes the bytes away by buf__detach().
 */
#ifndef GCTRACE_BASE_BUF_H
#define GCTRACE_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct buf {
	char *data;
	size_t len;
	size_t alloc;
	int error; /* 0, or the -errno that lost something */
};

#define BUF_INIT { NULL, 0, 0, 0 }

/* Make room for extra more bytes (and the closing 0). 0 or the sticky error. */
int buf__reserve(struct buf *buf, size_t extra);

void buf__add(struct buf *buf, const void *bytes, size_t len);
void buf__add_str(struct buf *buf, const char *text);
void buf__add_char(struct buf *buf, char c);
void buf__add_u64(struct buf *buf, uint64_t value); /* in decimal */
void buf__add_hex(struct buf *buf, uint64_t value); /* no 0x, no zeros in front */
void buf__add_repeated(struct buf *buf, char c, size_t count);
void buf__printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf__vprintf(struct buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* All that is in from, which is empty then; what that had lost, buf has lost, too. */
void buf__move(struct buf *buf, struct buf *from);

/* The contents, closed by a 0; "" when there are none. Valid until the next change. */
const char *buf__str(const struct buf *buf);

/* Cut to len bytes; a len beyond the end does nothing. */
void buf__truncate(struct buf *buf, size_t len);

/* Forget the first count bytes (all, when there are fewer). */
void buf__drop_front(struct buf *buf, size_t count);

/* Empty it, keep the memory for the next use. */
void buf__reset(struct buf *buf);

/* Write it to a stream and empty it. 0, the sticky error, or -EIO when the stream failed. */
int buf__flush(struct buf *buf, FILE *out);

/*
 * Hand the contents (closed by a 0) to the caller, who frees them; the buffer is empty
 * afterwards. NULL when the buffer has an error or memory runs out; *len may be NULL.
 */
char *buf__detach(struct buf *buf, size_t *len);

void buf__free(struct buf *buf);

#endif
