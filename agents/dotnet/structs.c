/* SPDX-License-Identifier: BSD-2-Clause */
#include "structs.h"
#include "agents/common/region.h"
#include "clr.h"
#include "modules.h"
#include "payload.h"
#include "types.h"

#include <string.h>

#define ROOM (64u << 20)
#define NAME_MOST 4096 /* of a field with those around it */
#define MOST_ARGUMENTS 64

#define ELEMENT_VALUE_TYPE 0x11
#define ELEMENT_VAR 0x13
#define TOKEN_TYPE_DEF 0x02000000u

/* A struct in an object, to be looked into. */
struct noted {
	uint64_t owner;	  /* the object's class */
	uint32_t offset;  /* in the object */
	uint32_t bytes;	  /* of the name */
	uintptr_t class_; /* of the struct; 0: it is told by the two below */
	uintptr_t module;
	uint32_t token;
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
	return region__reserve(&noted, ROOM);
}

void structs__empty(void)
{
	region__empty(&noted);
}

/* ---- What a field's struct is ---- */

/* ECMA-335 II.23.2. */
static uint32_t read_compressed(struct payload *signature)
{
	const uint8_t first = payload__u8(signature);
	uint32_t number = first & 0x7f;

	if (!(first & 0x80))
		return number;
	if (!(first & 0x40))
		return (first & 0x3fu) << 8 | payload__u8(signature);
	number = first & 0x1f;
	for (int i = 0; i < 3; i++)
		number = number << 8 | payload__u8(signature);
	return number;
}

/* Of a generic class's field of type T: the argument, where it is a struct that stays. */
static uintptr_t find_argument(uintptr_t class_, uint32_t n)
{
	uintptr_t arguments[MOST_ARGUMENTS], module, parent;
	uint32_t token, count = 0, offset;

	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, MOST_ARGUMENTS, &count,
		     arguments) != S_OK ||
	    n >= count || count > MOST_ARGUMENTS || !arguments[n] ||
	    CLR_CALL(get_box_class_layout, arguments[n], &offset) != S_OK)
		return 0;
	class_ = arguments[n];
	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, MOST_ARGUMENTS, &count,
		     arguments) != S_OK)
		return 0;
	return modules__stays(module) ? class_ : 0;
}

/* False: it is none, or what it is cannot be known. */
static bool find_struct(struct noted *to, const struct layout_field *field)
{
	struct payload signature = layout__type(field->signature, field->signature_bytes);
	const uint8_t type = payload__u8(&signature);
	const uint32_t number = read_compressed(&signature);

	if (signature.bad)
		return false;
	if (type == ELEMENT_VAR)
		to->class_ = find_argument(field->class_, number);
	if (type != ELEMENT_VALUE_TYPE)
		return to->class_ != 0;
	to->module = field->module;
	to->token = TOKEN_TYPE_DEF | number >> 2;
	return (number & 3) == 0 && modules__stays(field->module); /* 0: of the same module */
}

static void note(const struct noted *like, const char *prefix, size_t prefix_bytes,
		 const struct layout_field *field)
{
	const size_t bytes = prefix_bytes + field->bytes;
	struct noted *to = bytes < NAME_MOST ? region__get(&noted, sizeof(*to) + bytes) : NULL;

	if (!to)
		return;
	*to = *like;
	to->bytes = (uint32_t)bytes;
	if (prefix_bytes)
		memcpy(to->name, prefix, prefix_bytes);
	memcpy(to->name + prefix_bytes, field->name, field->bytes);
}

void structs__note(uint64_t class_, const struct layout_field *field)
{
	struct noted like = { .owner = class_, .offset = field->offset };

	if (find_struct(&like, field))
		note(&like, NULL, 0, field);
}

/* ---- Its fields ---- */

static void tell_field(void *context, const struct layout_field *field)
{
	const struct noted *of = telling.of;
	struct noted inner = { .owner = of->owner, .offset = of->offset + field->offset };
	char name[2 * NAME_MOST];
	size_t bytes = of->bytes;

	(void)context;
	memcpy(name, of->name, bytes);
	name[bytes++] = '.';
	if (find_struct(&inner, field))
		note(&inner, name, bytes, field);
	if (field->bytes > sizeof(name) - bytes)
		return;
	memcpy(name + bytes, field->name, field->bytes);
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
		uintptr_t class_ = of->class_;

		telling.of = of;
		if (class_ ||
		    CLR_CALL(get_class_from_token, of->module, of->token, &class_) == S_OK)
			layout__visit(class_, tell_field, NULL);
		at += (sizeof(*of) + of->bytes + 7) & ~(size_t)7;
	}
}
