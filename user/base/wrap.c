/* SPDX-License-Identifier: BSD-2-Clause */
#include "wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "escape.h"

#define ARROW "→"

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

/* Of those that units.h writes behind a figure. */
static bool is_unit(const char *word)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "min", "h", "d", "B", "KiB",
					     "MiB", "GiB", "TiB", "k", "M", "G", "%" };
	size_t len = strcspn(word, " \n,;:.)/");

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i]) == len && strncmp(units[i], word, len) == 0)
			return true;
	return false;
}

/*
 * Bytes up to where the line may break next: a figure and its unit are one word, so are an arrow
 * and what it leads to.
 */
static size_t next_word(const char *text)
{
	const size_t word = strcspn(text, " \n");

	if (strncmp(text, ARROW " ", sizeof(ARROW)) == 0 && !strchr(" \n", text[word + 1]))
		return word + 1 + strcspn(text + word + 1, " \n");

	if (!isdigit((unsigned char)text[*text == '~']) || text[word] != ' ' ||
	    !is_unit(text + word + 1))
		return word;
	return word + 1 + strcspn(text + word + 1, " \n");
}

/*
 * Bytes up to behind the last mark that has room in so many columns, or else behind the first one;
 * all of them if there is none.
 */
static size_t piece_of(const char *word, size_t len, const char *marks, size_t room)
{
	size_t piece = 0;

	for (size_t at = 0; at < len; at++) {
		if (!strchr(marks, word[at]))
			continue;
		if (piece && utf8__columns(word, at + 1) > room)
			break;
		piece = at + 1;
	}
	return piece ? piece : len;
}

/* Returns the column behind it. */
static size_t add_word(struct buf *buf, const struct wrap *wrap, size_t column, const char *word,
		       size_t len)
{
	while (wrap->marks && column + utf8__columns(word, len) > wrap->columns) {
		const size_t room = wrap->columns > column ? wrap->columns - column : 0;
		const size_t piece = piece_of(word, len, wrap->marks, room);

		if (piece == len)
			break;
		buf__add(buf, word, piece);
		column = next_line(buf, wrap);
		word += piece;
		len -= piece;
	}
	buf__add(buf, word, len);
	return column + utf8__columns(word, len);
}

const char *wrap__add(struct buf *buf, const struct wrap *wrap, size_t column, const char *text)
{
	bool first = true;

	text += strspn(text, " ");
	while (*text && *text != '\n') {
		size_t word = next_word(text);
		size_t width = utf8__columns(text, word);

		if (!first && column + 1 + width > wrap->columns) {
			column = next_line(buf, wrap);
		} else if (!first) {
			buf__add_char(buf, ' ');
			column++;
		}
		column = add_word(buf, wrap, column, text, word);
		first = false;
		text += word;
		text += strspn(text, " ");
	}
	return text;
}
