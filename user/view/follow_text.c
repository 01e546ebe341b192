/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Followed objects for people: a line for each collection, for each dump, or for each step of one
 * object; or, on a terminal, a table of types that is painted anew in place.
 */
#include "follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "collections.h"
#include "columns.h"
#include "follow_parts.h"
#include "output.h"
#include "screen.h"

#define CAUSE_WIDEST 40
#define PID_NARROWEST 5
#define INDENT 9
#define MARKS 2 /* columns behind the last one: a blank and the sign of a doubt */

enum cell {
	CELL_TIME,
	CELL_PID,
	CELL_NUMBER,
	CELL_WHAT,
	CELL_CAUSE,
	CELL_KNOWN,
	CELL_MOVED,
	CELL_STAYED,
	CELL_PROMOTED,
	CELL_DIED,
	CELL_WITHDRAWN,
	CELLS
};

static const struct column all_columns[CELLS] = {
	[CELL_TIME] = { "time s", 8, ALIGN_RIGHT },
	[CELL_PID] = { "pid", PID_NARROWEST, ALIGN_RIGHT },
	[CELL_NUMBER] = { "gc", 5, ALIGN_RIGHT },
	[CELL_WHAT] = { "what", 9, ALIGN_LEFT },
	[CELL_CAUSE] = { "cause", 10, ALIGN_LEFT },
	[CELL_KNOWN] = { "known", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_MOVED] = { "moved", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_STAYED] = { "stayed", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_PROMOTED] = { "promoted", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_DIED] = { "died", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_WITHDRAWN] = { "withdrawn", 9, ALIGN_RIGHT },
};

/* Left out where there is no room, in this order. */
static const unsigned int dispensable[] = { CELL_CAUSE, CELL_STAYED, CELL_PROMOTED, CELL_KNOWN,
					    CELL_WHAT };

static const struct column step_columns[] = {
	{ "time s", 8, ALIGN_RIGHT },	    { "gc", 5, ALIGN_RIGHT },
	{ "what", 9, ALIGN_LEFT },	    { "address", 18, ALIGN_LEFT },
	{ "gen", 3, ALIGN_RIGHT },	    { "age", 7, ALIGN_RIGHT },
	{ "moves", 7, ALIGN_RIGHT },	    { "what became of it", 30, ALIGN_LEFT },
};

#define STEP_COLUMNS (sizeof(step_columns) / sizeof(*step_columns))

enum titles { TITLES_NONE, TITLES_COLLECTIONS, TITLES_STEPS };

struct follow_text {
	struct follow_view view;
	struct view_options options;
	struct output *output;
	const struct terminal *terminal;
	bool live;
	struct screen screen;
	struct columns columns;
	struct table steps;
	enum titles titles; /* of the lines above */
	size_t lines;	    /* since those */
	bool several;	    /* that have a column for the pid */
	struct buf out;
	struct buf status; /* of the table that is painted: the last collection */
};

/* ---------------------------------------------------------------- columns */

static void fit_columns(struct follow_text *text)
{
	columns__all(&text->columns, all_columns);
	if (!text->several)
		columns__remove(&text->columns, CELL_PID);
	columns__fit(&text->columns, dispensable, sizeof(dispensable) / sizeof(*dispensable),
		     MARKS);
	columns__widen(&text->columns, CELL_CAUSE, CAUSE_WIDEST, MARKS);
}

/* ---------------------------------------------------------------- lines */

static void add_titles(struct follow_text *text, enum titles titles, struct table *table)
{
	const bool resized = columns__resized(&text->columns);

	if (resized)
		fit_columns(text);
	if (text->titles != titles || resized ||
	    columns__titles_are_gone(&text->columns, text->lines)) {
		table__titles(table, &text->out);
		text->lines = 0;
	}
	text->titles = titles;
	text->lines++;
}

static void number_cell(struct table *table, uint64_t number)
{
	if (number == EVENT_UNKNOWN)
		table__cell(table, STYLE_PLAIN, NULL);
	else
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, number);
}

static uint64_t time_of(const struct collection *collection)
{
	return collection->start_ns != EVENT_UNKNOWN ? collection->start_ns : collection->end_ns;
}

static uint64_t count_of(const struct follow_collection *collection, enum cell cell)
{
	switch (cell) {
	case CELL_KNOWN:
		return collection->known.objects;
	case CELL_MOVED:
		return collection->is->moved.objects;
	case CELL_STAYED:
		return collection->is->stayed.objects;
	case CELL_PROMOTED:
		return collection->is->promoted.objects;
	case CELL_DIED:
		return collection->is->died.objects;
	default:
		return collection->is->withdrawn.objects;
	}
}

