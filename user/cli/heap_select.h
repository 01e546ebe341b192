/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a heap graph is to be shown, and in which order: for the commands that show one. */
#ifndef GCTRACE_CLI_HEAP_SELECT_H
#define GCTRACE_CLI_HEAP_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/vec.h"
#include "../model/heap_groups.h"
#include "../view/heap_view.h"

enum heap_sort { HEAP_SORT_RETAINED, HEAP_SORT_SHALLOW, HEAP_SORT_COUNT, HEAP_SORT_NAME };
extern const char *const heap_sorts[]; /* closed by NULL */

/* Which objects are wanted, and how they are to be shown. */
struct heap_wish {
	const char *type; /* glob of their types; NULL: all */
	enum heap_sort sort;
	uint64_t top;		/* 0: all */
	enum heap_grouping by;	/* of the table of types */
	uint64_t age_least;	/* collections survived; 0: all. Else lives are needed */
	const struct heap_lives *lives; /* NULL: they were not followed */
};

struct heap_lines VEC_OF(struct heap_type_line);
struct heap_places VEC_OF(uint32_t);

/* For each type of a heap: is it wanted? The caller free()s it. glob NULL: all. NULL: no memory. */
bool *heap_select__globs(const struct heap *heap, const char *glob);

/* Does an object that is of a wanted type count? For struct heap_selection: its context is this. */
struct heap_picking {
	const struct heap *heap;
	const struct heap_wish *wish;
};
bool heap_picking__has(const void *picking, uint32_t place);

/* For a descending order: which of two figures comes first, as qsort() wants to know it. */
int heap_select__compare(uint64_t more, uint64_t less);

/* How many of so many are to be shown. */
size_t heap_select__most(size_t count, uint64_t top);

/* The table of types, or groups, with what its list points to. Begins as all zero. */
struct heap_table {
	struct heap_type_list list; /* of_bytes is the whole heap */
	struct heap_lines lines;
	struct heap_groups groups;
	struct population_type *ages; /* of the lines that are shown */
};

/* Those with objects that are wanted. 0 or -ENOMEM; the table is to be freed in any case. */
int heap_select__types(const struct heap *heap, const struct heap_wish *wish,
		       struct heap_table *table);
void heap_table__free(struct heap_table *table);

/*
 * What an object dominates, by type. `lines` begins as VEC_INIT and holds what `to` points to. 0
 * or -ENOMEM.
 */
int heap_select__freed(const struct heap *heap, uint32_t place, uint64_t top,
		       struct heap_lines *lines, struct heap_type_list *to);

/* All that are wanted, whatever `top` says. 0 or -ENOMEM. */
int heap_select__objects(const struct heap *heap, const struct heap_wish *wish,
			 struct heap_places *places);

/* The object that begins there: 0, or negative errno after an error message. */
int heap_select__find(struct heap *heap, uint64_t address, uint32_t *place);

/* The object with this id. The same. */
int heap_select__find_id(struct heap *heap, const struct heap_lives *lives, uint64_t id,
			 uint32_t *place);

#endif
