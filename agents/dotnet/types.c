/* SPDX-License-Identifier: BSD-2-Clause */
#include "types.h"
#include "agents/common/unnamed.h"
#include "clr.h"
#include "layout.h"
#include "modules.h"
#include "names.h"
#include "structs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_TYPES (1u << 20)
#define MOST_RANK 32
#define MOST_BEGINNINGS 4096
#define WORD ((uint32_t)sizeof(uintptr_t))

/* CorElementType. */
#define ELEMENT_STRING 0x0e
#define ELEMENT_VALUE_TYPE 0x11
#define ELEMENT_CLASS 0x12
#define ELEMENT_ARRAY 0x14
#define ELEMENT_OBJECT 0x1c
#define ELEMENT_SZARRAY 0x1d

#define RECENT 64 /* classes that are found at once */

static struct table types;
static struct type *recent[RECENT];
static bool is_full;

/* A class that is being told. */
struct telling {
	struct gctrace_writer *writer;
	struct type *type;
	uint32_t flags, bytes;
	uint32_t base; /* of a struct by itself, boxed: where it begins in the object */
};

bool types__init(void)
{
	return table__reserve(&types, sizeof(struct type), MOST_TYPES);
}

void types__empty(void)
{
	memset(recent, 0, sizeof(recent));
	is_full = false;
	table__empty(&types);
}

/* ---- Fields ---- */

static void tell_field(void *context, const struct layout_field *field)
{
	struct telling *telling = context;
	struct layout_field in_object = *field;

	in_object.offset += telling->base;
	gctrace_write_define(telling->writer, GCTRACE_SPACE_FIELD, telling->type->entry.key,
			     telling->type->fields++, in_object.offset, field->name, field->bytes);
	structs__note(telling->type->entry.key, false, &in_object);
}

uint32_t types__next_position(uint64_t class_)
{
	struct type *type = table__find(&types, class_);

	return type ? type->fields++ : 0;
}

/* ---- Fields of elements ---- */

void types__tell_word(struct gctrace_writer *writer, uint64_t class_, uint32_t offset,
		      const char *name, size_t bytes)
{
	gctrace_write_define(writer, GCTRACE_SPACE_FIELD, class_, offset / WORD, offset, name,
			     bytes);
}

/* Where the fields of an element begin. */
static struct {
	uint32_t at[MOST_BEGINNINGS];
	uint32_t count;
} beginnings;

static void add_beginning(void *context, const struct layout_field *field)
{
	(void)context;
	if (beginnings.count < MOST_BEGINNINGS)
		beginnings.at[beginnings.count++] = field->offset;
}

static bool is_beginning(uint32_t offset)
{
	for (uint32_t i = 0; i < beginnings.count; i++)
		if (beginnings.at[i] == offset)
			return true;
	return false;
}

/* "+8": in no field that is known, or behind the beginning of one. */
static void tell_unnamed(struct gctrace_writer *writer, uint64_t class_, uint32_t offset,
			 const struct layout_field *field, uint32_t beyond)
{
	char name[3 * MODULE_NAME_UNITS + 16];
	const int bytes = snprintf(name, sizeof(name), "%.*s%s+%" PRIu32,
				   field ? (int)field->bytes : 0, field ? field->name : "",
				   field ? "." : "", beyond);

	types__tell_word(writer, class_, offset, name, (size_t)bytes);
}

/* Of the struct that an array's elements are: up to where the next one begins. */
static void tell_element_field(void *context, const struct layout_field *field)
{
	const struct telling *telling = context;
	const uint64_t class_ = telling->type->entry.key;

	if (field->offset % WORD)
		return; /* it holds no references */
	types__tell_word(telling->writer, class_, field->offset, field->name, field->bytes);
	for (uint32_t at = field->offset + WORD;
	     at < telling->type->stride && !is_beginning(at); at += WORD)
		tell_unnamed(telling->writer, class_, at, field, at - field->offset);
	structs__note(class_, true, field);
}

/* Every word of an element gets a name, so that words can be counted. False: nothing is known. */
static bool tell_elements(struct telling *telling, uintptr_t element)
{
	struct type *type = telling->type;

	beginnings.count = 0;
	if (!type->stride || !layout__visit(element, add_beginning, NULL))
		return false;
	if (!beginnings.count || type->stride % WORD)
		return true; /* no references */
	type->fields = type->stride / WORD;
	for (uint32_t at = 0; at < type->stride; at += WORD)
		tell_unnamed(telling->writer, type->entry.key, at, NULL, at);
	return layout__visit(element, tell_element_field, telling);
}

/* ---- Arrays ---- */

static bool is_reference(uint32_t element)
{
	return element == ELEMENT_STRING || element == ELEMENT_CLASS || element == ELEMENT_ARRAY ||
	       element == ELEMENT_OBJECT || element == ELEMENT_SZARRAY;
}

static void describe_structs(struct telling *telling, uintptr_t element)
{
	struct type *type = telling->type;

	type->kind = TYPE_STRUCTS;
	type->stride = layout__bytes(element);
	if (!tell_elements(telling, element))
		type->kind = TYPE_STRANGE;
	telling->flags |= type->fields || type->kind == TYPE_STRANGE ? GCTRACE_CLASS_ARRAY :
								       GCTRACE_CLASS_BYTES;
}

