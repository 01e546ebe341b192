/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of a heap for people, and what would be freed by type. */
#include <inttypes.h>
#include <stdio.h>

#include "../base/units.h"
#include "heap_text.h"
#include "heap_words.h"
#include "table.h"

#define NAME_COLUMNS 20 /* for a name, at least; a longer one is never cut */

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
	buf__printf(&text->out, "  … %zu more types: %s objects, %s (--top 0 shows all)\n",
		    list->count - list->shown, units__count(objects, rest.objects),
		    units__bytes(bytes, rest.bytes));
}

static void add_line(struct table *table, struct heap_text *text, const struct heap_type_line *line,
		     uint64_t of_bytes)
{
	const struct heap_type_sums *sums = &line->sums;
	char figure[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN, units__count_column(figure, sums->objects));
	table__cell(table, STYLE_PLAIN, units__bytes_column(figure, sums->bytes));
	table__cell(table, STYLE_PLAIN, heap_text__share(figure, sums->bytes, of_bytes));
	table__cell(table, STYLE_PLAIN,
		    sums->reached_objects ? units__bytes_column(figure, sums->retained) : NULL);
	heap_words__type(&text->raw, text->heap, line->type);
	table__cell_escaped(table, STYLE_PLAIN, heap_text__escaped(text));
	table__end_row(table, &text->out);
}

int heap_text__types(struct heap_view *view, const struct heap_type_list *list)
{
	static const struct column columns[] = {
		{ "objects", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
		{ "shallow", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
		{ "share", HEAP_TEXT_SHARE_COLUMNS, ALIGN_RIGHT },
		{ "retained", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
		{ "type", NAME_COLUMNS, ALIGN_LEFT },
	};
	struct heap_text *text = heap_text__of(view);
	struct table table;

	heap_text__title(text, "Types");
	table__init(&table, columns, 5, text->terminal);
	table__titles(&table, &text->out);
	for (size_t i = 0; i < list->shown; i++)
		add_line(&table, text, &list->lines[i], list->of_bytes);
	table__free(&table);
	add_rest(text, list);
	return heap_text__flush(text);
}

int heap_text__freed(struct heap_view *view, uint32_t place, const struct heap_type_list *list)
{
	struct heap_text *text = heap_text__of(view);
	const struct heap_object object = heap__object(text->heap, place);
	char bytes[UNITS_TEXT], objects[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->out, "\nWith %s 0x%" PRIx64 " would be freed: %s in %s objects\n",
		    heap_text__escaped(text), object.address, units__bytes(bytes, object.retained),
		    units__count(objects, object.dominates));
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_type_sums *sums = &list->lines[i].sums;

		heap_words__type(&text->raw, text->heap, list->lines[i].type);
		buf__printf(&text->out, "%*s %*s  %s\n", UNITS_COUNT_COLUMNS,
			    units__count_column(objects, sums->objects), UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, sums->bytes), heap_text__escaped(text));
	}
	if (list->count > list->shown)
		buf__printf(&text->out, "  … %zu more types (--top 0 shows all)\n",
			    list->count - list->shown);
	return heap_text__flush(text);
}
