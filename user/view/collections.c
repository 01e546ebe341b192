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
#include "columns.h"
#include "output.h"

#define CAUSE_WIDEST 40	      /* with room to spare: HotSpot's longest */
#define WHAT_WIDEST 24
#define WHAT_WITHOUT_MOVES 11 /* HotSpot's and Ruby's longest */
#define CAUSE_WITH_FATES 19   /* HotSpot's most frequent ones */
#define OBJECTS_COLUMNS 10    /* "12.3 k obj" */
#define PID_NARROWEST 5
#define MARKS 4 /* columns behind the last one: a blank and three marks */
#define FATES (KNOWN_FATES | KNOWN_SAMPLES)
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
	CELL_PROMOTED,
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
	[CELL_PROMOTED] = { "promoted", 1 + UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_DEAD] = { "dead", 1 + UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
};

/* Left out where there is no room, in this order. */
static const unsigned int dispensable[] = { CELL_PROMOTED, CELL_MOVED,	CELL_SURVIVED, CELL_CAUSE,
					    CELL_DEAD,	   CELL_BEFORE, CELL_AFTER };

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
	struct columns columns;
	size_t lines;	    /* since the titles; 0: titles are due */
	size_t what_most;   /* width of the longest kind so far */
	unsigned int told;  /* enum known: by any of the processes so far */
	uint64_t pid;	    /* of the first target */
	uint64_t pid_most;  /* of all */
	bool headed;	    /* there is one */
	VEC(struct target_marks) marks; /* of those that have not ended */
	struct buf out;
};

/* ---------------------------------------------------------------- columns */

static size_t digits(uint64_t number)
{
	size_t count = 1;

	while (number /= 10)
		count++;
	return count;
}

/* Where pools and samples tell what became of objects the cause is worth more than they are. */
static void take_fates(struct collections *collections)
{
	struct columns *columns = &collections->columns;
	const unsigned int told = collections->told;

	if (!(told & (KNOWN_MOVES | FATES))) {
		columns__find(columns, CELL_WHAT)->width = WHAT_WITHOUT_MOVES;
		columns__find(columns, CELL_DEAD)->width = OBJECTS_COLUMNS;
		columns__remove(columns, CELL_MOVED);
		columns__remove(columns, CELL_SURVIVED);
	}
	if (!(told & (KNOWN_MOVES | KNOWN_DEATHS | FATES)))
		columns__remove(columns, CELL_DEAD);
	if (told & FATES) {
		columns__find(columns, CELL_CAUSE)->width = CAUSE_WITH_FATES;
		columns__find(columns, CELL_MOVED)->width = 1 + UNITS_BYTES_COLUMNS;
	} else {
		columns__remove(columns, CELL_PROMOTED);
	}
}

/* All that these processes tell of, as if there was room. */
static void take_columns(struct collections *collections)
{
	struct columns *columns = &collections->columns;
	struct column *pid;

	columns__all(columns, all_columns);
	if (collections->options.timestamps)
		*columns__find(columns, CELL_TIME) =
			(struct column){ "time", CLOCK_RFC3339_COLUMNS, ALIGN_LEFT };
	pid = columns__find(columns, CELL_PID);
	if (pid->width < digits(collections->pid_most))
		pid->width = digits(collections->pid_most);
	take_fates(collections);
	if (!(collections->told & (KNOWN_CAUSES | KNOWN_SOME_CAUSES)))
		columns__remove(columns, CELL_CAUSE);
	if (!(collections->told & KNOWN_POOLS)) {
		columns__remove(columns, CELL_BEFORE);
		columns__remove(columns, CELL_AFTER);
	}
	if (!collections->options.several)
		columns__remove(columns, CELL_PID);
}

static void fit_columns(struct collections *collections)
{
	struct columns *columns = &collections->columns;

	take_columns(collections);
	columns__fit(columns, dispensable, sizeof(dispensable) / sizeof(*dispensable), MARKS);
	/* One more, for the fourth mark, is not worth a column. */
	columns__widen(columns, CELL_WHAT, collections->what_most, MARKS + 1);
	columns__widen(columns, CELL_CAUSE, CAUSE_WIDEST, MARKS + 1);
}

