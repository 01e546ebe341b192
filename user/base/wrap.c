/* SPDX-License-Identifier: BSD-2-Clause */
#include "wrap.h"

#include <string.h>

#include "escape.h"

static size_t next_line(struct buf *buf, const struct wrap *wrap)
{
	const char *prefix = wrap->prefix ? wrap->prefix : "";
	size_t columns = utf8__columns(prefix, strlen(prefix));

	buf__add_char(buf, '\n');
	buf__add_str(buf, prefix);
	if (columns < wrap->indent)
		buf__add_repeated(buf, ' ', wrap->indent - columns);
	return columns < wrap->indent ? wrap->indent : columns;
}

const char *wrap__add(struct buf *buf, const struct wrap *wrap, size_t column, const char *text)
{
	bool first = true;

	text += strspn(text, " ");
	while (*text && *text != '\n') {
		size_t word = strcspn(text, " \n");
		size_t width = utf8__columns(text, word);

		if (!first && column + 1 + width > wrap->columns) {
			column = next_line(buf, wrap);
		} else if (!first) {
			buf__add_char(buf, ' ');
			column++;
		}
		buf__add(buf, text, word);
		column += width;
		first = false;
		text += word;
		text += strspn(text, " ");
	}
	return text;
}
