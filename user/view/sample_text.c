/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples for people: a line for each, or, on a terminal, a table of threads that is painted anew
 * in place; the sums at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "../model/call_stacks.h"
#include "output.h"
#include "sample.h"
#include "screen.h"
#include "table.h"

#define PAINT_NS (200 * NS_PER_MS)
#define LINES_PER_TITLES 40

static const struct column line_columns[] = {
	{ "time s", 9, ALIGN_RIGHT },  { "tid", 7, ALIGN_RIGHT },     { "thread", 15, ALIGN_LEFT },
	{ "location", 8, ALIGN_LEFT }, { "accuracy", 8, ALIGN_LEFT },
	{ "waits in", 15, ALIGN_LEFT },
	{ "method", 32, ALIGN_LEFT },
};

static const struct column live_columns[] = {
	{ "tid", 7, ALIGN_RIGHT },     { "thread", 18, ALIGN_LEFT },
	{ "now", 9, ALIGN_LEFT },      { "time by location", 28, ALIGN_LEFT },
	{ "method", 33, ALIGN_LEFT },
};

#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))

struct sample_text {
	struct sample_view view;
	struct sample_view_options options;
	struct call_stacks *stacks;
	struct output *output;
	const struct terminal *terminal;
	struct screen screen;
	struct table lines, live;
	size_t line_count;
	uint64_t painted_ns;
	struct buf out, text;
};

/* ---------------------------------------------------------------- heading */

static void add_text(struct buf *out, const char *before, struct text text)
{
	if (!text.bytes)
		return;
	buf__add_str(out, before);
	escape__add(out, text.at, text.bytes);
}

/* "# ..." */
static void add_comment(struct sample_text *text, const char *words)
{
	const struct wrap wrap = { .columns = terminal__text_columns(text->terminal),
				   .prefix = "#", .indent = 4 };

	buf__add_str(&text->out, terminal__on(text->terminal, STYLE_DIM));
	buf__add_str(&text->out, "# ");
	wrap__add(&text->out, &wrap, 2, words);
	buf__add_str(&text->out, terminal__off(text->terminal, STYLE_DIM));
	buf__add_char(&text->out, '\n');
}

static int show_heading(struct sample_view *view, const struct sample_heading *heading)
{
	struct sample_text *text = (struct sample_text *)view;
	char interval[UNITS_TEXT];
	struct buf *line = &text->text;

	buf__reset(line);
	if (heading->runtime.bytes) {
		add_text(line, "", heading->runtime);
		add_text(line, " ", heading->version);
	} else {
		buf__add_str(line, "no runtime that gctrace knows");
	}
	buf__printf(line, "; pid %" PRIu32, heading->pid);
	add_text(line, " (", heading->name);
	buf__add_str(line, heading->name.bytes ? ")" : "");
	add_comment(text, buf__str(line));
	buf__reset(line);
	if (heading->interval_ns)
		buf__printf(line, "a sweep over its threads every %s",
			    units__ns(interval, heading->interval_ns));
	else
		buf__add_str(line, "a sweep over its threads at the start of each collection");
	if (heading->lacks)
		buf__printf(line, "; managed methods are not told apart%s%s",
			    *heading->lacks ? ": " : "", heading->lacks);
	add_comment(text, buf__str(line));
	return output__flush(text->output, &text->out);
}

/* ---------------------------------------------------------------- lines */

/* The system call, or "memory"; NULL: it does not wait. */
static const char *waits_in(const struct sighting *sighting)
{
	const struct sighting_doing *doing = &sighting->doing;

	return doing->wait && doing->syscall ? doing->syscall : doing->wait;
}

static enum style style_of(enum accuracy accuracy)
{
	return accuracy == ACCURACY_EXACT ? STYLE_PLAIN : STYLE_DIM;
}

static void method_cell(struct sample_text *text, struct table *table,
			const struct sighting *sighting)
{
	struct text name = call_stacks__name(text->stacks, sighting->method);

	buf__reset(&text->text);
	buf__add(&text->text, name.at, name.bytes);
	if (sighting->flags & SAMPLE_PC)
		buf__printf(&text->text, " @%" PRIu32, sighting->pc_offset);
	if (text->terminal->is_terminal)
		table__cell_name(table, style_of(sighting->of[SIGHTING_METHOD]),
				 buf__str(&text->text), text->text.len);
	else
		table__cell_bytes(table, style_of(sighting->of[SIGHTING_METHOD]),
				  buf__str(&text->text), text->text.len);
}

static void add_line(struct sample_text *text, const struct sighting *sighting)
{
	struct table *table = &text->lines;
	const uint64_t since = sighting->time_ns > text->options.start_ns ?
				       sighting->time_ns - text->options.start_ns :
				       0;

	if (text->line_count++ % LINES_PER_TITLES == 0 &&
	    (text->line_count == 1 || text->terminal->is_terminal))
		table__titles(table, &text->out);
	table__cell_printf(table, STYLE_PLAIN, "%.6f", (double)since / NS_PER_S);
	table__cell_printf(table, STYLE_PLAIN, "%" PRIu32, sighting->tid);
	table__cell_bytes(table, STYLE_PLAIN, sighting->name.at, sighting->name.bytes);
	table__cell(table, style_of(sighting->of[SIGHTING_PLACE]),
		    sighting->flags & SAMPLE_LOCATION ? place__name(sighting->place) : NULL);
	table__cell(table, style_of(sighting->accuracy), accuracy__name(sighting->accuracy));
	table__cell(table, STYLE_PLAIN, waits_in(sighting));
	method_cell(text, table, sighting);
	table__end_row(table, &text->out);
}

