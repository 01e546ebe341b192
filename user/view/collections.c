/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace for people: one line a collection.
 *
 * The columns fit into 100, or into the terminal: what does not fit is left out as a whole, the
 * least important first, never cut. Columns of which no process tells anything are left out, too.
 * Lines are made when the collection is over, so they come in
 * the order of ends; the time is that of the start.
 */
#include "collections.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/vec.h"
#include "output.h"
#include "table.h"

#define WIDTH 100	    /* where the output is no terminal */
#define CAUSE_WIDEST 40	    /* with room to spare: HotSpot's longest */
#define WHAT_WIDEST 11	    /* HotSpot's and Ruby's longest */
#define OBJECTS_COLUMNS 10  /* "12.3 k obj" */
#define PID_NARROWEST 5
#define CUT "..."	    /* behind a part of a cause */
#define MARKS 4		    /* columns behind the last one: a blank and three marks */
#define LINES_PER_TITLES 40 /* on a terminal */
#define LONG_PAUSE_NS (100 * NS_PER_MS)

enum cell {
	CELL_TIME,
	CELL_PID,
	CELL_NUMBER,
	CELL_WHAT,
	CELL_CAUSE,
	CELL_PAUSE,
	CELL_BEFORE,
	CELL_AFTER,
	CELL_MOVED,
	CELL_SURVIVED,
	CELL_DEAD,
	CELLS
};