static void add_cell(struct follow_text *text, enum cell cell, const struct heading *heading,
		     const struct follow_collection *collection)
{
	const struct text what = collection->collection->what,
			  cause = collection->collection->cause;
	struct table *table = &text->columns.table;
	char count[UNITS_TEXT];

	switch (cell) {
	case CELL_TIME:
		collections__cell_time(table, &text->options, heading,
				       time_of(collection->collection));
		break;
	case CELL_PID:
		number_cell(table, heading->pid);
		break;
	case CELL_NUMBER:
		number_cell(table, collection->collection->number);
		break;
	case CELL_WHAT:
		table__cell_short(table, STYLE_PLAIN, what.at, what.bytes);
		break;
	case CELL_CAUSE:
		table__cell_short(table, STYLE_PLAIN, cause.at, cause.bytes);
		break;
	default:
		table__cell(table,
			    cell == CELL_WITHDRAWN && count_of(collection, cell) ? STYLE_BAD
										 : STYLE_PLAIN,
			    units__count_column(count, count_of(collection, cell)));
	}
}

static void add_mark(struct follow_text *text)
{
	const struct terminal *terminal = text->terminal;

	buf__printf(&text->columns.table.row, " %s" FOLLOW_DOUBT "%s",
		    terminal__on(terminal, STYLE_BAD), terminal__off(terminal, STYLE_BAD));
}

/* What the painted table has above it. */
static void note_status(struct follow_text *text, const struct follow_collection *collection)
{
	const struct identity_collection *is = collection->is;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];

	buf__reset(&text->status);
	buf__printf(&text->status, "gc %" PRIu64 " ", collection->collection->number);
	escape__add(&text->status, collection->collection->what.at,
		    collection->collection->what.bytes);
	buf__printf(&text->status, ": moved %s, stayed %s, promoted %s, died %s",
		    units__count(a, is->moved.objects), units__count(b, is->stayed.objects),
		    units__count(c, is->promoted.objects), units__count(d, is->died.objects));
	if (is->withdrawn.objects)
		buf__printf(&text->status, ", withdrawn %s",
			    units__count(a, is->withdrawn.objects));
}

static int show_collection(struct follow_view *view, const struct heading *heading,
			   const struct follow_collection *collection)
{
	struct follow_text *text = (struct follow_text *)view;

	note_status(text, collection);
	if (text->live)
		return 0;
	add_titles(text, TITLES_COLLECTIONS, &text->columns.table);
	for (size_t i = 0; i < text->columns.table.count; i++)
		add_cell(text, text->columns.cells[i], heading, collection);
	if (collection->in_doubt)
		add_mark(text);
	table__end_row(&text->columns.table, &text->out);
	if (text->options.verbose)
		collections__add_details(&text->out, text->terminal, &text->options, heading,
					 collection->collection);
	return output__flush(text->output, &text->out);
}

static int show_blocks(struct follow_view *view, const struct heading *heading,
		       const struct follow_blocks *blocks)
{
	struct follow_text *text = (struct follow_text *)view;

	(void)heading;
	if (text->live || !(text->options.verbose || blocks->alone))
		return 0;
	follow__add_blocks(&text->out, text->terminal, blocks);
	return output__flush(text->output, &text->out);
}

/* ---------------------------------------------------------------- dumps */

static void say_anchor(struct buf *said, const struct follow_anchor *anchor)
{
	const struct anchor *result = &anchor->is->result;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];

	buf__printf(said, "dump %" PRIu64 "%s: %s object%s, %s; ", anchor->is->number,
		    anchor->is->whole ? "" : " (a part)", units__count(a, anchor->objects),
		    units__s(anchor->objects),
		    units__bytes(b, anchor->bytes));
	buf__printf(said, "matched %s, new %s, gone %s, conflicts %s",
		    units__count(a, result->matched), units__count(b, result->new_),
		    units__count(c, result->gone), units__count(d, result->conflicts));
	if (result->repeated)
		buf__printf(said, ", told twice %s", units__count(a, result->repeated));
	if (result->matched + result->gone + result->conflicts == 0)
		return;
	buf__add_str(said, "; error ");
	follow__add_rate(said, follow__rate(result->matched, result->gone, result->conflicts));
}

