/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of `gctrace probes`, as text. Each line is written when its process has been looked at:
 * one that takes long, or is hostile, keeps the others from nobody. So the columns have fixed
 * widths, which a line with longer texts leaves.
 *
 * Where a line is more than there is room for, the program gives way first, then the version:
 * "..." stands for what was left out. NDJSON has them whole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/wrap.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/table.h"
#include "probes_form.h"

enum {
	COLUMN_PID,
	COLUMN_NAME,
	COLUMN_RUNTIME,
	COLUMN_VERSION,
	COLUMN_COLLECTOR,
	COLUMN_PROGRAM,
	COLUMNS
};

#define SHORTEST 16 /* what is left of a text that gives way */

static const struct column all_columns[COLUMNS] = {
	[COLUMN_PID] = { "pid", 8, ALIGN_RIGHT },
	[COLUMN_NAME] = { "name", 15, ALIGN_LEFT }, /* as long as the kernel keeps them */
	[COLUMN_RUNTIME] = { "runtime", 14, ALIGN_LEFT },
	[COLUMN_VERSION] = { "version", 25, ALIGN_LEFT },
	[COLUMN_COLLECTOR] = { "collector", 10, ALIGN_LEFT },
	[COLUMN_PROGRAM] = { "program", 7, ALIGN_LEFT },
};

/* ---------------------------------------------------------------- widths */

static size_t columns_of(const struct buf *text)
{
	return text->len ? utf8__columns(buf__str(text), text->len) : 1;
}

/* Takes from a column what the line lacks. */
static size_t give_way(struct column *column, size_t lacking)
{
	size_t spare = column->width > SHORTEST ? column->width - SHORTEST : 0;

	if (spare > lacking)
		spare = lacking;
	column->width -= spare;
	return lacking - spare;
}

static void fit(const struct probes_view *view, const struct buf cells[COLUMNS],
		struct column columns[COLUMNS])
{
	size_t room = terminal__room(&view->terminal);
	size_t width = COLUMNS - 1, lacking;

	memcpy(columns, all_columns, sizeof(all_columns));
	for (size_t i = 0; i < COLUMNS; i++) {
		if (columns_of(&cells[i]) > columns[i].width)
			columns[i].width = columns_of(&cells[i]);
		width += columns[i].width;
	}
	lacking = width > room ? width - room : 0;
	lacking = give_way(&columns[COLUMN_PROGRAM], lacking);
	lacking = give_way(&columns[COLUMN_VERSION], lacking);
	give_way(&columns[COLUMN_NAME], lacking);
}

/* ---------------------------------------------------------------- lines */

static void add_titles(struct probes_view *view)
{
	struct table table;

	table__init(&table, all_columns, COLUMNS, &view->terminal);
	table__titles(&table, &view->text);
	table__free(&table);
}

static void add_row(struct probes_view *view, const struct buf cells[COLUMNS])
{
	struct column columns[COLUMNS];
	struct buf text = BUF_INIT;
	struct table table;

	fit(view, cells, columns);
	table__init(&table, columns, COLUMNS, &view->terminal);
	for (size_t i = 0; i < COLUMNS; i++) {
		buf__reset(&text);
		if (cells[i].len)
			probes__add_short(&text, buf__str(&cells[i]), columns[i].width);
		table__cell_escaped(&table, STYLE_PLAIN, cells[i].len ? buf__str(&text) : NULL);
	}
	table__end_row(&table, &view->text);
	if (text.error)
		view->text.error = text.error;
	buf__free(&text);
	table__free(&table);
}

static void take(struct buf *cell, const char *text)
{
	if (text)
		escape__add(cell, text, strlen(text));
}

int probes_list__add(struct probes_view *view, const struct probed *probed)
{
	const struct runtime *runtime = probed->runtime;
	struct buf cells[COLUMNS] = { BUF_INIT };

	buf__printf(&cells[COLUMN_PID], "%d", probed->process->pid);
	take(&cells[COLUMN_NAME], probed->process->comm);
	take(&cells[COLUMN_RUNTIME], runtime->name);
	take(&cells[COLUMN_VERSION], runtime->version);
	take(&cells[COLUMN_COLLECTOR], runtime->collector);
	take(&cells[COLUMN_PROGRAM], probed__program(probed));
	if (!view->shown)
		add_titles(view);
	add_row(view, cells);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (cells[i].error)
			view->text.error = cells[i].error;
		buf__free(&cells[i]);
	}
	return probes_text__write(view);
}
