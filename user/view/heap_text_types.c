/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of a heap for people, and what would be freed by type. */
#include <inttypes.h>

#include "../base/units.h"
#include "follow.h"
#include "heap_text.h"
#include "heap_words.h"
#include "table.h"

#define AGE_COLUMNS 7
#define FREED_COLUMNS (UNITS_COUNT_COLUMNS + UNITS_BYTES_COLUMNS + 3) /* before a name */
#define NAME_COLUMNS 20 /* for a name, at least */

enum cell {
	CELL_OBJECTS,
	CELL_SHALLOW,
	CELL_SHARE,
	CELL_RETAINED,
	CELL_AGE,
	CELL_OLDEST,
	CELL_TYPES,
	CELL_NAME,
	CELLS
};

static const struct column all_columns[CELLS] = {
	[CELL_OBJECTS] = { "objects", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_SHALLOW] = { "shallow", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_SHARE] = { "share", HEAP_TEXT_SHARE_COLUMNS, ALIGN_RIGHT },
	[CELL_RETAINED] = { "retained", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
	[CELL_AGE] = { "age", AGE_COLUMNS, ALIGN_RIGHT },
	[CELL_OLDEST] = { "oldest", AGE_COLUMNS, ALIGN_RIGHT },
	[CELL_TYPES] = { "types", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	[CELL_NAME] = { "type", NAME_COLUMNS, ALIGN_LEFT },
};

/* Only what there is to tell. */
struct type_table {
	struct table table;
	struct column columns[CELLS];
	enum cell cells[CELLS];
	size_t count;
};

static void choose_columns(struct type_table *types, const struct heap_type_list *list,
			   bool counts_only)
{
	const bool has_ages = list->shown && list->lines[0].ages;

	for (size_t cell = 0; cell < CELLS; cell++) {
		if ((cell == CELL_AGE || cell == CELL_OLDEST) && !has_ages)
			continue;
		if (cell == CELL_TYPES && !list->groups)
			continue;
		if (cell == CELL_RETAINED && counts_only)
			continue;
		types->columns[types->count] = all_columns[cell];
		if (cell == CELL_NAME && list->groups)
			types->columns[types->count].title =
				heap_words__grouping(list->groups->by);
		types->cells[types->count++] = (enum cell)cell;
	}
}

static void age_cell(struct table *table, uint32_t age, bool exact)
{
	char text[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, follow__age(text, age, exact));
}

static void name_cell(struct table *table, struct heap_text *text,
		      const struct heap_type_list *list, const struct heap_type_line *line)
{
	if (list->groups)
		heap_words__group(&text->raw, list->groups, line->type);
	else
		heap_words__type(&text->raw, text->heap, line->type);
	table__cell_name(table, STYLE_PLAIN, buf__str(&text->raw), text->raw.len);
	if (text->raw.error)
		text->out.error = text->raw.error;
	buf__reset(&text->raw);
}

/* "~" before what is an estimate. */
static const char *shallow(char *figure, const struct heap_text *text,
			   const struct heap_type_list *list, const struct heap_type_line *line)
{
	const bool guess = !list->groups && heap_words__is_estimate(text->heap, line->type);

	figure[0] = '~';
	units__bytes_column(figure + guess, line->sums.bytes);
	return figure;
}

static void add_cell(struct table *table, struct heap_text *text, enum cell cell,
		     const struct heap_type_list *list, const struct heap_type_line *line)
{
	const struct heap_type_sums *sums = &line->sums;
	const struct population_type *ages = line->ages;
	const uint32_t median = ages ? population_type__median(ages) : 0;
	char figure[UNITS_TEXT + 1];

	if (cell == CELL_NAME)
		name_cell(table, text, list, line);
	else if (cell == CELL_OBJECTS)
		table__cell(table, STYLE_PLAIN, units__count_column(figure, sums->objects));
	else if (cell == CELL_SHALLOW)
		table__cell(table, STYLE_PLAIN, shallow(figure, text, list, line));
	else if (cell == CELL_SHARE)
		table__cell(table, STYLE_PLAIN,
			    heap_text__share(figure, sums->bytes, list->of_bytes));
	else if (cell == CELL_RETAINED)
		table__cell(table, STYLE_PLAIN,
			    sums->reached_objects ? units__bytes_column(figure, sums->retained) :
						    NULL);
	else if (cell == CELL_TYPES)
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure,
						list->groups->groups.items[line->type].types));
	else if (!ages->objects)
		table__cell(table, STYLE_DIM, NULL);
	else if (cell == CELL_AGE)
		age_cell(table, median, !ages->unborn && median < POPULATION_AGES - 1);
	else
		age_cell(table, ages->oldest, !ages->unborn);
}