static unsigned int told_by(const struct collection *collection)
{
	bool moves = collection->moved.bytes.known || collection->moved.objects.known ||
		     collection->survived.bytes.known || collection->survived.objects.known;
	bool sizes = collection->before_bytes != EVENT_UNKNOWN ||
		     collection->after_bytes != EVENT_UNKNOWN;

	return (moves ? KNOWN_MOVES : 0) | (sizes ? KNOWN_POOLS : 0) |
	       (collection->cause.bytes ? KNOWN_CAUSES : 0) |
	       (collection->dead.bytes.known || collection->dead.objects.known ? KNOWN_DEATHS : 0);
}

/* What is told for the first time needs its column. */
static bool needs_column(struct collections *collections, const struct collection *collection)
{
	const unsigned int told = told_by(collection);
	const unsigned int implied =
		(collections->told & KNOWN_MOVES ? KNOWN_DEATHS : 0) |
		(collections->told & KNOWN_SOME_CAUSES ? KNOWN_CAUSES : 0) |
		(collections->told & FATES ? KNOWN_MOVES | KNOWN_DEATHS : 0);
	const bool is_new = told & ~(collections->told | implied);

	collections->told |= told;
	return is_new;
}

/* So does the longest kind so far, if there is room for more of it. */
static bool needs_width(struct collections *collections, struct text what)
{
	const size_t width = table__text_width(&collections->columns.table, what.at, what.bytes);

	if (width <= collections->what_most || collections->what_most == WHAT_WIDEST)
		return false;
	collections->what_most = width < WHAT_WIDEST ? width : WHAT_WIDEST;
	return width > columns__find(&collections->columns, CELL_WHAT)->width;
}

/* Where columns change, the titles come again. */
static void make_room_for(struct collections *collections, const struct collection *collection)
{
	const bool wider = needs_width(collections, collection->what);

	if (!needs_column(collections, collection) && !wider)
		return;
	fit_columns(collections);
	collections->lines = 0;
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

void collections__cell_time(struct table *table, const struct view_options *options,
			    const struct heading *heading, uint64_t ns)
{
	struct buf text = BUF_INIT;

	collections__add_time(&text, options, heading, ns);
	table__cell(table, STYLE_DIM, text.error ? NULL : buf__str(&text));
	if (text.error)
		table->row.error = text.error;
	buf__free(&text);
}

static void bytes_cell(struct table *table, uint64_t bytes)
{
	char text[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN,
		    bytes == EVENT_UNKNOWN ? NULL : units__bytes_column(text, bytes));
}

static void pause_cell(struct table *table, uint64_t ns)
{
	const bool is_long = ns != EVENT_UNKNOWN && ns >= LONG_PAUSE_NS;
	char text[UNITS_TEXT];

	table__cell(table, is_long ? STYLE_NOTICE : STYLE_PLAIN,
		    ns == EVENT_UNKNOWN ? NULL : units__ns_column(text, ns));
}

/*
 * "12.3 MiB", "~12.3 MiB", "45 obj", "-". The sign stands at the figure, in the place of the
 * padding where there is some. Where both are told the bytes have the room.
 */
static void portion_cell(struct table *table, const struct portion *portion)
{
	bool bytes = portion->bytes.known;
	const struct amount *amount = bytes ? &portion->bytes : &portion->objects;
	char text[UNITS_TEXT];
	size_t blanks;

	if (!amount->known) {
		table__cell(table, STYLE_PLAIN, NULL);
		return;
	}
	if (bytes)
		units__bytes_column(text, amount->value);
	else
		units__count(text, amount->value);
	blanks = strspn(text, " ");
	table__cell_printf(table, STYLE_PLAIN, "%s%s%s", amount->estimated ? "~" : "",
			   text + blanks, bytes ? "" : " obj");
}

static unsigned int marks_of_portion(const struct portion *portion)
{
	bool estimated = portion->bytes.known ? portion->bytes.estimated
					      : portion->objects.estimated;

	return estimated ? MARK_ESTIMATED : 0;
}

static void marks_cell(struct collections *collections, unsigned int marks)
{
	const enum style style = marks & ~(MARK_CONCURRENT | MARK_SHARED) ? STYLE_BAD : STYLE_DIM;

	if (!marks)
		return;
	buf__printf(&collections->columns.table.row, " %s%s%s%s%s%s%s%s",
		    terminal__on(collections->terminal, style),
		    marks & MARK_CONCURRENT ? "c" : "", marks & MARK_SHARED ? "s" : "",
		    marks & MARK_TWO ? "2" : "", marks & MARK_PARTIAL ? "p" : "",
		    marks & MARK_INCOMPLETE ? "i" : "", marks & MARK_CUT_OFF ? "x" : "",
		    terminal__off(collections->terminal, style));
}

static unsigned int marks_of(const struct collection *collection)
{
	return (collection->concurrent ? MARK_CONCURRENT : 0) |
	       (collection->shares_stop ? MARK_SHARED : 0) |
	       (collection->may_be_two ? MARK_TWO : 0) |
	       (collection->partial ? MARK_PARTIAL : 0) |
	       (collection->incomplete ? MARK_INCOMPLETE : 0) |
	       (collection->cut_off ? MARK_CUT_OFF : 0);
}

static void cell(struct collections *collections, enum cell cell, const struct heading *heading,
		 const struct collection *collection)
{
	const struct text what = collection->what, cause = collection->cause;
	struct table *table = &collections->columns.table;

	switch (cell) {
	case CELL_TIME:
		collections__cell_time(table, &collections->options, heading,
				       collection->start_ns != EVENT_UNKNOWN ? collection->start_ns
									     : collection->end_ns);
		break;
	case CELL_PID:
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, heading->pid);
		break;
	case CELL_NUMBER:
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, collection->number);
		break;
	case CELL_WHAT:
		table__cell_short(table, STYLE_PLAIN, what.at, what.bytes);
		break;
	case CELL_CAUSE:
		table__cell_short(table, STYLE_PLAIN, cause.at, cause.bytes);
		break;
	case CELL_PAUSE:
		pause_cell(table, collection->pause_ns);
		break;
	case CELL_BEFORE:
		bytes_cell(table, collection->before_bytes);
		break;
	case CELL_AFTER:
		bytes_cell(table, collection->after_bytes);
		break;
	case CELL_MOVED:
		portion_cell(table, &collection->moved);
		break;
	case CELL_SURVIVED:
		portion_cell(table, &collection->survived);
		break;
	case CELL_PROMOTED:
		portion_cell(table, &collection->promoted);
		break;
	default:
		portion_cell(table, &collection->dead);
	}
}

