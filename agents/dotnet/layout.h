/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a class keeps its fields: those that may hold references, which are neither numbers nor
 * pointers. Structs are among them, with their first byte.
 */
#ifndef GCTRACE_DOTNET_LAYOUT_H
#define GCTRACE_DOTNET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "payload.h"

struct layout_field {
	uint32_t offset; /* bytes, from the object's start or, in a struct, from the struct's */
	const char *name;
	size_t bytes;
	uintptr_t class_, module; /* whose own it is */
	const uint8_t *signature;
	uint32_t signature_bytes;
};

typedef void layout_visitor(void *context, const struct layout_field *field);

/* Calls for each, those of a class before those of the one below it. False: it cannot be had. */
bool layout__visit(uintptr_t class_, layout_visitor *visitor, void *context);

/* Of a struct: its bytes in an array, 0 where that is not known. Of a class: an instance's. */
uint32_t layout__bytes(uintptr_t class_);

/* The class above, 0: none. */
uintptr_t layout__parent(uintptr_t class_);

/* What stands behind the modifiers in a field's signature: its type. Bad: it is none. */
struct payload layout__type(const uint8_t *signature, uint32_t bytes);

/* May a field of this signature (ECMA-335 II.23.2.4) hold references? */
bool layout__may_refer(const uint8_t *signature, uint32_t bytes);

#endif