static void add_rest(struct heap_text *text, const struct heap_type_list *list)
{
	struct heap_type_sums rest = { 0 };
	char objects[UNITS_TEXT], bytes[UNITS_TEXT];

	if (list->count == list->shown)
		return;
	for (size_t i = list->shown; i < list->count; i++) {
		rest.objects += list->lines[i].sums.objects;
		rest.bytes += list->lines[i].sums.bytes;
	}
	buf__printf(&text->out, "  … %zu more %s%s: %s object%s, %s (--top 0 shows all)\n",
		    list->count - list->shown,
		    heap_words__grouping(list->groups ? list->groups->by : HEAP_BY_TYPE),
		    units__s(list->count - list->shown), units__count(objects, rest.objects),
		    units__s(rest.objects), units__bytes(bytes, rest.bytes));
}

static void add_title(struct heap_text *text, const struct heap_type_list *list)
{
	static const char *const titles[] = { "Types", "Packages, by the names of types",
					      "Class loaders", "Modules" };
	struct buf title = BUF_INIT;

	buf__add_str(&title, titles[list->groups ? list->groups->by : HEAP_BY_TYPE]);
	if (list->age_least)
		buf__printf(&title, ", of objects known to be %" PRIu64 " collection%s old or"
				    " older",
			    list->age_least, units__s(list->age_least));
	heap_text__title(text, buf__str(&title));
	if (title.error)
		text->out.error = title.error;
	buf__free(&title);
}

static void add_types(struct heap_text *text, const struct heap_type_list *list)
{
	struct type_table types = { .count = 0 };

	choose_columns(&types, list, text->heading->counts_only);
	table__init(&types.table, types.columns, types.count, text->terminal);
	table__titles(&types.table, &text->out);
	for (size_t i = 0; i < list->shown; i++) {
		for (size_t cell = 0; cell < types.count; cell++)
			add_cell(&types.table, text, types.cells[cell], list, &list->lines[i]);
		table__end_row(&types.table, &text->out);
	}
	table__free(&types.table);
	add_rest(text, list);
}

int heap_text__types(struct heap_view *view, const struct heap_type_list *list)
{
	struct heap_text *text = heap_text__of(view);

	add_title(text, list);
	if (list->count || !list->none)
		add_types(text, list);
	else
		heap_text__line(text, "  ", list->none, 2);
	return heap_text__flush(text);
}

int heap_text__freed(struct heap_view *view, uint32_t place, const struct heap_type_list *list)
{
	struct heap_text *text = heap_text__of(view);
	const struct heap_object object = heap__object(text->heap, place);
	const size_t room = terminal__room(text->terminal);
	char bytes[UNITS_TEXT], objects[UNITS_TEXT];

	buf__add_str(&text->raw, "With ");
	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->raw, " 0x%" PRIx64 " would be freed: %s in %s object%s", object.address,
		    units__bytes(bytes, object.retained), units__count(objects, object.dominates),
		    units__s(object.dominates));
	buf__add_char(&text->out, '\n');
	heap_text__line(text, "", heap_text__escaped(text), 2);
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_type_sums *sums = &list->lines[i].sums;

		heap_words__type(&text->raw, text->heap, list->lines[i].type);
		buf__printf(&text->out, "%*s %*s  %s\n", UNITS_COUNT_COLUMNS,
			    units__count_column(objects, sums->objects), UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, sums->bytes),
			    heap_text__name(text, room > FREED_COLUMNS ? room - FREED_COLUMNS : 0));
	}
	if (list->count > list->shown)
		buf__printf(&text->out, "  … %zu more type%s (-o json has all)\n",
			    list->count - list->shown, units__s(list->count - list->shown));
	return heap_text__flush(text);
}
