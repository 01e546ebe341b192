/* SPDX-License-Identifier: BSD-2-Clause */
#include "shorten.h"

#include <stdint.h>
#include <string.h>

#include "escape.h"

#define DOTS "..."

/* Bytes of the escape that text begins with, or of its first character. */
static size_t first_of(const char *text, size_t len)
{
	const char *close = len > 2 && text[1] == 'u' ? memchr(text, '}', len) : NULL;
	size_t size = 2;
	uint32_t c;

	if (*text != '\\') {
		size = utf8__decode(text, len, &c);
		return size ? size : 1;
	}
	if (close)
		size = (size_t)(close - text) + 1;
	else if (len > 1 && text[1] == 'x')
		size = 4;
	return size < len ? size : len;
}

size_t shorten__fitting(const char *text, size_t len, size_t columns)
{
	size_t at = 0, used = 0;

	while (at < len) {
		size_t size = first_of(text + at, len - at);

		used += utf8__columns(text + at, size);
		if (used > columns)
			break;
		at += size;
	}
	return at;
}

static size_t room_beside_dots(size_t columns)
{
	return columns > strlen(DOTS) ? columns - strlen(DOTS) : 1;
}

void shorten__add(struct buf *buf, const char *text, size_t len, size_t columns)
{
	if (utf8__columns(text, len) <= columns) {
		buf__add(buf, text, len);
		return;
	}
	buf__add(buf, text, shorten__fitting(text, len, room_beside_dots(columns)));
	buf__add_str(buf, DOTS);
}

void shorten__add_end(struct buf *buf, const char *text, size_t len, size_t columns)
{
	const size_t all = utf8__columns(text, len);
	size_t at = 0, left = all;

	while (all > columns && left > room_beside_dots(columns)) {
		size_t size = first_of(text + at, len - at);

		left -= utf8__columns(text + at, size);
		at += size;
	}
	if (at)
		buf__add_str(buf, DOTS);
	buf__add(buf, text + at, len - at);
}