static const struct column all_columns[CELLS] = {
	[CELL_TIME] = { "time s", 8, ALIGN_RIGHT },
	[CELL_PID] = { "pid", PID_NARROWEST, ALIGN_RIGHT },
	[CELL_NUMBER] = { "gc", 5, ALIGN_RIGHT },
	[CELL_WHAT] = { "what", 8, ALIGN_LEFT },
	[CELL_CAUSE] = { "cause", 10, ALIGN_LEFT },
	[CELL_PAUSE] = { "pause", UNITS_NS_COLUMNS, ALIGN_RIGHT },
	[CELL_BEFORE] = { "before", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_AFTER] = { "after", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_MOVED] = { "moved", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_SURVIVED] = { "survived", 1 + UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_DEAD] = { "dead", 1 + UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
};

/* Left out where there is no room, in this order. */
static const enum cell dispensable[] = { CELL_MOVED, CELL_SURVIVED, CELL_CAUSE,
					 CELL_DEAD,  CELL_BEFORE,   CELL_AFTER };

/* Marks that occurred in lines of a target; the legend below its figures explains them. */
struct target_marks {
	uint32_t target;
	unsigned int marks; /* enum mark */
};

struct collections {
	struct view view;
	struct view_options options;
	struct output *output;
	const struct terminal *terminal;
	struct column columns[CELLS];
	enum cell cells[CELLS]; /* which those are */
	struct table table;
	size_t lines;	    /* since the titles; 0: titles are due */
	size_t fitted;	    /* the terminal's width that the columns were chosen for */
	unsigned int told;  /* enum known: by any of the processes so far */
	uint64_t pid;	    /* of the first target */
	uint64_t pid_most;  /* of all */
	bool headed;	    /* there is one */
	VEC(struct target_marks) marks; /* of those that have not ended */
	struct buf out;
};

/* ---------------------------------------------------------------- columns */

static size_t room(const struct collections *collections)
{
	size_t columns = collections->terminal->columns;

	return columns > 0 ? columns : WIDTH;
}

static void remove_column(struct collections *collections, enum cell cell)
{
	size_t kept = 0;

	for (size_t i = 0; i < collections->table.count; i++) {
		if (collections->cells[i] == cell)
			continue;
		collections->columns[kept] = collections->columns[i];
		collections->cells[kept++] = collections->cells[i];
	}
	collections->table.count = kept;
}

static struct column *column_of(struct collections *collections, enum cell cell)
{
	for (size_t i = 0; i < collections->table.count; i++)
		if (collections->cells[i] == cell)
			return &collections->columns[i];
	return NULL;
}

static bool column_shown(const struct collections *collections, enum cell cell)
{
	for (size_t i = 0; i < collections->table.count; i++)
		if (collections->cells[i] == cell)
			return true;
	return false;
}

static size_t digits(uint64_t number)
{
	size_t count = 1;

	while (number /= 10)
		count++;
	return count;
}

/* All that these processes tell of, as if there was room. */
static void take_columns(struct collections *collections)
{
	struct column *columns = collections->columns;

	collections->table.count = CELLS;
	for (size_t i = 0; i < CELLS; i++) {
		columns[i] = all_columns[i];
		collections->cells[i] = (enum cell)i;
	}
	if (collections->options.timestamps)
		columns[CELL_TIME] = (struct column){ "time", CLOCK_RFC3339_COLUMNS, ALIGN_LEFT };
	columns[CELL_PID].width = digits(collections->pid_most);
	if (columns[CELL_PID].width < PID_NARROWEST)
		columns[CELL_PID].width = PID_NARROWEST;
	if (!(collections->told & KNOWN_MOVES)) {
		columns[CELL_WHAT].width = WHAT_WIDEST;
		columns[CELL_DEAD].width = OBJECTS_COLUMNS;
		remove_column(collections, CELL_MOVED);
		remove_column(collections, CELL_SURVIVED);
	}
	if (!(collections->told & (KNOWN_MOVES | KNOWN_DEATHS)))
		remove_column(collections, CELL_DEAD);
	if (!(collections->told & KNOWN_POOLS)) {
		remove_column(collections, CELL_BEFORE);
		remove_column(collections, CELL_AFTER);
	}
	if (!collections->options.several)
		remove_column(collections, CELL_PID);
}

static void fit_columns(struct collections *collections)
{
	struct table *table = &collections->table;
	size_t width = room(collections), spare;
	struct column *cause;

	take_columns(collections);
	for (size_t i = 0; i < sizeof(dispensable) / sizeof(*dispensable); i++)
		if (table__width(table) + MARKS > width)
			remove_column(collections, dispensable[i]);
	cause = column_of(collections, CELL_CAUSE);
	/* One more, for the fourth mark, is not worth a column. */
	spare = table__width(table) + MARKS + 1;
	spare = width > spare ? width - spare : 0;
	if (cause)
		cause->width = cause->width + spare < CAUSE_WIDEST ? cause->width + spare
								   : CAUSE_WIDEST;
	collections->fitted = collections->terminal->columns;
}

/* What is told for the first time needs its column: the titles come again. */
static void make_room_for(struct collections *collections, unsigned int told)
{
	if (!(told & ~collections->told))
		return;
	collections->told |= told;
	fit_columns(collections);
	collections->lines = 0;
}

static unsigned int told_by(const struct collection *collection)
{
	bool moves = collection->moved.bytes.known || collection->moved.objects.known ||
		     collection->survived.bytes.known || collection->survived.objects.known;
	bool sizes = collection->before_bytes != EVENT_UNKNOWN ||
		     collection->after_bytes != EVENT_UNKNOWN;

	return (moves ? KNOWN_MOVES : 0) | (sizes ? KNOWN_POOLS : 0) |
	       (collection->dead.bytes.known || collection->dead.objects.known ? KNOWN_DEATHS : 0);
}

/* ---------------------------------------------------------------- marks */

/* NULL: no memory, which the output will tell. */
static unsigned int *marks_of_target(struct collections *collections, uint32_t target)
{
	struct target_marks new = { .target = target };

	for (size_t i = collections->marks.count; i-- > 0;)
		if (collections->marks.items[i].target == target)
			return &collections->marks.items[i].marks;
	if (vec__push(&collections->marks, new)) {
		collections->out.error = -ENOMEM;
		return NULL;
	}
	return &collections->marks.items[collections->marks.count - 1].marks;
}

static void note_marks(struct collections *collections, uint32_t target, unsigned int used)
{
	unsigned int *marks = used ? marks_of_target(collections, target) : NULL;

	if (marks)
		*marks |= used;
}

/* Those whose legend is due now. */
static unsigned int take_marks(struct collections *collections, uint32_t target)
{
	for (size_t i = 0; i < collections->marks.count; i++) {
		struct target_marks found = collections->marks.items[i];

		if (found.target != target)
			continue;
		collections->marks.items[i] =
			collections->marks.items[--collections->marks.count];
		return found.marks;
	}
	return 0;
}

/* ---------------------------------------------------------------- cells */

void collections__add_time(struct buf *out, const struct view_options *options,
			   const struct heading *heading, uint64_t ns)
{
	uint64_t ms;

	if (ns == EVENT_UNKNOWN) {
		buf__add_char(out, '-');
		return;
	}
	if (options->timestamps) {
		clock__add_rfc3339(out, (int64_t)ns + (heading ? heading->clock_offset_ns : 0),
				   false);
		return;
	}
	ms = (ns < options->start_ns ? options->start_ns - ns : ns - options->start_ns) / NS_PER_MS;
	if (ns < options->start_ns && ms > 0)
		buf__add_char(out, '-');
	buf__printf(out, "%" PRIu64 ".%03u", ms / 1000, (unsigned int)(ms % 1000));
}

static void time_cell(struct collections *collections, const struct heading *heading,
		      uint64_t start_ns, uint64_t end_ns)
{
	struct buf text = BUF_INIT;

	collections__add_time(&text, &collections->options, heading,
			      start_ns != EVENT_UNKNOWN ? start_ns : end_ns);
	table__cell(&collections->table, STYLE_DIM, buf__str(&text));
	if (text.error)
		collections->out.error = text.error;
	buf__free(&text);
}

static void bytes_cell(struct collections *collections, uint64_t bytes)
{
	char text[UNITS_TEXT];

	table__cell(&collections->table, STYLE_PLAIN,
		    bytes == EVENT_UNKNOWN ? NULL : units__bytes_column(text, bytes));
}

/* Would a text that ends there end inside a character? */
static bool begins_inside(struct text text, size_t bytes)
{
	return bytes < text.bytes && ((unsigned char)text.at[bytes] & 0xc0) == 0x80;
}

static void text_cell(struct collections *collections, enum style style, struct text text)
{
	if (text.bytes > 0)
		table__cell_bytes(&collections->table, style, text.at, text.bytes);
	else
		table__cell(&collections->table, style, NULL);
}

/*
 * The runtime's longest causes do not fit where room is short: a part of one and dots, so that what
 * stands behind it stays below its titles. A part is of whole characters as they are escaped.
 */
static void cause_cell(struct collections *collections, struct text cause)
{
	const size_t width = column_of(collections, CELL_CAUSE)->width;
	const size_t room = width - strlen(CUT);
	struct buf text = BUF_INIT;
	size_t bytes = cause.bytes;

	escape__add(&text, cause.at, bytes);
	if (utf8__columns(buf__str(&text), text.len) > width) {
		for (bytes = bytes < room ? bytes : room; bytes > 0; bytes--) {
			buf__reset(&text);
			escape__add(&text, cause.at, bytes);
			if (utf8__columns(buf__str(&text), text.len) <= room &&
			    !begins_inside(cause, bytes))
				break;
		}
		if (bytes == 0)
			buf__reset(&text);
		buf__add_str(&text, CUT);
	}
	table__cell_escaped(&collections->table, STYLE_PLAIN, text.len ? buf__str(&text) : NULL);
	if (text.error)
		collections->out.error = text.error;
	buf__free(&text);
}

static void pause_cell(struct collections *collections, uint64_t ns)
{
	char text[UNITS_TEXT];

	table__cell(&collections->table, ns != EVENT_UNKNOWN && ns >= LONG_PAUSE_NS ? STYLE_NOTICE
										   : STYLE_PLAIN,
		    ns == EVENT_UNKNOWN ? NULL : units__ns_column(text, ns));
}

/*
 * "12.3 MiB", "~12.3 MiB", "45 obj", "-". The sign stands at the figure, in the place of the
 * padding where there is some. Where both are told the bytes have the room.
 */
static void portion_cell(struct collections *collections, const struct portion *portion)
{
	bool bytes = portion->bytes.known;
	const struct amount *amount = bytes ? &portion->bytes : &portion->objects;
	char text[UNITS_TEXT];
	size_t blanks;

	if (!amount->known) {
		table__cell(&collections->table, STYLE_PLAIN, NULL);
		return;
	}
	if (bytes)
		units__bytes_column(text, amount->value);
	else
		units__count(text, amount->value);
	blanks = strspn(text, " ");
	table__cell_printf(&collections->table, STYLE_PLAIN, "%s%s%s",
			   amount->estimated ? "~" : "", text + blanks, bytes ? "" : " obj");
}

static unsigned int marks_of_portion(const struct portion *portion)
{
	bool estimated = portion->bytes.known ? portion->bytes.estimated
					      : portion->objects.estimated;

	return estimated ? MARK_ESTIMATED : 0;
}

static void marks_cell(struct collections *collections, unsigned int marks)
{
	char text[8];
	size_t length = 0;

	if (!marks)
		return;
	if (marks & MARK_CONCURRENT)
		text[length++] = 'c';
	if (marks & MARK_PARTIAL)
		text[length++] = 'p';
	if (marks & MARK_INCOMPLETE)
		text[length++] = 'i';
	if (marks & MARK_CUT_OFF)
		text[length++] = 'x';
	buf__add_char(&collections->table.row, ' ');
	buf__add_str(&collections->table.row,
		     terminal__on(collections->terminal, marks & ~MARK_CONCURRENT ? STYLE_BAD
										  : STYLE_DIM));
	buf__add(&collections->table.row, text, length);
	buf__add_str(&collections->table.row,
		     terminal__off(collections->terminal,
				   marks & ~MARK_CONCURRENT ? STYLE_BAD : STYLE_DIM));
}

static unsigned int marks_of(const struct collection *collection)
{
	return (collection->concurrent ? MARK_CONCURRENT : 0) |
	       (collection->partial ? MARK_PARTIAL : 0) |
	       (collection->incomplete ? MARK_INCOMPLETE : 0) |
	       (collection->cut_off ? MARK_CUT_OFF : 0);
}

static void cell(struct collections *collections, enum cell cell, const struct heading *heading,
		 const struct collection *collection)
{
	struct table *table = &collections->table;

	switch (cell) {
	case CELL_TIME:
		time_cell(collections, heading, collection->start_ns, collection->end_ns);
		break;
	case CELL_PID:
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, heading->pid);
		break;
	case CELL_NUMBER:
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, collection->number);
		break;
	case CELL_WHAT:
		text_cell(collections, STYLE_PLAIN, collection->what);
		break;
	case CELL_CAUSE:
		cause_cell(collections, collection->cause);
		break;
	case CELL_PAUSE:
		pause_cell(collections, collection->pause_ns);
		break;
	case CELL_BEFORE:
		bytes_cell(collections, collection->before_bytes);
		break;
	case CELL_AFTER:
		bytes_cell(collections, collection->after_bytes);
		break;
	case CELL_MOVED:
		portion_cell(collections, &collection->moved);
		break;
	case CELL_SURVIVED:
		portion_cell(collections, &collection->survived);
		break;
	default:
		portion_cell(collections, &collection->dead);
	}
}

