/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of types, or of groups of them, and that of what would be freed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../model/heap_lives.h"
#include "heap_select.h"

/* ---------------------------------------------------------------- their order */

static int compare_types(const void *a, const void *b)
{
	const uint32_t x = ((const struct heap_type_line *)a)->type;
	const uint32_t y = ((const struct heap_type_line *)b)->type;

	return x < y ? -1 : x > y;
}

static int by_retained(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = heap_select__compare(x->sums.retained, y->sums.retained);

	order = order ? order : heap_select__compare(x->sums.bytes, y->sums.bytes);
	return order ? order : compare_types(a, b);
}

static int by_shallow(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = heap_select__compare(x->sums.bytes, y->sums.bytes);

	return order ? order : compare_types(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = heap_select__compare(x->sums.objects, y->sums.objects);

	return order ? order : by_shallow(a, b);
}

static int by_name(const void *a, const void *b, void *context)
{
	const struct heap_types *types = heap__types(context);
	const struct heap_type x = heap_types__at(types, ((const struct heap_type_line *)a)->type);
	const struct heap_type y = heap_types__at(types, ((const struct heap_type_line *)b)->type);
	const size_t least = x.name.bytes < y.name.bytes ? x.name.bytes : y.name.bytes;
	const int order = least ? memcmp(x.name.at, y.name.at, least) : 0;

	if (order || x.name.bytes != y.name.bytes)
		return order ? order : x.name.bytes < y.name.bytes ? -1 : 1;
	return compare_types(a, b);
}

static void sort_types(const struct heap *heap, enum heap_sort sort, enum heap_grouping by,
		       struct heap_lines *lines)
{
	union {
		const struct heap *in;
		void *out;
	} context = { heap }; /* qsort_r() takes no const */

	switch (sort) {
	case HEAP_SORT_RETAINED:
		vec__sort(lines, by_retained);
		break;
	case HEAP_SORT_SHALLOW:
		vec__sort(lines, by_shallow);
		break;
	case HEAP_SORT_COUNT:
		vec__sort(lines, by_count);
		break;
	case HEAP_SORT_NAME:
		/* Groups are numbered in the order of their names. */
		if (lines->count > 1 && by == HEAP_BY_TYPE)
			qsort_r(lines->items, lines->count, sizeof(*lines->items), by_name,
				context.out);
		break;
	}
}

static int gather(const struct heap_type_sums *sums, uint32_t count, struct heap_lines *lines)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		if (sums[i].objects)
			err = vec__push(lines,
					(struct heap_type_line){ .type = i, .sums = sums[i] });
	return err;
}

/* ---------------------------------------------------------------- the table of types */

/* What a type does not belong to is not counted: each type's group, by the glob. */
static int exclude_others(const struct heap *heap, const char *glob, struct heap_groups *groups)
{
	bool *wanted = heap_select__globs(heap, glob);

	for (uint32_t i = 0; i < heap__types(heap)->count && wanted; i++)
		if (!wanted[i])
			heap_groups__exclude(groups, heap, i);
	free(wanted);
	return wanted ? 0 : -ENOMEM;
}

/* Where each group's ages go: to its line, if that is shown. */
static uint32_t *lines_of(const struct heap_table *table)
{
	const size_t count = table->groups.groups.count;
	uint32_t *lines = malloc(count * sizeof(*lines));

	for (size_t i = 0; i < count && lines; i++)
		lines[i] = HEAP_NO_GROUP;
	for (uint32_t i = 0; i < table->list.shown && lines; i++)
		lines[table->lines.items[i].type] = i;
	return lines;
}

static void add_ages(const struct heap *heap, const struct heap_wish *wish,
		     const uint32_t *lines, struct heap_table *table)
{
	struct heap_life life;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		struct heap_object object;
		uint32_t group, line;

		if (heap__is_node(heap, p))
			continue;
		object = heap__object(heap, p);
		group = table->groups.of[object.type];
		line = group == HEAP_NO_GROUP ? group : lines[group];
		if (line != HEAP_NO_GROUP && heap_lives__of(wish->lives, object.address, &life) &&
		    life.age >= wish->age_least)
			population_type__add(&table->ages[line], life.age, life.born, object.size);
	}
}

static int take_ages(const struct heap *heap, const struct heap_wish *wish,
		     struct heap_table *table)
{
	uint32_t *lines;

	if (!wish->lives || !heap_lives__collections(wish->lives) || !table->list.shown)
		return 0;
	table->ages = calloc(table->list.shown, sizeof(*table->ages));
	lines = lines_of(table);
	if (table->ages && lines)
		add_ages(heap, wish, lines, table);
	for (size_t i = 0; i < table->list.shown && table->ages; i++)
		table->lines.items[i].ages = &table->ages[i];
	free(lines);
	return table->ages && lines ? 0 : -ENOMEM;
}

static int count_up(const struct heap *heap, const struct heap_wish *wish,
		    struct heap_table *table)
{
	const struct heap_picking picking = { heap, wish };
	const struct heap_selection selection = {
		.groups = table->groups.of,
		.count = (uint32_t)table->groups.groups.count,
		.has = wish->age_least ? heap_picking__has : NULL,
		.context = &picking,
	};
	struct heap_type_sums *sums = NULL;
	int err = heap__histogram_of(heap, &selection, &sums);

	if (!err)
		err = gather(sums, selection.count, &table->lines);
	free(sums);
	return err;
}

int heap_select__types(const struct heap *heap, const struct heap_wish *wish,
		       struct heap_table *table)
{
	struct heap_lines *lines = &table->lines;
	int err = heap_groups__make(&table->groups, heap, wish->by);

	if (!err)
		err = exclude_others(heap, wish->type, &table->groups);
	if (!err)
		err = count_up(heap, wish, table);
	sort_types(heap, wish->sort, wish->by, lines);
	table->list = (struct heap_type_list){
		.lines = lines->items,
		.count = lines->count,
		.shown = heap_select__most(lines->count, wish->top),
		.of_bytes = heap__facts(heap)->bytes,
		.age_least = wish->age_least,
		.groups = wish->by == HEAP_BY_TYPE ? NULL : &table->groups,
	};
	return err ? err : take_ages(heap, wish, table);
}

void heap_table__free(struct heap_table *table)
{
	vec__free(&table->lines);
	heap_groups__free(&table->groups);
	free(table->ages);
}

int heap_select__freed(const struct heap *heap, uint32_t place, uint64_t top,
		       struct heap_lines *lines, struct heap_type_list *to)
{
	const uint32_t count = heap__types(heap)->count;
	struct heap_type_sums *sums = calloc(count, sizeof(*sums));
	struct heap_subtree subtree = heap__subtree(heap, place);
	uint32_t at;
	int err = sums ? 0 : -ENOMEM;

	while (!err && (at = heap_subtree__next(&subtree, heap)) != HEAP_NONE) {
		const struct heap_object object = heap__object(heap, at);

		sums[object.type].objects++;
		sums[object.type].bytes += object.size;
	}
	if (!err)
		err = gather(sums, count, lines);
	free(sums);
	sort_types(heap, HEAP_SORT_SHALLOW, HEAP_BY_TYPE, lines);
	*to = (struct heap_type_list){ .lines = lines->items,
				       .count = lines->count,
				       .shown = heap_select__most(lines->count, top) };
	return err;
}