/* The signs in its line and, with -v, below it. */
static unsigned int signs_of(struct collections *collections, const struct collection *collection)
{
	unsigned int signs = marks_of(collection);

	if (columns__find(&collections->columns, CELL_MOVED))
		signs |= marks_of_portion(&collection->moved);
	if (columns__find(&collections->columns, CELL_SURVIVED))
		signs |= marks_of_portion(&collection->survived);
	if (columns__find(&collections->columns, CELL_PROMOTED))
		signs |= marks_of_portion(&collection->promoted);
	if (columns__find(&collections->columns, CELL_DEAD))
		signs |= marks_of_portion(&collection->dead);
	if (collections->options.verbose)
		signs |= marks_of_portion(&collection->condemned) |
			 marks_of_portion(&collection->moved) |
			 marks_of_portion(&collection->promoted);
	return signs;
}

/* ---------------------------------------------------------------- lines */

static void add_titles(struct collections *collections)
{
	const bool resized = columns__resized(&collections->columns);

	if (resized)
		fit_columns(collections);
	if (collections->lines == 0 || resized ||
	    columns__titles_are_gone(&collections->columns, collections->lines)) {
		table__titles(&collections->columns.table, &collections->out);
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
	return output__flush(collections->output, &collections->out);
}

static int show_collection(struct view *view, const struct heading *heading,
			   const struct collection *collection)
{
	struct collections *collections = (struct collections *)view;

	make_room_for(collections, collection);
	add_titles(collections);
	note_marks(collections, heading->target, signs_of(collections, collection));
	for (size_t i = 0; i < collections->columns.table.count; i++)
		cell(collections, (enum cell)collections->columns.cells[i], heading, collection);
	marks_cell(collections, marks_of(collection));
	table__end_row(&collections->columns.table, &collections->out);
	if (collections->options.verbose)
		collections__add_details(&collections->out, collections->terminal,
					 &collections->options, heading, collection);
	return output__flush(collections->output, &collections->out);
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
	return output__flush(collections->output, &collections->out);
}

static int show_results(struct view *view, const struct results *results)
{
	struct collections *collections = (struct collections *)view;

	collections__add_results(&collections->out, collections->terminal, &collections->options,
				 results,
				 results->of ? take_marks(collections, results->of->target) : 0);
	collections->lines = 0;
	return output__flush(collections->output, &collections->out);
}

static void free_view(struct view *view)
{
	struct collections *collections = (struct collections *)view;

	columns__free(&collections->columns);
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
	columns__init(&collections->columns, terminal);
	fit_columns(collections);
	return &collections->view;
}
