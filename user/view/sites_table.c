/* SPDX-License-Identifier: BSD-2-Clause */
#include "sites_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/shorten.h"
#include "../base/units.h"

#define FIGURE (UNITS_BYTES_COLUMNS + 1) /* with a ~ */
#define FRAME_INDENT 6
#define FRAMES_MEANWHILE 3 /* of a site, until the last round */

enum cell {
	CELL_LIVE,
	CELL_ALLOCATED, /* of samples that are not followed, in the place of what lives */
	CELL_SURE,
	CELL_OLD,
	CELL_GROWTH,
	CELL_RATE,
	CELL_SHARE,
	CELL_OLDEST,
	CELL_NAME,
	CELLS
};

static const struct column all_columns[CELLS] = {
	[CELL_LIVE] = { "live", FIGURE, ALIGN_RIGHT },
	[CELL_ALLOCATED] = { "allocated", FIGURE, ALIGN_RIGHT },
	[CELL_SURE] = { "±", 6, ALIGN_RIGHT },
	[CELL_OLD] = { "aged", FIGURE, ALIGN_RIGHT },
	[CELL_GROWTH] = { "growth", FIGURE + 1, ALIGN_RIGHT },
	[CELL_RATE] = { "new a s", FIGURE, ALIGN_RIGHT },
	[CELL_SHARE] = { "to old", 8, ALIGN_RIGHT },
	[CELL_OLDEST] = { "oldest", 6, ALIGN_RIGHT },
	[CELL_NAME] = { "type", 24, ALIGN_LEFT },
};

/* Left out where there is no room, in this order. */
static const unsigned int dispensable[] = { CELL_OLDEST, CELL_SHARE, CELL_RATE, CELL_OLD };

static const struct column object_columns[] = {
	{ "sample", 9, ALIGN_RIGHT }, { "age", 6, ALIGN_RIGHT },
	{ "size", FIGURE, ALIGN_RIGHT }, { "generation", 10, ALIGN_LEFT },
	{ "address", 18, ALIGN_LEFT }, { "type", 24, ALIGN_LEFT },
};

#define OBJECT_COLUMNS (sizeof(object_columns) / sizeof(*object_columns))

/* ---------------------------------------------------------------- figures */

/* "~12.3 MiB"; without the ~ where it is exact. */
static const char *figure(char *text, double bytes, bool exact)
{
	char number[UNITS_TEXT];

	snprintf(text, UNITS_TEXT, "%s%s", exact ? "" : "~",
		 units__bytes_column(number, bytes > 0 ? (uint64_t)llround(bytes) : 0));
	/* The blanks that pad a figure stand before its mark. */
	if (!exact)
		for (char *at = text; at[1] == ' '; at++) {
			at[0] = ' ';
			at[1] = '~';
		}
	return text;
}

/* No sample at all doesn't prove that there is nothing: what has no deviation need not be exact. */
static bool is_exact(struct bounds bounds)
{
	return bounds.low >= bounds.high;
}

static void bytes_cell(struct table *table, const struct sites *sites,
		       const struct estimate *estimate, double bytes)
{
	const struct bounds bounds = estimate__bytes(estimate, &sites->sampler);
	char text[2 * UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, figure(text, bytes, is_exact(bounds)));
}

static void live_cell(struct table *table, const struct sites_shown *shown,
		      const struct estimate *estimate)
{
	const struct bounded live = estimate__at_most(estimate, &shown->sites->sampler,
						      shown->rows->limit.most);
	char text[2 * UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, figure(text, live.bytes, is_exact(live.bounds)));
}

/* most: what it cannot be more than. */
static void sure_cell(struct table *table, const struct sites *sites,
		      const struct estimate *estimate, double most)
{
	const struct bounded of = estimate__at_most(estimate, &sites->sampler, most);
	const double wider = fmax(of.bounds.high - of.bytes, of.bytes - of.bounds.low);

	if (of.bytes <= 0 || wider <= 0)
		table__cell(table, STYLE_DIM, NULL);
	else
		table__cell_printf(table, STYLE_DIM, "%.0f %%",
				   fmin(999, ceil(100 * wider / of.bytes)));
}

static void growth_cell(struct table *table, const struct sites_shown *shown, uint32_t group)
{
	struct sites_growth growth;
	char text[2 * UNITS_TEXT];
	double grown;

	if (!sites__growth(shown, group, &growth)) {
		table__cell(table, STYLE_DIM, NULL);
		return;
	}
	grown = growth.now.bytes - growth.then.bytes;
	figure(text, fabs(grown), is_exact(sites__growth_bounds(shown, &growth)));
	table__cell_printf(table, STYLE_PLAIN, "%s%s", grown < 0 ? "-" : grown > 0 ? "+" : "",
			   text + strspn(text, " "));
}

