/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table whose columns depend on what there is to show, and on how wide the terminal is.
 *
 * All columns that there may be stand in one array; a column is known by its place there, its cell
 * number, whatever stands beside it in the table. columns__all() takes every one of them; then the
 * caller removes what nobody tells, has the rest fitted, and gives the room that is left to those
 * that can use it:
 *
 *	columns__all(&columns, all_columns);
 *	columns__remove(&columns, CELL_PID);
 *	columns__fit(&columns, dispensable, COUNT, MARKS);
 *	columns__widen(&columns, CELL_CAUSE, CAUSE_WIDEST, MARKS);
 *	for (size_t i = 0; i < columns.table.count; i++)
 *		cell(&columns.table, columns.cells[i]);
 */
#ifndef GCTRACE_VIEW_COLUMNS_H
#define GCTRACE_VIEW_COLUMNS_H

#include <assert.h>
#include <stdbool.h>

#include "table.h"

#define COLUMNS_MOST 24

struct columns {
	struct table table;
	struct column at[COLUMNS_MOST];
	unsigned int cells[COLUMNS_MOST]; /* which those are: table.count numbers */
	size_t fitted;			  /* the terminal's width that they were fitted into */
};

/* It stays where it is, since table refers to it. */
void columns__init(struct columns *columns, const struct terminal *terminal);
void columns__free(struct columns *columns);

/* An array with more columns than there is room for does not compile. */
#define columns__all(columns, all)                                                                 \
	do {                                                                                       \
		static_assert(sizeof(all) / sizeof(*(all)) <= COLUMNS_MOST,                        \
			      "more columns than a struct columns has room for: COLUMNS_MOST");    \
		columns__take(columns, all, sizeof(all) / sizeof(*(all)));                         \
	} while (0)
void columns__take(struct columns *columns, const struct column *all, size_t count);
void columns__remove(struct columns *columns, unsigned int cell); /* if it is there */
struct column *columns__find(struct columns *columns, unsigned int cell); /* NULL: it is not */

/*
 * Remove columns, in the order of `dispensable`, until the others have room in their line together
 * with `behind` columns that follow them.
 */
void columns__fit(struct columns *columns, const unsigned int *dispensable, size_t count,
		  size_t behind);

/* Give what room is left to a column, if it is there, until it has `widest`. */
void columns__widen(struct columns *columns, unsigned int cell, size_t widest, size_t behind);

/* The terminal has another width now: fit them again. */
bool columns__resized(const struct columns *columns);

/* On a terminal titles come again after so many lines: they have left the screen. */
bool columns__titles_are_gone(const struct columns *columns, size_t lines);

#endif
