/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

uint32_t places__form(const struct type *type)
{
	if (!type || type->kind == TYPE_STRANGE)
		return GCTRACE_PLACE_UNKNOWN;
	return type->kind == TYPE_CLASS ? GCTRACE_PLACE_OFFSET : GCTRACE_PLACE_INDEX;
}

/* The element's number, of a struct with that of the word in it. */
static uint64_t element_at(const struct type *type, uint64_t offset)
{
	if (type->kind == TYPE_STRUCTS && !type->fields)
		return PLACE_NOWHERE;
	return (offset - type->data) / sizeof(uintptr_t);
}

uint64_t places__of(const struct type *type, uint64_t offset, uint64_t bytes)
{
	/* A collectible class's reference to what loaded it is in no slot. */
	if (!type || offset >= bytes)
		return PLACE_NOWHERE;
	if (type->kind == TYPE_CLASS)
		return offset;
	if (!type->data || offset < type->data)
		return PLACE_NOWHERE;
	return element_at(type, offset);
}
