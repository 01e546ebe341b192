/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a heap graph is to be shown, and in which order: for the commands that show one. */
#ifndef GCTRACE_CLI_HEAP_SELECT_H
#define GCTRACE_CLI_HEAP_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/vec.h"
#include "../view/heap_view.h"

enum heap_sort { HEAP_SORT_RETAINED, HEAP_SORT_SHALLOW, HEAP_SORT_COUNT, HEAP_SORT_NAME };
extern const char *const heap_sorts[]; /* closed by NULL */

struct heap_lines VEC_OF(struct heap_type_line);
struct heap_places VEC_OF(uint32_t);

/* For each type of a heap: is it wanted? The caller free()s it. glob NULL: all. NULL: no memory. */
bool *heap_select__globs(const struct heap *heap, const char *glob);

/* How many of so many are to be shown. */
size_t heap_select__most(size_t count, uint64_t top);

/*
 * All types with objects that match; to->of_bytes is the whole heap. `lines` begins as VEC_INIT
 * and holds what `to` points to. 0 or -ENOMEM.
 */
int heap_select__types(const struct heap *heap, const char *glob, enum heap_sort sort,
		       uint64_t top, struct heap_lines *lines, struct heap_type_list *to);

/* What an object dominates, by type. The same. */
int heap_select__freed(const struct heap *heap, uint32_t place, uint64_t top,
		       struct heap_lines *lines, struct heap_type_list *to);

/* All objects of types that match. */
int heap_select__objects(const struct heap *heap, const char *glob, enum heap_sort sort,
			 struct heap_places *places);

/* The object that begins there: 0, or negative errno after an error message. */
int heap_select__find(struct heap *heap, uint64_t address, uint32_t *place);

#endif
