/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of followed objects, type by type and all together: the end of the text. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "../base/escape.h"
#include "../base/shorten.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "follow_parts.h"
#include "table.h"

#define AGE_COLUMNS 7
#define CURVE_SHOWN 12 /* collections of a survival curve; -o json has all */
#define INDENT 13
#define LEGEND_INDENT 5

#define NAME_COLUMNS 20 /* for the name of a type, at least; a longer one is never cut */

enum type_cell {
	TYPE_ALIVE,
	TYPE_BYTES,
	TYPE_SEEN,
	TYPE_DIED,
	TYPE_PROMOTED,
	TYPE_COPIED,
	TYPE_AGE,
	TYPE_OLDEST,
	TYPE_NAME,
	TYPE_CELLS
};

static const struct column type_columns[TYPE_CELLS] = {
	[TYPE_ALIVE] = { "alive", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[TYPE_BYTES] = { "bytes", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[TYPE_SEEN] = { "seen", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[TYPE_DIED] = { "died", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[TYPE_PROMOTED] = { "promoted", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[TYPE_COPIED] = { "copied", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[TYPE_AGE] = { "age", AGE_COLUMNS, ALIGN_RIGHT },
	[TYPE_OLDEST] = { "oldest", AGE_COLUMNS, ALIGN_RIGHT },
	[TYPE_NAME] = { "type", NAME_COLUMNS, ALIGN_LEFT },
};

/* Left out where there is no room, in this order. */
static const enum type_cell dispensable[] = { TYPE_OLDEST, TYPE_PROMOTED, TYPE_COPIED, TYPE_SEEN,
					      TYPE_DIED, TYPE_AGE };

/* The columns that there is room for. */
struct type_table {
	struct table table;
	struct column columns[TYPE_CELLS];
	enum type_cell cells[TYPE_CELLS];
};

/* ---------------------------------------------------------------- types */

static void fit_columns(struct type_table *types, size_t width)
{
	struct table *table = &types->table;
	bool left_out[TYPE_CELLS] = { false };

	for (size_t i = 0;; i++) {
		table->count = 0;
		for (size_t cell = 0; cell < TYPE_CELLS; cell++) {
			if (left_out[cell])
				continue;
			types->columns[table->count] = type_columns[cell];
			types->cells[table->count++] = (enum type_cell)cell;
		}
		if (!width || table__width(table) <= width ||
		    i == sizeof(dispensable) / sizeof(*dispensable))
			return;
		left_out[dispensable[i]] = true;
	}
}

static void count_cell(struct table *table, uint64_t count)
{
	char text[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, units__count_column(text, count));
}

static void bytes_cell(struct table *table, uint64_t bytes)
{
	char text[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, units__bytes_column(text, bytes));
}

static void age_cell(struct table *table, uint32_t age, bool exact)
{
	char text[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, follow__age(text, age, exact));
}

static void name_cell(struct table *table, const struct follow_type *type)
{
	if (type->name.bytes)
		table__cell_name(table, STYLE_PLAIN, type->name.at, type->name.bytes);
	else
		table__cell_printf(table, STYLE_DIM, "(class %" PRIu64 " without a name)",
				   type->class_);
}

static void add_cell(struct table *table, enum type_cell cell, const struct follow_type *type)
{
	static const struct population_type none;
	const struct population_type *alive = type->alive ? type->alive : &none;
	const uint32_t median = population_type__median(alive);

	if ((cell == TYPE_AGE || cell == TYPE_OLDEST) && !alive->objects)
		table__cell(table, STYLE_DIM, NULL);
	else if (cell == TYPE_AGE)
		age_cell(table, median, !alive->unborn && median < POPULATION_AGES - 1);
	else if (cell == TYPE_OLDEST)
		age_cell(table, alive->oldest, !alive->unborn);
	else if (cell == TYPE_NAME)
		name_cell(table, type);
	else if (cell == TYPE_BYTES)
		bytes_cell(table, alive->bytes);
	else if (cell == TYPE_COPIED)
		bytes_cell(table, type->sums->moved.bytes);
	else
		count_cell(table, cell == TYPE_ALIVE  ? alive->objects
				  : cell == TYPE_SEEN ? type->sums->seen.objects
				  : cell == TYPE_DIED ? type->sums->died.objects
						      : type->sums->promoted.objects);
}

void follow__add_types(struct buf *out, const struct terminal *terminal,
		       const struct follow_state *state, size_t most)
{
	const size_t shown = state->types_shown < most ? state->types_shown : most;
	struct type_table types = { .cells = { TYPE_ALIVE } };

	if (!shown)
		return;
	table__init(&types.table, types.columns, TYPE_CELLS, terminal);
	fit_columns(&types, terminal->columns);
	table__titles(&types.table, out);
	for (size_t i = 0; i < shown; i++) {
		for (size_t cell = 0; cell < types.table.count; cell++)
			add_cell(&types.table, types.cells[cell], &state->types[i]);
		table__end_row(&types.table, out);
	}
	if (shown < state->type_count)
		buf__printf(out, "  %zu of %zu types, those with the most bytes alive\n", shown,
			    state->type_count);
	table__free(&types.table);
}

/* ---------------------------------------------------------------- all together */

/* "  name       text, which goes on below itself" */
static void add_line(struct buf *out, const struct terminal *terminal, const char *name,
		     struct buf *text)
{
	const struct wrap wrap = { terminal__text_columns(terminal), NULL, INDENT, WRAP_NAMES };

	buf__printf(out, "  %-10s ", name);
	wrap__add(out, &wrap, INDENT, buf__str(text));
	buf__add_char(out, '\n');
	if (text->error)
		out->error = text->error;
	buf__reset(text);
}

static const char *ordinal(unsigned int n)
{
	if (n % 100 / 10 == 1)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static void add_curve(struct buf *text, const struct survival_curve *curve)
{
	const char *before = ": ";
	char count[UNITS_TEXT], share[UNITS_TEXT];

	if (!curve->born) {
		buf__add_str(text, "not known: no birth was observed (the runtime tells no"
				   " allocations, or nothing was allocated)");
		return;
	}
	buf__printf(text, "of %s observed births, the share that survives its n-th collection",
		    units__count(count, curve->born));
	for (unsigned int n = 0; n < SURVIVAL_AGES; n++) {
		const uint64_t risk = curve->survived[n] + curve->died[n];

		if (!risk)
			continue;
		if (n >= CURVE_SHOWN) {
			buf__add_str(text, ", and so on (-o json tells all)");
			break;
		}
		buf__printf(text, "%s%u%s %s", before, n + 1, ordinal(n + 1),
			    follow__share(share, curve->survived[n], risk));
		before = ", ";
	}
}

/* Ages in ranges that double: 0, 1, 2-3, 4-7, ... */
static bool add_ages(struct buf *text, const uint64_t ages[POPULATION_AGES], const char *before)
{
	char count[UNITS_TEXT];
	bool any = false;

	for (uint32_t low = 0, high; low < POPULATION_AGES; low = high + 1) {
		uint64_t sum = 0;

		high = low == 0 ? 0 : 2 * low - 1;
		if (high >= POPULATION_AGES - 1)
			high = POPULATION_AGES - 1;
		for (uint32_t i = low; i <= high; i++)
			sum += ages[i];
		if (!sum)
			continue;
		buf__printf(text, "%s%s at ", any ? ", " : before, units__count(count, sum));
		any = true;
		if (high == POPULATION_AGES - 1)
			buf__printf(text, "%u or more", low);
		else if (low == high)
			buf__printf(text, "%u", low);
		else
			buf__printf(text, "%u to %u", low, high);
	}
	return any;
}

static void add_histogram(struct buf *text, const struct population_ages *ages)
{
	bool any = add_ages(text, ages->exact, "born under our eyes: ");

	any |= add_ages(text, ages->least, any ? "; seen first later, so at least: "
					       : "at least (no birth was observed): ");
	if (!any)
		buf__add_str(text, "nothing known is alive");
}

static void add_dumps(struct buf *text, const struct follow_figures *figures)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];

	if (!figures->is.anchors) {
		buf__add_str(text, "none: only objects whose allocation was sampled are known");
		return;
	}
	buf__printf(text, "%" PRIu64 ": matched %s, new %s, gone %s, conflicts %s; error rate of"
			  " the model ",
		    figures->is.anchors, units__count(a, figures->is.matched),
		    units__count(b, figures->new_), units__count(c, figures->is.gone),
		    units__count(d, figures->is.conflicts));
	follow__add_rate(text, follow__rate(figures->is.matched, figures->is.gone,
					    figures->is.conflicts));
	if (figures->is.beside)
		buf__printf(text, "; %" PRIu64 " object%s came outside of any dump and %s not"
				  " taken",
			    figures->is.beside, units__s(figures->is.beside),
			    figures->is.beside == 1 ? "was" : "were");
	if (figures->is.stray_births)
		buf__printf(text, "; %" PRIu64 " birth%s where another object was thought to live",
			    figures->is.stray_births, units__s(figures->is.stray_births));
}

static void add_objects(struct buf *text, const struct follow_state *state)
{
	const struct identity_figures *is = &state->figures.is;
	const bool is_in_doubt = state->figures.in_doubt;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT], e[UNITS_TEXT];

	buf__printf(text, "%s alive (%s)%s; %s seen, %s died, %s withdrawn (may live, may not)",
		    units__count(a, state->known.objects), units__bytes(b, state->known.bytes),
		    is_in_doubt ? " " FOLLOW_DOUBT : "",
		    units__count(c, is->seen), units__count(d, is->died),
		    units__count(e, is->withdrawn));
}

static void add_odd(struct buf *out, const struct terminal *terminal, struct buf *text,
		    const struct relocation_odd *odd)
{
	static const char *const words[ODDITIES] = {
		[ODD_EMPTY] = "ranges of no length",
		[ODD_WRAPPED] = "ranges that reach around the end of the addresses",
		[ODD_OVERRUN] = "ranges that begin in the heap and end outside",
		[ODD_CONTRADICTORY] = "ranges that overlap another one that goes elsewhere",
		[ODD_ONTO_LIVE] = "ranges that move onto a living object",
		[ODD_CLASH] = "addresses at which several objects came to lie",
	};

	for (size_t i = 0; i < ODDITIES; i++) {
		const struct range *first = &odd->first[i];

		if (!odd->counts[i])
			continue;
		buf__printf(text, "%" PRIu64 " %s", odd->counts[i], words[i]);
		if (i != ODD_CLASH)
			buf__printf(text, "; the first: 0x%" PRIx64 " to 0x%" PRIx64 ", 0x%" PRIx64
					  " bytes",
				    first->old, first->new_, first->length);
		add_line(out, terminal, "odd", text);
	}
}

static void add_leak(struct buf *out, const struct terminal *terminal, struct buf *text,
		     const char *title, const struct follow_leak *leak)
{
	if (leak->type->name.bytes)
		escape__add(text, leak->type->name.at, leak->type->name.bytes);
	else
		buf__printf(text, "class %" PRIu64, leak->type->class_);
	buf__add_str(text, ": ");
	follow__add_leak(text, &leak->is);
	add_line(out, terminal, title, text);
}

void follow__add_worst_leak(struct buf *out, const struct terminal *terminal,
			    const struct follow_state *state)
{
	struct buf text = BUF_INIT;

	if (state->leaks_shown)
		add_leak(out, terminal, &text, "only ages", &state->leaks[0]);
	buf__free(&text);
}

static void add_leaks(struct buf *out, const struct terminal *terminal, struct buf *text,
		      const struct follow_state *state)
{
	for (size_t i = 0; i < state->leaks_shown; i++)
		add_leak(out, terminal, text, i ? "" : "only ages", &state->leaks[i]);
	if (state->leaks_shown < state->leak_count) {
		buf__printf(text, "and %zu more, which grow less",
			    state->leak_count - state->leaks_shown);
		add_line(out, terminal, "", text);
	}
	if (state->whole_anchors > 0 && state->whole_anchors < LEAK_ANCHORS) {
		buf__printf(text, "not told: it takes %u dumps of the whole heap (--every)",
			    LEAK_ANCHORS);
		add_line(out, terminal, "leaks", text);
	} else if (state->leaks_unwanted && !state->leak_count) {
		buf__printf(text,
			    "none of the types that --type names; left out: %zu that only age",
			    state->leaks_unwanted);
		add_line(out, terminal, "leaks", text);
	} else if (state->whole_anchors > 0 && !state->kept) {
		buf__add_str(text, "not told: no object was known from one dump to the next");
		add_line(out, terminal, "leaks", text);
	} else if (state->whole_anchors > 0 && !state->leak_count) {
		buf__add_str(text, "none: no type kept more objects at each dump while it lost"
				   " hardly any");
		add_line(out, terminal, "leaks", text);
	}
}

void follow__add_doubt_legend(struct buf *out, const struct terminal *terminal)
{
	const struct wrap wrap = { terminal__text_columns(terminal), NULL, LEGEND_INDENT, NULL };

	buf__add_str(out, "  " FOLLOW_DOUBT "  ");
	wrap__add(out, &wrap, LEGEND_INDENT,
		  "in doubt: known only if no whole collection was lost; the next one's number"
		  " tells");
	buf__add_char(out, '\n');
}

void follow__add_no_types(struct buf *out, const struct terminal *terminal,
			  const struct follow_state *state)
{
	struct buf text = BUF_INIT;

	if (state->type_count || !state->others->count)
		return;
	buf__add_str(&text, "none that was seen matches --type; ");
	frequent_types__add(&text, state->others);
	add_line(out, terminal, "types", &text);
	buf__free(&text);
}

void follow__add_state(struct buf *out, const struct terminal *terminal,
		       const struct follow_state *state)
{
	struct buf text = BUF_INIT;

	follow__add_no_types(out, terminal, state);
	add_objects(&text, state);
	add_line(out, terminal, "known", &text);
	add_curve(&text, state->curve);
	add_line(out, terminal, "survival", &text);
	add_histogram(&text, state->ages);
	add_line(out, terminal, "ages", &text);
	add_leaks(out, terminal, &text, state);
	add_dumps(&text, &state->figures);
	add_line(out, terminal, "dumps", &text);
	add_odd(out, terminal, &text, &state->figures.is.odd);
	buf__free(&text);
}
