/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns.h"

#define LINES_PER_TITLES 40

void columns__init(struct columns *columns, const struct terminal *terminal)
{
	table__init(&columns->table, columns->at, 0, terminal);
	columns->fitted = terminal->columns;
}

void columns__free(struct columns *columns)
{
	table__free(&columns->table);
}

void columns__take(struct columns *columns, const struct column *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		columns->at[i] = all[i];
		columns->cells[i] = (unsigned int)i;
	}
	columns->table.count = count;
}

void columns__remove(struct columns *columns, unsigned int cell)
{
	size_t kept = 0;

	for (size_t i = 0; i < columns->table.count; i++) {
		if (columns->cells[i] == cell)
			continue;
		columns->at[kept] = columns->at[i];
		columns->cells[kept++] = columns->cells[i];
	}
	columns->table.count = kept;
}

struct column *columns__find(struct columns *columns, unsigned int cell)
{
	for (size_t i = 0; i < columns->table.count; i++)
		if (columns->cells[i] == cell)
			return &columns->at[i];
	return NULL;
}

void columns__fit(struct columns *columns, const unsigned int *dispensable, size_t count,
		  size_t behind)
{
	const size_t room = terminal__room(columns->table.terminal);

	for (size_t i = 0; i < count; i++)
		if (table__width(&columns->table) + behind > room)
			columns__remove(columns, dispensable[i]);
	columns->fitted = columns->table.terminal->columns;
}

void columns__widen(struct columns *columns, unsigned int cell, size_t widest, size_t behind)
{
	const size_t room = terminal__room(columns->table.terminal);
	const size_t used = table__width(&columns->table) + behind;
	struct column *column = columns__find(columns, cell);
	size_t wanted;

	if (!column || column->width >= widest || used >= room)
		return;
	wanted = widest - column->width;
	column->width += wanted < room - used ? wanted : room - used;
}

bool columns__resized(const struct columns *columns)
{
	return columns->fitted != columns->table.terminal->columns;
}

bool columns__titles_are_gone(const struct columns *columns, size_t lines)
{
	return columns->table.terminal->is_terminal && lines >= LINES_PER_TITLES;
}