/* ---------------------------------------------------------------- the table that stays */

static int compare_threads(const void *a, const void *b)
{
	const struct sampling_thread *x = *(const struct sampling_thread *const *)a;
	const struct sampling_thread *y = *(const struct sampling_thread *const *)b;

	if (x->running != y->running)
		return x->running > y->running ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void add_row(struct sample_text *text, const struct sampling_thread *thread)
{
	struct table *table = &text->live;
	const struct sighting *last = &thread->last;

	table__cell_printf(table, STYLE_PLAIN, "%" PRIu32, thread->tid);
	table__cell_short(table, STYLE_PLAIN, thread->name.at, thread->name.bytes);
	table__cell(table, STYLE_PLAIN,
		    last->flags & SAMPLE_LOCATION ? place__name(last->place) : NULL);
	buf__reset(&text->text);
	sample_words__add_places(&text->text, &thread->places);
	if (text->text.len)
		table__cell_short(table, STYLE_PLAIN, buf__str(&text->text), text->text.len);
	else
		table__cell(table, STYLE_PLAIN, NULL);
	method_cell(text, table, last);
	table__end_row(table, &text->out);
}

static void add_status(struct sample_text *text, const struct sample_sweep *sweep,
		       const struct sampling *sampling)
{
	char took[UNITS_TEXT];

	buf__printf(&text->out, "%" PRIu64 " sweeps, %zu threads, the last sweep took %s%s",
		    sampling->sweeps, sweep->count,
		    units__ns(took, sweep->end_ns - sweep->start_ns),
		    sampling->no_places ? "" : "; ");
	sample_words__add_places(&text->out, &sampling->places);
	buf__add_char(&text->out, '\n');
}

static int paint(struct sample_text *text, const struct sample_sweep *sweep,
		 const struct sampling *sampling)
{
	const size_t count = sampling->threads.count, rows = screen__rows(&text->screen);
	const struct sampling_thread **order = malloc((count + 1) * sizeof(const void *));
	const size_t room = rows > 3 ? rows - 3 : 0; /* beside status, titles and the rest */
	size_t live = 0, shown;

	if (!order)
		return error_errno(-ENOMEM, "cannot show threads");
	text->live.terminal = screen__plain(&text->screen);
	for (size_t i = 0; i < count; i++)
		if (sampling->threads.items[i].last_sweep == sweep->number)
			order[live++] = &sampling->threads.items[i];
	qsort(order, live, sizeof(*order), compare_threads);
	add_status(text, sweep, sampling);
	table__titles(&text->live, &text->out);
	for (shown = 0; shown < live && shown < room; shown++)
		add_row(text, order[shown]);
	if (shown < live)
		buf__printf(&text->out, "... and %zu more\n", live - shown);
	free(order);
	return screen__show(&text->screen, &text->out);
}

static int show_sweep(struct sample_view *view, const struct sample_heading *heading,
		      const struct sample_sweep *sweep, const struct sampling *sampling)
{
	struct sample_text *text = (struct sample_text *)view;

	(void)heading;
	if (text->options.quiet)
		return 0;
	if (text->options.stays) {
		if (sweep->end_ns - text->painted_ns < PAINT_NS)
			return 0;
		text->painted_ns = sweep->end_ns;
		return paint(text, sweep, sampling);
	}
	for (size_t i = 0; i < sweep->count; i++)
		add_line(text, &sweep->sightings[i]);
	return output__flush(text->output, &text->out);
}

static int show_results(struct sample_view *view, const struct sample_heading *heading,
			const struct sampling *sampling)
{
	struct sample_text *text = (struct sample_text *)view;

	(void)heading;
	if (text->options.stays)
		screen__clear(&text->screen);
	sample_text__add_results(&text->out, text->terminal, &text->options, text->stacks,
				 sampling);
	return output__flush(text->output, &text->out);
}

static void free_text(struct sample_view *view)
{
	struct sample_text *text = (struct sample_text *)view;

	table__free(&text->lines);
	table__free(&text->live);
	screen__free(&text->screen);
	buf__free(&text->out);
	buf__free(&text->text);
	free(text);
}

struct sample_view *sample_text__new(const struct sample_view_options *options,
				     struct call_stacks *stacks, struct output *output,
				     const struct terminal *terminal)
{
	struct sample_text *text = calloc(1, sizeof(*text));

	if (!text) {
		error("out of memory");
		return NULL;
	}
	text->view = (struct sample_view){ show_heading, show_sweep, show_results, free_text };
	text->options = *options;
	text->stacks = stacks;
	text->output = output;
	text->terminal = terminal;
	screen__init(&text->screen, terminal, output);
	table__init(&text->lines, line_columns, COUNT(line_columns), terminal);
	table__init(&text->live, live_columns, COUNT(live_columns), screen__plain(&text->screen));
	return &text->view;
}
