/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

uint32_t places__form(const struct type *type)
{
	if (!type || type->kind == TYPE_STRANGE)
		return GCTRACE_PLACE_UNKNOWN;
	return type->kind == TYPE_CLASS ? GCTRACE_PLACE_OFFSET : GCTRACE_PLACE_INDEX;
}

/* The last field that begins at or before the offset: a struct in the struct holds the rest. */
static uint64_t field_at(const struct type *type, uint64_t offset)
{
	const uint64_t *offsets = types__offsets(type);
	uint64_t found = PLACE_NOWHERE, best = 0;

	for (uint32_t i = 0; i < type->fields; i++) {
		if (offsets[i] > offset || (found != PLACE_NOWHERE && offsets[i] < best))
			continue;
		found = i;
		best = offsets[i];
	}
	return found;
}

static uint64_t element_at(const struct type *type, uint64_t offset)
{
	const uint64_t element = (offset - type->data) / type->stride;
	uint64_t field;

	if (type->kind == TYPE_REFERENCES)
		return element;
	field = field_at(type, (offset - type->data) % type->stride);
	return field == PLACE_NOWHERE ? field : element * type->fields + field;
}

uint64_t places__of(const struct type *type, uint64_t offset, uint64_t bytes)
{
	if (offset >= bytes) /* a collectible class's reference to what loaded it is in no slot */
		return PLACE_NOWHERE;
	if (type->kind == TYPE_CLASS)
		return offset;
	if (!type->data || offset < type->data)
		return PLACE_NOWHERE;
	return element_at(type, offset);
}
