/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines whose cells stand below each other.
 *
 * The widths are given, since lines are shown as they come. A text that is wider than its
 * column is not cut: it takes the room it needs, and the cells behind it give up their
 * padding until the line is in step again; table__cell_short() is for those that may be cut.
 * Text of the target is escaped here; so callers hand over what they have.
 *
 *	static const struct column columns[] = {
 *		{ "time", 10, ALIGN_RIGHT },
 *		{ "cause", 24, ALIGN_LEFT },
 *	};
 *	table__init(&table, columns, 2, terminal);
 *	table__titles(&table, &buf);
 *	table__cell(&table, STYLE_PLAIN, "12.3 s");
 *	table__cell_bytes(&table, STYLE_DIM, cause.at, cause.bytes);
 *	table__end_row(&table, &buf);
 */
#ifndef GCTRACE_VIEW_TABLE_H
#define GCTRACE_VIEW_TABLE_H

#include <stddef.h>

#include "../base/buf.h"
#include "terminal.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
	const char *title;
	size_t width;      /* in terminal columns; one blank parts it from the next */
	enum align align;
};

struct table {
	const struct column *columns;
	size_t count;
	const struct terminal *terminal;

	/* The row being made. */
	struct buf row;
	struct buf cell;   /* scratch */
	size_t index;      /* the next cell's */
	size_t at;         /* columns written */
	size_t due;        /* columns that the cells so far should have taken */
};

/* columns and terminal must outlive the table; table__free() takes back the rest. */
void table__init(struct table *table, const struct column *columns, size_t count,
		 const struct terminal *terminal);
void table__free(struct table *table);

/* Sum of all columns and the blanks between them. */
size_t table__width(const struct table *table);

/* The line of titles, with its newline. */
void table__titles(struct table *table, struct buf *out);

/* The next cell. A NULL text is "-": this runtime does not tell. */
void table__cell(struct table *table, enum style style, const char *text);
void table__cell_bytes(struct table *table, enum style style, const void *bytes, size_t len);
void table__cell_escaped(struct table *table, enum style style, const char *text); /* is already */
void table__cell_printf(struct table *table, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Columns that a text would take if there was room. */
size_t table__text_width(struct table *table, const void *bytes, size_t len);

/* As much of a text as its column has room for, "..." for the rest; none is "-". */
void table__cell_short(struct table *table, enum style style, const void *bytes, size_t len);

/*
 * A name in the last column: where it is wider than the rest of the line (or than its column, if
 * that is wider), it is shortened in its middle. None is "-".
 */
void table__cell_name(struct table *table, enum style style, const void *bytes, size_t len);

/* Append the row with its newline to out (with the errors of both) and begin the next. */
void table__end_row(struct table *table, struct buf *out);

#endif
