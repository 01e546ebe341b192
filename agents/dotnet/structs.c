/* SPDX-License-Identifier: BSD-2-Clause */
#include "structs.h"
#include "agents/common/region.h"
#include "agents/common/unnamed.h"
#include "clr.h"
#include "modules.h"
#include "payload.h"
#include "signature.h"
#include "types.h"

#include <string.h>

#define ROOM (64u << 20)
#define NAME_MOST 4096 /* of a field with those around it */
#define MOST_ARGUMENTS 64

#define ELEMENT_VALUE_TYPE 0x11
#define ELEMENT_VAR 0x13
#define ELEMENT_GENERIC 0x15

/* A struct in an object, to be looked into. */
struct noted {
	uint64_t owner;	   /* the object's class */
	uint32_t offset;   /* in the object, or in the element */
	bool of_element;
	uint32_t bytes;	   /* of the name */
	uintptr_t class_, module; /* whose field it is */
	const uint8_t *signature; /* of the field */
	uint32_t signature_bytes;
	char name[];
};

static struct region noted;

/* That whose fields are being told. */
static struct {
	struct gctrace_writer *writer;
	const struct noted *of;
} telling;

bool structs__init(void)
{
	return region__reserve(&noted, ROOM) && signature__init();
}

void structs__empty(void)
{
	region__empty(&noted);
	signature__empty();
}

/* May a field of this signature be a struct? */
static bool may_be_struct(const struct layout_field *field)
{
	struct payload signature = layout__type(field->signature, field->signature_bytes);
	const uint8_t type = payload__u8(&signature);

	return type == ELEMENT_VALUE_TYPE || type == ELEMENT_VAR ||
	       (type == ELEMENT_GENERIC && payload__u8(&signature) == ELEMENT_VALUE_TYPE);
}

static void note(const struct noted *like, const char *prefix, size_t prefix_bytes,
		 const struct layout_field *field)
{
	const size_t bytes = prefix_bytes + field->bytes;
	struct noted *to = bytes < NAME_MOST ? region__get(&noted, sizeof(*to) + bytes) : NULL;

	if (!to) {
		unnamed__add(1);
		return;
	}
	*to = *like;
	to->bytes = (uint32_t)bytes;
	to->class_ = field->class_;
	to->module = field->module;
	to->signature = field->signature;
	to->signature_bytes = field->signature_bytes;
	if (prefix_bytes)
		memcpy(to->name, prefix, prefix_bytes);
	memcpy(to->name + prefix_bytes, field->name, field->bytes);
}

/* ---- In the pause ---- */

/* Puts a class's arguments on the stack; what an array is of, too. False: it may be unloaded. */
static bool stays_itself(uintptr_t class_, uintptr_t *stack, uint32_t *depth)
{
	uintptr_t module, parent, element = 0;
	uint32_t token, count = 0, type, rank;

	if (CLR_CALL(is_array_class, class_, &type, &element, &rank) == S_OK) {
		if (element)
			stack[(*depth)++] = element;
		return true;
	}
	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, MOST_ARGUMENTS - *depth,
		     &count, stack + *depth) != S_OK ||
	    count > MOST_ARGUMENTS - *depth)
		return false;
	*depth += count;
	return modules__stays(module);
}

/* Is a class still there when the program runs again? One goes with any of its arguments. */
static bool stays(uintptr_t class_)
{
	uintptr_t stack[MOST_ARGUMENTS + 1] = { class_ };
	uint32_t depth = 1;

	while (depth) {
		depth--;
		if (!stack[depth] || !stays_itself(stack[depth], stack, &depth))
			return false;
	}
	return true;
}

void structs__note(uint64_t class_, bool of_element, const struct layout_field *field)
{
	const struct noted like = { .owner = class_, .offset = field->offset,
				    .of_element = of_element };

	if (may_be_struct(field) && stays(field->class_))
		note(&like, NULL, 0, field);
}

/* ---- Its fields, afterwards ---- */

static uintptr_t find_struct(const struct noted *of)
{
	const uintptr_t class_ = signature__class(layout__type(of->signature, of->signature_bytes),
						  of->module, of->class_);
	uint32_t offset;

	return class_ && CLR_CALL(get_box_class_layout, class_, &offset) == S_OK ? class_ : 0;
}

static void tell_field(void *context, const struct layout_field *field)
{
	const struct noted *of = telling.of;
	struct noted inner = *of;
	char name[2 * NAME_MOST];
	size_t bytes = of->bytes;

	(void)context;
	inner.offset += field->offset;
	memcpy(name, of->name, bytes);
	name[bytes++] = '.';
	if (may_be_struct(field))
		note(&inner, name, bytes, field);
	if (field->bytes > sizeof(name) - bytes)
		return;
	memcpy(name + bytes, field->name, field->bytes);
	if (of->of_element)
		types__tell_word(telling.writer, of->owner, inner.offset, name,
				 bytes + field->bytes);
	else
		gctrace_write_define(telling.writer, GCTRACE_SPACE_FIELD, of->owner,
				     types__next_position(of->owner), inner.offset, name,
				     bytes + field->bytes);
}

/* What is noted meanwhile is behind it. */
void structs__tell(struct gctrace_writer *writer)
{
	telling.writer = writer;
	for (size_t at = 0; at < noted.used;) {
		const struct noted *of = (const struct noted *)(const void *)(noted.at + at);
		const uintptr_t class_ = find_struct(of);

		telling.of = of;
		if (class_)
			layout__visit(class_, tell_field, NULL);
		at += (sizeof(*of) + of->bytes + 7) & ~(size_t)7;
	}
}
