/* SPDX-License-Identifier: BSD-2-Clause */
#include "shorten.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"

#define DOTS "..."
#define MIDDLE_LEAST 32u /* has room for BETWEEN with any number */
#define NAME_WHOLE 200u
#define NAME_SHORT 50u

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

/* From where on the rest of a text, all of which has so many columns, has room in fewer. */
static size_t rest_fitting(const char *text, size_t len, size_t all, size_t columns)
{
	size_t at = 0;

	while (all > columns) {
		size_t size = first_of(text + at, len - at);

		all -= utf8__columns(text + at, size);
		at += size;
	}
	return at;
}

void shorten__add_end(struct buf *buf, const char *text, size_t len, size_t columns)
{
	const size_t all = utf8__columns(text, len);
	size_t at = 0;

	if (all > columns)
		at = rest_fitting(text, len, all, room_beside_dots(columns));
	if (at)
		buf__add_str(buf, DOTS);
	buf__add(buf, text + at, len - at);
}

#define BETWEEN DOTS "(+%zu)" DOTS

void shorten__add_middle(struct buf *buf, const char *text, size_t len, size_t columns)
{
	const size_t all = utf8__columns(text, len);
	char between[64];
	size_t room, head, tail;

	if (columns < MIDDLE_LEAST)
		columns = MIDDLE_LEAST;
	if (all <= columns) {
		buf__add(buf, text, len);
		return;
	}
	room = columns - (size_t)snprintf(between, sizeof(between), BETWEEN, len);
	head = shorten__fitting(text, len, room - room / 2);
	tail = rest_fitting(text, len, all, room / 2);
	buf__add(buf, text, head);
	buf__printf(buf, BETWEEN, tail - head);
	buf__add(buf, text + tail, len - tail);
}

void shorten__add_name(struct buf *buf, const char *text, size_t len)
{
	const bool is_whole = len <= NAME_WHOLE || utf8__columns(text, len) <= NAME_WHOLE;

	shorten__add_middle(buf, text, len, is_whole ? NAME_WHOLE : NAME_SHORT);
}

void shorten__add_words(struct buf *buf, const char *text, size_t len)
{
	while (len) {
		const char *blank = memchr(text, ' ', len);
		const size_t word = blank ? (size_t)(blank - text) : len;

		shorten__add_name(buf, text, word);
		if (blank)
			buf__add_char(buf, ' ');
		len -= word + !!blank;
		text += word + !!blank;
	}
}