static void share_cell(struct table *table, const struct sites *sites, const struct site_row *row)
{
	struct bounds bounds;
	double share;

	bounds = estimate__share(&row->promoted, &row->decided, &sites->sampler,
				 &share);
	if (!sites->generations || !row->decided.samples)
		table__cell(table, STYLE_DIM, NULL);
	else
		table__cell_printf(table, STYLE_PLAIN, "%s%.*f %%",
				   bounds.low < bounds.high ? "~" : "",
				   share < 0.1 && share > 0, 100 * share);
}

/* Of those that survived SITE_WATCH_AGE collections or more. */
static struct estimate aged(const struct site_row *row)
{
	struct estimate sum = { 0 };

	for (unsigned int i = site_age__place(SITE_WATCH_AGE); i < SITE_AGES; i++)
		estimate__sum(&sum, &row->ages[i]);
	return sum;
}

/* ---------------------------------------------------------------- a row */

/* What it makes: a site stands below, where it has a line for each frame. */
static void type_cell(struct table *table, const struct sites_shown *shown,
		      const struct site_row *row)
{
	const struct type *type = &shown->sites->types.of.items[row->type];
	struct buf name = BUF_INIT;

	if (!type->name.bytes) {
		table__cell_printf(table, STYLE_DIM, "(class %" PRIu64 " without a name)",
				   type->class_);
		return;
	}
	buf__add(&name, type->name.at, type->name.bytes);
	if (row->mixed && shown->groups->by != SITES_BY_TYPE)
		buf__add_str(&name, " and others");
	table__cell_name(table, STYLE_PLAIN, buf__str(&name), name.len);
	table->row.error = table->row.error ? table->row.error : name.error;
	buf__free(&name);
}

static void add_cell(struct table *table, enum cell cell, const struct sites_shown *shown,
		     const struct site_row *row)
{
	const struct estimate old = aged(row);

	switch (cell) {
	case CELL_LIVE:
		live_cell(table, shown, &row->live);
		break;
	case CELL_ALLOCATED:
		bytes_cell(table, shown->sites, &row->allocated, row->allocated.bytes);
		break;
	case CELL_SURE:
		if (shown->sites->unfollowed)
			sure_cell(table, shown->sites, &row->allocated, INFINITY);
		else
			sure_cell(table, shown->sites, &row->live, shown->rows->limit.most);
		break;
	case CELL_OLD:
		live_cell(table, shown, &old);
		break;
	case CELL_GROWTH:
		growth_cell(table, shown, row->group);
		break;
	case CELL_RATE:
		bytes_cell(table, shown->sites, &row->allocated,
			   sites__rate(shown, &row->allocated));
		break;
	case CELL_SHARE:
		share_cell(table, shown->sites, row);
		break;
	case CELL_OLDEST:
		table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, row->oldest);
		break;
	default:
		type_cell(table, shown, row);
	}
}

static void begin_frame(struct buf *out, const struct terminal *terminal)
{
	buf__add_str(out, terminal__on(terminal, STYLE_DIM));
	buf__add_repeated(out, ' ', FRAME_INDENT);
}

static void end_frame(struct buf *out, const struct terminal *terminal)
{
	buf__printf(out, "%s\n", terminal__off(terminal, STYLE_DIM));
}

void sites_table__add_frame(struct buf *out, const struct terminal *terminal, const char *before,
			    struct text frame)
{
	const char *text = escape_bytes(frame.at, frame.bytes);
	const size_t room = terminal__room(terminal), used = FRAME_INDENT + strlen(before);

	begin_frame(out, terminal);
	buf__add_str(out, before);
	shorten__add_middle(out, text, strlen(text), room > used ? room - used : 0);
	end_frame(out, terminal);
}

/* The line that allocates, and who calls it. */
static void add_stack(struct buf *out, const struct terminal *terminal, const struct sites *sites,
		      uint32_t node, uint32_t most)
{
	const struct stacks *stacks = &sites->stacks;
	const uint32_t depth = stacks->nodes.items[node].depth;

	sites_table__add_frame(out, terminal, "at ",
			       sites__frame(sites, stacks__at(stacks, node, 1)));
	for (uint32_t at = 2; at <= depth && at <= most; at++)
		sites_table__add_frame(out, terminal, "by ",
				       stacks__frame(stacks, stacks__at(stacks, node, at)));
	if (depth <= most)
		return;
	begin_frame(out, terminal);
	buf__printf(out, "and %u frame%s more", depth - most, units__s(depth - most));
	end_frame(out, terminal);
}