static void describe_array(struct telling *telling, uint32_t element_type, uintptr_t element)
{
	telling->flags = GCTRACE_CLASS_VARIABLE;
	if (is_reference(element_type)) {
		telling->type->kind = TYPE_REFERENCES;
		telling->type->stride = sizeof(uintptr_t);
		telling->flags |= GCTRACE_CLASS_ARRAY;
	} else if (element_type == ELEMENT_VALUE_TYPE && element) {
		describe_structs(telling, element);
	} else {
		telling->type->kind = TYPE_STRANGE;
		telling->flags |= GCTRACE_CLASS_BYTES;
	}
}

/* Where the elements begin, which an array itself says. */
static void learn_data(struct type *type, uintptr_t array)
{
	uint32_t sizes[MOST_RANK];
	int32_t lower_bounds[MOST_RANK];
	uint8_t *data = NULL;

	if (CLR_CALL(get_array_object_info, array, MOST_RANK, sizes, lower_bounds, &data) == S_OK)
		type->data = (uint32_t)((uintptr_t)data - array);
}

/* ---- All ---- */

static void describe(struct telling *telling)
{
	const uintptr_t class_ = telling->type->entry.key;
	uintptr_t element = 0;
	uint32_t element_type = 0, rank;

	if (CLR_CALL(is_array_class, class_, &element_type, &element, &rank) == S_OK) {
		describe_array(telling, element_type, element);
		return;
	}
	telling->type->kind = TYPE_CLASS;
	if (CLR_CALL(get_box_class_layout, class_, &telling->base) != S_OK)
		telling->base = 0;
	telling->bytes = layout__bytes(class_);
	layout__visit(class_, tell_field, telling);
}

static void tell_module(struct gctrace_writer *writer, uint64_t class_)
{
	const struct name module = names__module(class_);

	if (module.bytes)
		gctrace_write_define(writer, GCTRACE_SPACE_MODULE, class_, 0, 0, module.at,
				     module.bytes);
}

static void tell(struct gctrace_writer *writer, struct type *type, uint64_t super)
{
	struct telling telling = { .writer = writer, .type = type };
	struct name name;

	describe(&telling);
	tell_module(writer, type->entry.key);
	name = names__class(type->entry.key);
	type->is_named = name.bytes != 0;
	if (type->is_named)
		gctrace_write_class(writer, type->entry.key, name.at, name.bytes, super,
				    telling.flags, NULL, 0, telling.bytes);
}

/* Who comes in vain is not kept, and may come again: only the first one surely is one more. */
static void tell_full(void)
{
	if (!is_full)
		unnamed__add(1);
	is_full = true;
}

/* A class that is new is told, and those above it. */
static struct type *add(struct gctrace_writer *writer, uint64_t class_)
{
	struct type *first = NULL, *type;
	uint64_t super;

	for (; class_ && !table__find(&types, class_); class_ = super) {
		type = table__add(&types, class_);
		if (!type) {
			tell_full();
			break;
		}
		first = first ? first : type;
		super = layout__parent(class_);
		tell(writer, type, super);
	}
	return first;
}

struct type *types__get(struct gctrace_writer *writer, uint64_t class_, uintptr_t object)
{
	struct type **last = &recent[class_ / 64 % RECENT], *type = *last;

	if (!type || type->entry.key != class_)
		type = table__find(&types, class_);
	if (!type)
		type = add(writer, class_);
	*last = type;
	if (type && object && !type->data && type->kind != TYPE_CLASS)
		learn_data(type, object);
	return type;
}

/* ---- Names that the runtime announces ---- */

struct announced {
	uint64_t class_;
	struct utf16 name;
};

static struct announced read_announced(struct payload *payload)
{
	struct announced announced = { .class_ = payload__u64(payload) };
	uint32_t parameters;

	payload__take(payload, 8 + 4 + 4 + 1); /* module, token, flags, element type */
	announced.name = payload__utf16(payload);
	parameters = payload__u32(payload);
	payload__take(payload, (size_t)parameters * 8);
	return announced;
}

static void tell_announced(struct gctrace_writer *writer, const struct announced *announced)
{
	static char text[3 * 32768]; /* an event has 64 KiB at most */
	struct type *type = table__find(&types, announced->class_);

	type = type ? type : add(writer, announced->class_);
	if (!type || type->is_named || !announced->name.units)
		return;
	type->is_named = true;
	gctrace_write_class(writer, announced->class_, text,
			    utf16__to_utf8(announced->name, text, sizeof(text)), 0,
			    type->kind == TYPE_CLASS ? 0 : GCTRACE_CLASS_VARIABLE, NULL, 0, 0);
}

void types__event(struct gctrace_writer *writer, struct payload *payload)
{
	const uint32_t count = payload__u32(payload);

	payload__u16(payload);
	for (uint32_t i = 0; i < count && !payload->bad; i++) {
		const struct announced announced = read_announced(payload);

		if (!payload->bad)
			tell_announced(writer, &announced);
	}
}