/* The signs in its line and, with -v, below it. */
static unsigned int signs_of(const struct collections *collections,
			     const struct collection *collection)
{
	unsigned int signs = marks_of(collection);

	if (column_shown(collections, CELL_SURVIVED))
		signs |= marks_of_portion(&collection->survived);
	if (column_shown(collections, CELL_DEAD))
		signs |= marks_of_portion(&collection->dead);
	if (collections->options.verbose)
		signs |= marks_of_portion(&collection->condemned) |
			 marks_of_portion(&collection->promoted);
	return signs;
}

/* ---------------------------------------------------------------- lines */

static int flush(struct collections *collections)
{
	struct buf *out = &collections->out;
	int err = out->error;

	if (err)
		error("out of memory");
	else
		err = output__write(collections->output, buf__str(out), out->len);
	buf__reset(out);
	return err;
}

static void add_titles(struct collections *collections)
{
	bool again = collections->lines >= LINES_PER_TITLES && collections->terminal->is_terminal;
	bool resized = collections->fitted != collections->terminal->columns;

	if (resized)
		fit_columns(collections);
	if (collections->lines == 0 || again || resized) {
		table__titles(&collections->table, &collections->out);
		collections->lines = 0;
	}
	collections->lines++;
}

static int show_heading(struct view *view, const struct heading *heading)
{
	struct collections *collections = (struct collections *)view;

	/* A second process may join later: lines need its pid from there on. */
	if (collections->headed && heading->pid != collections->pid)
		collections->options.several = true;
	collections->pid = collections->headed ? collections->pid : heading->pid;
	if (heading->pid > collections->pid_most)
		collections->pid_most = heading->pid;
	collections->headed = true;
	collections->told |= heading->known;
	fit_columns(collections);
	collections__add_heading(&collections->out, collections->terminal, heading);
	collections->lines = 0;
	return flush(collections);
}

