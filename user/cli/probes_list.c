/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of `gctrace probes`, as text: columns as wide as what stands in them.
 *
 * Where that is more than the line has room for, programs give way first, then versions: "..."
 * stands for what was left out. NDJSON has them whole.
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

enum { COLUMN_PID, COLUMN_NAME, COLUMN_RUNTIME, COLUMN_VERSION, COLUMN_COLLECTOR, COLUMN_PROGRAM };

#define SHORTEST 16 /* what is left of a text that gives way */

static const struct column all_columns[PROBES_COLUMNS] = {
	[COLUMN_PID] = { "pid", 8, ALIGN_RIGHT },
	[COLUMN_NAME] = { "name", 0, ALIGN_LEFT },
	[COLUMN_RUNTIME] = { "runtime", 0, ALIGN_LEFT },
	[COLUMN_VERSION] = { "version", 0, ALIGN_LEFT },
	[COLUMN_COLLECTOR] = { "collector", 0, ALIGN_LEFT },
	[COLUMN_PROGRAM] = { "program", 0, ALIGN_LEFT },
};

/* ---------------------------------------------------------------- rows */

static char *take(const char *text)
{
	struct buf buf = BUF_INIT;
	char *taken;

	if (!text || !*text)
		return NULL;
	escape__add(&buf, text, strlen(text));
	taken = buf__detach(&buf, NULL);
	buf__free(&buf);
	return taken;
}

int probes_list__add(struct probes_view *view, const struct probed *probed)
{
	const struct process *process = probed->process;
	const struct runtime *runtime = probed->runtime;
	struct probes_row row = { .cells = {
		[COLUMN_NAME] = take(process->comm),
		[COLUMN_RUNTIME] = take(runtime->name),
		[COLUMN_VERSION] = take(runtime->version),
		[COLUMN_COLLECTOR] = take(runtime->collector),
		[COLUMN_PROGRAM] = take(probed__program(probed)),
	} };
	struct buf pid = BUF_INIT;

	buf__printf(&pid, "%d", process->pid);
	row.cells[COLUMN_PID] = buf__detach(&pid, NULL);
	if (row.cells[COLUMN_PID] && vec__push(&view->rows, row) == 0)
		return 0;
	for (size_t i = 0; i < PROBES_COLUMNS; i++)
		free(row.cells[i]);
	return error_errno(ENOMEM, "probes");
}

/* ---------------------------------------------------------------- widths */

static size_t columns_of(const char *text)
{
	return text ? utf8__columns(text, strlen(text)) : 1;
}

static void measure(const struct probes_view *view, struct column columns[PROBES_COLUMNS])
{
	memcpy(columns, all_columns, sizeof(all_columns));
	for (size_t i = 0; i < PROBES_COLUMNS; i++) {
		if (columns[i].width < strlen(columns[i].title))
			columns[i].width = strlen(columns[i].title);
		for (size_t j = 0; j < view->rows.count; j++) {
			size_t width = columns_of(view->rows.items[j].cells[i]);

			if (width > columns[i].width)
				columns[i].width = width;
		}
	}
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

static void fit(const struct probes_view *view, struct column columns[PROBES_COLUMNS])
{
	size_t room = terminal__room(&view->terminal);
	size_t width = PROBES_COLUMNS - 1, lacking;

	measure(view, columns);
	for (size_t i = 0; i < PROBES_COLUMNS; i++)
		width += columns[i].width;
	lacking = width > room ? width - room : 0;
	lacking = give_way(&columns[COLUMN_PROGRAM], lacking);
	lacking = give_way(&columns[COLUMN_VERSION], lacking);
	give_way(&columns[COLUMN_NAME], lacking);
}

/* ---------------------------------------------------------------- lines */

static void add_cell(struct table *table, struct buf *text, const char *cell)
{
	buf__reset(text);
	if (cell)
		probes__add_short(text, cell, table->columns[table->index].width);
	table__cell_escaped(table, STYLE_PLAIN, cell ? buf__str(text) : NULL);
}

int probes_list__show(struct probes_view *view)
{
	struct column columns[PROBES_COLUMNS];
	struct buf text = BUF_INIT;
	struct table table;

	if (view->rows.count == 0)
		return 0;
	fit(view, columns);
	table__init(&table, columns, PROBES_COLUMNS, &view->terminal);
	table__titles(&table, &view->text);
	for (size_t i = 0; i < view->rows.count; i++) {
		for (size_t j = 0; j < PROBES_COLUMNS; j++)
			add_cell(&table, &text, view->rows.items[i].cells[j]);
		table__end_row(&table, &view->text);
	}
	if (text.error)
		view->text.error = text.error;
	buf__free(&text);
	table__free(&table);
	return probes_text__write(view);
}
