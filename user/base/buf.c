/* SPDX-License-Identifier: BSD-2-Clause */
#include "buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_SMALLEST 64
#define USUAL 32 /* bytes of what is printed: one try is enough for most */

int buf__reserve(struct buf *buf, size_t extra)
{
	size_t need, alloc;
	char *data;

	if (buf->error)
		return buf->error;
	if (__builtin_add_overflow(buf->len, extra, &need) ||
	    __builtin_add_overflow(need, 1, &need))
		return buf->error = -ENOMEM;
	if (need <= buf->alloc)
		return 0;
	alloc = buf->alloc > SIZE_MAX / 2 ? SIZE_MAX : buf->alloc * 2;
	if (alloc < need)
		alloc = need;
	if (alloc < BUF_SMALLEST)
		alloc = BUF_SMALLEST;
	data = realloc(buf->data, alloc);
	if (!data)
		return buf->error = -ENOMEM;
	buf->data = data;
	buf->alloc = alloc;
	buf->data[buf->len] = '\0';
	return 0;
}

void buf__add(struct buf *buf, const void *bytes, size_t len)
{
	if (len == 0 || buf__reserve(buf, len))
		return;
	memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void buf__move(struct buf *buf, struct buf *from)
{
	buf__add(buf, from->data, from->len);
	if (from->error && !buf->error)
		buf->error = from->error;
	buf__reset(from);
}

void buf__add_str(struct buf *buf, const char *text)
{
	buf__add(buf, text, strlen(text));
}

void buf__add_char(struct buf *buf, char c)
{
	buf__add(buf, &c, 1);
}

static void add_digits(struct buf *buf, uint64_t value, unsigned int base)
{
	char digits[20], *first = digits + sizeof(digits);

	do
		*--first = "0123456789abcdef"[value % base];
	while (value /= base);
	buf__add(buf, first, (size_t)(digits + sizeof(digits) - first));
}

void buf__add_u64(struct buf *buf, uint64_t value)
{
	add_digits(buf, value, 10);
}

void buf__add_hex(struct buf *buf, uint64_t value)
{
	add_digits(buf, value, 16);
}

void buf__add_repeated(struct buf *buf, char c, size_t count)
{
	if (count == 0 || buf__reserve(buf, count))
		return;
	memset(buf->data + buf->len, c, count);
	buf->len += count;
	buf->data[buf->len] = '\0';
}

void buf__vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	size_t room;
	int len;

	if (buf__reserve(buf, USUAL))
		return;
	room = buf->alloc - buf->len;
	va_copy(again, args);
	len = vsnprintf(buf->data + buf->len, room, format, args);
	if (len >= 0 && (size_t)len >= room && !buf__reserve(buf, (size_t)len))
		vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
	if (len < 0)
		buf->error = -errno;
	else if (!buf->error)
		buf->len += (size_t)len;
	buf->data[buf->len] = '\0';
	va_end(again);
}

void buf__printf(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf__vprintf(buf, format, args);
	va_end(args);
}

const char *buf__str(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}

void buf__truncate(struct buf *buf, size_t len)
{
	if (len >= buf->len)
		return;
	buf->len = len;
	buf->data[len] = '\0';
}

void buf__drop_front(struct buf *buf, size_t count)
{
	if (count == 0 || buf->len == 0)
		return;
	if (count > buf->len)
		count = buf->len;
	memmove(buf->data, buf->data + count, buf->len - count + 1);
	buf->len -= count;
}

void buf__reset(struct buf *buf)
{
	buf->error = 0;
	buf__truncate(buf, 0);
}

int buf__flush(struct buf *buf, FILE *out)
{
	int err = buf->error;

	if (!err && fwrite(buf__str(buf), 1, buf->len, out) != buf->len)
		err = -EIO;
	if (!err)
		buf__reset(buf);
	return err;
}

char *buf__detach(struct buf *buf, size_t *len)
{
	char *data;

	if (buf__reserve(buf, 0))
		return NULL;
	data = buf->data;
	if (len)
		*len = buf->len;
	*buf = (struct buf)BUF_INIT;
	return data;
}

void buf__free(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf)BUF_INIT;
}