static int show_collection(struct view *view, const struct heading *heading,
			   const struct collection *collection)
{
	struct collections *collections = (struct collections *)view;

	make_room_for(collections, told_by(collection));
	add_titles(collections);
	note_marks(collections, heading->target, signs_of(collections, collection));
	for (size_t i = 0; i < collections->table.count; i++)
		cell(collections, collections->cells[i], heading, collection);
	marks_cell(collections, marks_of(collection));
	table__end_row(&collections->table, &collections->out);
	if (collections->options.verbose)
		collections__add_details(&collections->out, collections->terminal,
					 &collections->options, heading, collection);
	return flush(collections);
}

/* Those of collections stand with them; here are the others. */
static int show_pause(struct view *view, const struct heading *heading, const struct pause *pause,
		      unsigned int count)
{
	struct collections *collections = (struct collections *)view;

	if (count > 0 || !collections->options.verbose)
		return 0;
	add_titles(collections);
	collections__add_pause(&collections->out, collections->terminal, &collections->options,
			       heading, pause);
	return flush(collections);
}

static int show_results(struct view *view, const struct results *results)
{
	struct collections *collections = (struct collections *)view;

	collections__add_results(&collections->out, collections->terminal, &collections->options,
				 results,
				 results->of ? take_marks(collections, results->of->target) : 0);
	collections->lines = 0;
	return flush(collections);
}

static void free_view(struct view *view)
{
	struct collections *collections = (struct collections *)view;

	table__free(&collections->table);
	vec__free(&collections->marks);
	buf__free(&collections->out);
	free(collections);
}

static const struct view_form form = { show_heading, show_collection, show_pause, show_results,
				       free_view };

struct view *collections_view__new(const struct view_options *options, struct output *output,
				   const struct terminal *terminal)
{
	struct collections *collections = calloc(1, sizeof(*collections));

	if (!collections) {
		error("out of memory");
		return NULL;
	}
	collections->view.form = &form;
	collections->options = *options;
	collections->output = output;
	collections->terminal = terminal;
	table__init(&collections->table, collections->columns, CELLS, terminal);
	fit_columns(collections);
	return &collections->view;
}