static void fit(struct sites_table *table, const struct sites_shown *shown)
{
	struct columns *columns = &table->columns;

	static const enum cell of_living[] = { CELL_LIVE, CELL_OLD, CELL_GROWTH, CELL_SHARE,
					       CELL_OLDEST };

	columns__all(columns, all_columns);
	if (!shown->sites->unfollowed)
		columns__remove(columns, CELL_ALLOCATED);
	for (size_t i = 0; shown->sites->unfollowed && i < sizeof(of_living) / sizeof(*of_living);
	     i++)
		columns__remove(columns, of_living[i]);
	if (!shown->sites->generations)
		columns__remove(columns, CELL_SHARE);
	columns__fit(columns, dispensable, sizeof(dispensable) / sizeof(*dispensable), 0);
	columns__widen(columns, CELL_NAME, terminal__room(table->terminal), 0);
}

/* ---------------------------------------------------------------- tables */

static void add_rows(struct sites_table *sites, struct buf *out, const struct terminal *terminal,
		     const struct sites_shown *shown, size_t lines)
{
	struct table *table = &sites->columns.table;

	fit(sites, shown);
	table->terminal = terminal;
	table__titles(table, out);
	for (size_t i = 0; i < shown->shown; i++) {
		const struct site_row *row = &shown->rows->of.items[i];
		const size_t before = out->len;
		size_t used = 0;

		for (size_t cell = 0; cell < table->count; cell++)
			add_cell(table, sites->columns.cells[cell], shown, row);
		table__end_row(table, out);
		if (shown->groups->by == SITES_BY_SITE)
			add_stack(out, terminal, shown->sites, row->key,
				  shown->last ? UINT32_MAX : FRAMES_MEANWHILE);
		for (size_t at = before; at < out->len; at++)
			used += out->data[at] == '\n';
		if (used > lines) {
			buf__truncate(out, before);
			return;
		}
		lines -= used;
	}
}

static void add_object(struct table *table, struct buf *out, const struct sites_shown *shown,
		       const struct living *sample)
{
	const struct sites *sites = shown->sites;
	const struct site_spot *spot = &sites->spots.items[sample->spot];
	const struct type *type = &sites->types.of.items[spot->type];
	const uint32_t node = site_spot__node(spot, &sites->stacks);
	char size[UNITS_TEXT];

	table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, sample->number);
	table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, sites__age(sites, sample));
	table__cell(table, STYLE_PLAIN, units__bytes_column(size, sample->size));
	table__cell(table, STYLE_PLAIN, sample->generation == SAMPLE_NOWHERE ? NULL :
					sample->generation ? "old" : "young");
	table__cell_printf(table, STYLE_PLAIN, "0x%" PRIx64, sample->address);
	table__cell_name(table, STYLE_PLAIN, type->name.at, type->name.bytes);
	table__end_row(table, out);
	sites_table__add_frame(out, table->terminal, "at ",
			       sites__frame(sites, stacks__at(&sites->stacks, node, 1)));
}

static void add_objects(struct table *table, struct buf *out, const struct terminal *terminal,
			const struct sites_shown *shown, size_t lines)
{
	table->terminal = terminal;
	table__titles(table, out);
	for (size_t i = 0; i < shown->shown && 2 * (i + 1) <= lines; i++)
		add_object(table, out, shown,
			   &shown->sites->living.of.items[shown->rows->objects.items[i]]);
}

void sites_table__add(struct sites_table *table, struct buf *out, const struct terminal *terminal,
		      const struct sites_shown *shown, size_t lines)
{
	if (shown->groups->by == SITES_BY_OBJECT)
		add_objects(&table->objects, out, terminal, shown, lines);
	else
		add_rows(table, out, terminal, shown, lines);
}

void sites_table__init(struct sites_table *table, const struct terminal *terminal)
{
	table->terminal = terminal;
	columns__init(&table->columns, terminal);
	table__init(&table->objects, object_columns, OBJECT_COLUMNS, terminal);
}

void sites_table__free(struct sites_table *table)
{
	columns__free(&table->columns);
	table__free(&table->objects);
}