static int show_anchor(struct follow_view *view, const struct heading *heading,
		       const struct follow_anchor *anchor)
{
	struct follow_text *text = (struct follow_text *)view;
	struct buf said = BUF_INIT, time = BUF_INIT;
	struct wrap wrap = { terminal__text_columns(text->terminal), NULL, INDENT, WRAP_NAMES };
	size_t column;

	if (text->live)
		return 0;
	collections__add_time(&time, &text->options, heading, anchor->time_ns);
	buf__add_repeated(&text->out, ' ', time.len < INDENT - 1 ? INDENT - 1 - time.len : 0);
	column = time.len < INDENT - 1 ? INDENT : time.len + 1;
	buf__printf(&text->out, "%s%s%s ", terminal__on(text->terminal, STYLE_DIM), buf__str(&time),
		    terminal__off(text->terminal, STYLE_DIM));
	if (text->several)
		buf__printf(&said, "pid %" PRIu64 ", ", heading->pid);
	say_anchor(&said, anchor);
	wrap__add(&text->out, &wrap, column, buf__str(&said));
	buf__add_char(&text->out, '\n');
	text->out.error = text->out.error ? text->out.error : said.error;
	buf__free(&said);
	buf__free(&time);
	return output__flush(text->output, &text->out);
}

/* ---------------------------------------------------------------- one object's history */

static void add_object(struct buf *out, const struct terminal *terminal,
		       const struct heading *heading, const struct follow_object *object)
{
	char size[UNITS_TEXT];

	buf__printf(out, "%s# object %" PRIu64 " of pid %" PRIu64 ": ",
		    terminal__on(terminal, STYLE_DIM), object->id, heading->pid);
	if (object->type.bytes)
		escape__add(out, object->type.at, object->type.bytes);
	else
		buf__printf(out, "class %" PRIu64 " without a name", object->class_);
	if (object->size != EVENT_UNKNOWN)
		buf__printf(out, ", %s", units__bytes(size, object->size));
	buf__printf(out, "%s\n", terminal__off(terminal, STYLE_DIM));
}

static void say_end(struct buf *said, const struct follow_object *object)
{
	switch (object->fate) {
	case OBJECT_DEAD:
		buf__add_str(said, "died: condemned, and in no range");
		break;
	case OBJECT_GONE:
		buf__printf(said, "gone: not in dump %" PRIu64, object->anchor);
		break;
	case OBJECT_CONFLICT:
		if (object->anchor)
			buf__printf(said, "conflict: another one in dump %" PRIu64, object->anchor);
		else
			buf__add_str(said, "conflict: another one was born there");
		break;
	case OBJECT_WITHDRAWN:
		buf__add_str(said, "withdrawn: may live, may not");
		break;
	}
}

static void say_step(struct buf *said, const struct follow_object *object)
{
	switch (object->step) {
	case FOLLOW_SEEN:
		if (object->anchor)
			buf__printf(said, "seen in dump %" PRIu64, object->anchor);
		else
			buf__add_str(said, object->born ? "its allocation was seen" : "found here");
		break;
	case FOLLOW_MOVED:
		buf__add_str(said, object->promoted ? "moved, promoted" : "moved");
		break;
	case FOLLOW_STAYED:
		buf__add_str(said, "survived where it was");
		break;
	case FOLLOW_UNTOUCHED:
		buf__add_str(said, "not collected");
		break;
	case FOLLOW_MATCHED:
		buf__printf(said, "there in dump %" PRIu64, object->anchor);
		break;
	case FOLLOW_LEFT:
		say_end(said, object);
		break;
	}
}

static int show_object(struct follow_view *view, const struct heading *heading,
		       const struct follow_object *object)
{
	struct follow_text *text = (struct follow_text *)view;
	struct table *table = &text->steps;
	struct buf said = BUF_INIT;
	char number[UNITS_TEXT];

	if (object->first) {
		add_object(&text->out, text->terminal, heading, object);
		text->titles = TITLES_NONE;
	}
	add_titles(text, TITLES_STEPS, table);
	collections__cell_time(table, &text->options, heading, object->time_ns);
	number_cell(table, object->gc);
	table__cell_short(table, STYLE_PLAIN, object->what.at, object->what.bytes);
	table__cell_printf(table, STYLE_PLAIN, "0x%" PRIx64, object->address);
	number_cell(table, object->generation);
	table__cell(table, STYLE_PLAIN, follow__age(number, object->age, object->born));
	table__cell(table, STYLE_PLAIN, follow__age(number, object->moves, object->born));
	say_step(&said, object);
	buf__add_str(&said, object->in_doubt ? ", in doubt" : "");
	table__cell(table, object->step == FOLLOW_LEFT ? STYLE_NOTICE : STYLE_PLAIN,
		    buf__str(&said));
	table__end_row(table, &text->out);
	text->out.error = text->out.error ? text->out.error : said.error;
	buf__free(&said);
	return output__flush(text->output, &text->out);
}

/* ---------------------------------------------------------------- what is known */

