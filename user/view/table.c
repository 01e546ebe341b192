/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/shorten.h"

void table__init(struct table *table, const struct column *columns, size_t count,
		 const struct terminal *terminal)
{
	*table = (struct table){ .columns = columns, .count = count, .terminal = terminal };
}

void table__free(struct table *table)
{
	buf__free(&table->row);
	buf__free(&table->cell);
}

size_t table__width(const struct table *table)
{
	size_t width = table->count ? table->count - 1 : 0;

	for (size_t i = 0; i < table->count; i++)
		width += table->columns[i].width;
	return width;
}

/*
 * Write text, which is escaped, as the next cell. due is where the cell ends when all is
 * well; at is where the line really is, more than that after a wide cell. Padding is
 * what is left between the two; none is written behind the last cell.
 */
static void put(struct table *table, enum style style, const char *text, size_t len)
{
	const struct column *column = &table->columns[table->index];
	size_t width = utf8__columns(text, len), padding;

	assert(table->index < table->count);
	if (table->index > 0) {
		buf__add_char(&table->row, ' ');
		table->at++;
		table->due++;
	}
	table->due += column->width;
	padding = table->at + width < table->due ? table->due - table->at - width : 0;
	if (column->align == ALIGN_RIGHT)
		buf__add_repeated(&table->row, ' ', padding);
	buf__add_str(&table->row, terminal__on(table->terminal, style));
	buf__add(&table->row, text, len);
	buf__add_str(&table->row, terminal__off(table->terminal, style));
	table->index++;
	if (column->align == ALIGN_LEFT && table->index < table->count)
		buf__add_repeated(&table->row, ' ', padding);
	table->at += width + padding;
}

void table__cell_bytes(struct table *table, enum style style, const void *bytes, size_t len)
{
	buf__reset(&table->cell);
	escape__add(&table->cell, bytes, len);
	if (table->cell.error)
		table->row.error = table->cell.error;
	else
		put(table, style, buf__str(&table->cell), table->cell.len);
}

void table__cell(struct table *table, enum style style, const char *text)
{
	if (text)
		table__cell_bytes(table, style, text, strlen(text));
	else
		put(table, STYLE_DIM, "-", 1);
}

void table__cell_escaped(struct table *table, enum style style, const char *text)
{
	if (text)
		put(table, style, text, strlen(text));
	else
		put(table, STYLE_DIM, "-", 1);
}

size_t table__text_width(struct table *table, const void *bytes, size_t len)
{
	buf__reset(&table->cell);
	escape__add(&table->cell, bytes, len);
	return utf8__columns(buf__str(&table->cell), table->cell.len);
}

void table__cell_short(struct table *table, enum style style, const void *bytes, size_t len)
{
	struct buf whole = BUF_INIT;

	escape__add(&whole, bytes, len);
	buf__reset(&table->cell);
	shorten__add(&table->cell, buf__str(&whole), whole.len,
		     table->columns[table->index].width);
	if (whole.error || table->cell.error)
		table->row.error = -ENOMEM;
	else
		table__cell_escaped(table, style, len ? buf__str(&table->cell) : NULL);
	buf__free(&whole);
}

static size_t room_of_last(const struct table *table)
{
	const size_t all = terminal__room(table->terminal);
	const size_t at = table->at + (table->index > 0);
	const size_t least = table->columns[table->index].width;

	return all > at + least ? all - at : least;
}

void table__cell_name(struct table *table, enum style style, const void *bytes, size_t len)
{
	struct buf whole = BUF_INIT;

	escape__add(&whole, bytes, len);
	buf__reset(&table->cell);
	shorten__add_middle(&table->cell, buf__str(&whole), whole.len, room_of_last(table));
	if (whole.error || table->cell.error)
		table->row.error = -ENOMEM;
	else
		table__cell_escaped(table, style, len ? buf__str(&table->cell) : NULL);
	buf__free(&whole);
}

void table__cell_printf(struct table *table, enum style style, const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list args;

	va_start(args, format);
	buf__vprintf(&text, format, args);
	va_end(args);
	if (text.error)
		table->row.error = text.error;
	else
		table__cell_bytes(table, style, buf__str(&text), text.len);
	buf__free(&text);
}

void table__end_row(struct table *table, struct buf *out)
{
	if (table->row.error)
		out->error = table->row.error;
	/* Of the last cell; a line that ends in blanks is a nuisance where it is copied to. */
	while (table->row.len > 0 && table->row.data[table->row.len - 1] == ' ')
		buf__truncate(&table->row, table->row.len - 1);
	buf__add(out, buf__str(&table->row), table->row.len);
	buf__add_char(out, '\n');
	buf__reset(&table->row);
	table->index = table->at = table->due = 0;
}

void table__titles(struct table *table, struct buf *out)
{
	for (size_t i = 0; i < table->count; i++)
		table__cell(table, STYLE_HEAD, table->columns[i].title);
	table__end_row(table, out);
}
