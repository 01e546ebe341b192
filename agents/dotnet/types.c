/* SPDX-License-Identifier: BSD-2-Clause */
#include "types.h"
#include "clr.h"
#include "layout.h"
#include "names.h"
#include "structs.h"

#include <string.h>

#define MOST_TYPES (1u << 20)
#define MOST_OFFSETS (1u << 20)
#define MOST_RANK 32

/* CorElementType. */
#define ELEMENT_STRING 0x0e
#define ELEMENT_VALUE_TYPE 0x11
#define ELEMENT_CLASS 0x12
#define ELEMENT_ARRAY 0x14
#define ELEMENT_OBJECT 0x1c
#define ELEMENT_SZARRAY 0x1d

#define RECENT 64 /* classes that are found at once */

static struct table types;
static struct region offsets; /* u64 */
static struct type *recent[RECENT];

/* A class that is being told. */
struct telling {
	struct gctrace_writer *writer;
	struct type *type;
	uint32_t flags, bytes;
};

bool types__init(void)
{
	return table__reserve(&types, sizeof(struct type), MOST_TYPES) &&
	       region__reserve(&offsets, MOST_OFFSETS * sizeof(uint64_t));
}

void types__empty(void)
{
	memset(recent, 0, sizeof(recent));
	table__empty(&types);
	region__empty(&offsets);
}

const uint64_t *types__offsets(const struct type *type)
{
	return (const uint64_t *)(const void *)offsets.at + type->first;
}

/* ---- Fields ---- */

static void tell_field(void *context, const struct layout_field *field)
{
	struct telling *telling = context;

	gctrace_write_define(telling->writer, GCTRACE_SPACE_FIELD, telling->type->entry.key,
			     telling->type->fields++, field->offset, field->name, field->bytes);
	if (telling->type->kind == TYPE_CLASS)
		structs__note(telling->type->entry.key, field);
}

uint32_t types__next_position(uint64_t class_)
{
	struct type *type = table__find(&types, class_);

	return type ? type->fields++ : 0;
}

/* Of the struct that an array's elements are. */
static void tell_element_field(void *context, const struct layout_field *field)
{
	uint64_t *offset = region__get(&offsets, sizeof(*offset));

	if (!offset)
		return;
	*offset = field->offset;
	tell_field(context, field);
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
	type->first = (uint32_t)(offsets.used / sizeof(uint64_t));
	if (!type->stride || !layout__visit(element, tell_element_field, telling))
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

/* A class that is new is told, and those above it. */
static struct type *add(struct gctrace_writer *writer, uint64_t class_)
{
	struct type *first = NULL, *type;
	uint64_t super;

	for (; class_ && !table__find(&types, class_); class_ = super) {
		type = table__add(&types, class_);
		if (!type)
			break;
		first = first ? first : type;
		super = layout__parent(class_);
		tell(writer, type, super);
	}
	return first;
}

const struct type *types__get(struct gctrace_writer *writer, uint64_t class_, uintptr_t object)
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