static int show_state(struct follow_view *view, const struct heading *heading,
		      const struct follow_state *state)
{
	struct follow_text *text = (struct follow_text *)view;

	(void)heading;
	if (text->live && screen__clear(&text->screen))
		return text->output->error;
	follow__add_types(&text->out, text->terminal, state, SIZE_MAX);
	follow__add_state(&text->out, text->terminal, state);
	if (state->figures.in_doubt || (state->doubted && !text->live))
		follow__add_doubt_legend(&text->out, text->terminal);
	text->titles = TITLES_NONE;
	return output__flush(text->output, &text->out);
}

static void say_known(struct buf *said, const struct follow_state *state)
{
	const struct identity_figures *is = &state->figures.is;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	buf__printf(said, ": %s object%s known%s, %s; %" PRIu64 " collection%s, %" PRIu64
			  " dump%s, error rate ",
		    units__count(a, state->known.objects), units__s(state->known.objects),
		    state->figures.in_doubt ? " " FOLLOW_DOUBT : "",
		    units__bytes(b, state->known.bytes), is->collections,
		    units__s(is->collections), is->anchors, units__s(is->anchors));
	follow__add_rate(said, follow__rate(is->matched, is->gone, is->conflicts));
}

static void add_wrapped(struct follow_text *text, const struct terminal *plain,
			const struct buf *said)
{
	struct wrap wrap = { terminal__text_columns(plain), NULL, 2, WRAP_NAMES };

	wrap__add(&text->out, &wrap, 0, buf__str(said));
	buf__add_char(&text->out, '\n');
	text->out.error = text->out.error ? text->out.error : said->error;
}

#define ROWS_FOR_LEAK 20 /* fewer are for the table alone */

static void add_status(struct follow_text *text, const struct terminal *plain,
		       const struct heading *heading, const struct follow_state *state, size_t rows)
{
	const struct identity_figures *is = &state->figures.is;
	struct buf said = BUF_INIT;

	buf__printf(&said, "pid %" PRIu64 " at ", heading->pid);
	collections__add_time(&said, &text->options, heading, state->now_ns);
	if (is->seen)
		say_known(&said, state);
	else
		buf__printf(&said, ": no object is known yet; %" PRIu64 " collection%s",
			    is->collections, units__s(is->collections));
	add_wrapped(text, plain, &said);
	buf__free(&said);
	if (!is->seen)
		return;
	add_wrapped(text, plain, &text->status);
	follow__add_no_types(&text->out, plain, state);
	if (rows >= ROWS_FOR_LEAK)
		follow__add_worst_leak(&text->out, plain, state);
	if (state->figures.in_doubt)
		follow__add_doubt_legend(&text->out, plain);
}

static int paint(struct follow_view *view, const struct heading *heading,
		 const struct follow_state *state)
{
	struct follow_text *text = (struct follow_text *)view;
	const size_t rows = screen__rows(&text->screen);
	const struct terminal *plain;
	size_t others = 2; /* titles, the rest */

	if (!text->live)
		return 0;
	plain = screen__plain(&text->screen);
	add_status(text, plain, heading, state, rows);
	for (const char *at = buf__str(&text->out); (at = strchr(at, '\n')); at++)
		others++;
	follow__add_types(&text->out, plain, state, rows > others ? rows - others : 0);
	return screen__show(&text->screen, &text->out);
}

/* Lines of others stand above now. */
static int see_heading(struct follow_view *view, bool several)
{
	struct follow_text *text = (struct follow_text *)view;

	text->titles = TITLES_NONE;
	text->several = several;
	fit_columns(text);
	return text->live ? screen__clear(&text->screen) : 0;
}

/* ---------------------------------------------------------------- life */

static void free_view(struct follow_view *view)
{
	struct follow_text *text = (struct follow_text *)view;

	columns__free(&text->columns);
	table__free(&text->steps);
	screen__free(&text->screen);
	buf__free(&text->out);
	buf__free(&text->status);
	free(text);
}

static const struct follow_view_form form = { show_anchor, show_collection, show_blocks,
					      show_object, show_state,	    paint,
					      see_heading, free_view };

struct follow_view *follow_text__new(const struct view_options *options, struct output *output,
				     const struct terminal *terminal, bool live)
{
	struct follow_text *text = calloc(1, sizeof(*text));

	if (!text) {
		error("out of memory");
		return NULL;
	}
	text->view.form = &form;
	text->options = *options;
	text->output = output;
	text->terminal = terminal;
	text->live = live;
	text->several = options->several;
	screen__init(&text->screen, terminal, output);
	columns__init(&text->columns, terminal);
	table__init(&text->steps, step_columns, STEP_COLUMNS, terminal);
	fit_columns(text);
	return &text->view;
}
