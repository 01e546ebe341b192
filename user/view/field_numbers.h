/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference fields of types, numbered 0, 1, 2, ... as they come: which place, of what kind, of
 * which type.
 */
#ifndef GCTRACE_VIEW_FIELD_NUMBERS_H
#define GCTRACE_VIEW_FIELD_NUMBERS_H

#include <stdint.h>

#include "../base/vec.h"
#include "../model/hash_slots.h"

#define FIELD_NONE UINT32_MAX

struct numbered_field {
	uint32_t type;
	uint32_t kind;	  /* enum gctrace_object_bits: what the place is */
	uint64_t place;	  /* EVENT_UNKNOWN: nobody told */
	uint32_t example; /* place of an object that has it; HEAP_NONE: none was given */
};

struct field_numbers {
	VEC(struct numbered_field) of;
	struct hash_slots slots;
	struct memory memory; /* its limit bounds all of this */
	uint32_t next;	      /* the number that is likely asked for next */
};

/* All zero to begin with. */
void field_numbers__free(struct field_numbers *numbers);

/* The number of a field, whatever its example; FIELD_NONE: it has none. */
uint32_t field_numbers__find(struct field_numbers *numbers, const struct numbered_field *field);

/* The same, and one that has none gets one. 0, -ENOMEM or -EDQUOT. */
int field_numbers__need(struct field_numbers *numbers, const struct numbered_field *field,
			uint32_t *number);

#endif
