/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference fields of each type of a heap: those that the runtime told by name, and those that
 * some object turned out to have. They are numbered by type, in the order of their places, for
 * formats that declare names before they use them. Elements of arrays are no fields.
 */
#ifndef GCTRACE_VIEW_EXPORT_FIELDS_H
#define GCTRACE_VIEW_EXPORT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "field_numbers.h"

struct buf;
struct heap;

#define EXPORT_FIELDS_MOST 30000u /* of a type; what has another place then has no number */

struct export_type {
	uint32_t first, fields; /* where its fields begin in the row of all, and how many it has */
	bool positional; /* places count the fields that were told by name */
	uint32_t told;	 /* so many were, and are the first of its fields */
	bool has_weak;	 /* objects of it have weak references */
	uint64_t weak_place;
};

struct export_fields {
	struct export_type *types;
	uint32_t count;
	struct field_numbers all; /* by type, kind and place: indices and positions are one */
	uint64_t beyond; /* references, and fields told by name, that found no number */
};

/* One walk over the heap. 0, -ENOMEM or -EDQUOT; export_fields__free() is due in any case. */
int export_fields__find(struct export_fields *fields, const struct heap *heap);
void export_fields__free(struct export_fields *fields);

/* Warn of those beyond EXPORT_FIELDS_MOST. */
void export_fields__tell(const struct export_fields *fields);

/* The number of a reference's field, or FIELD_NONE. *hint begins as 0 and makes it fast. */
uint32_t export_fields__number(const struct export_fields *fields, uint32_t type,
			       unsigned int kind, uint64_t place, uint32_t *hint);

/* Appends its name, escaped; what has none is "+16" (bytes) or "#3" (position). */
void export_fields__name(struct buf *out, const struct heap *heap,
			 const struct export_fields *fields, uint32_t type, uint32_t number);

#endif
