/* SPDX-License-Identifier: BSD-2-Clause */
#include "export_fields.h"

#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/search.h"
#include "../base/units.h"
#include "../model/heap.h"
#include "gctrace/wire.h"
#include "heap_words.h"

/* Positions and indices are the same to a field's name. */
static unsigned int fold(unsigned int kind)
{
	return kind == GCTRACE_PLACE_INDEX ? GCTRACE_PLACE_POSITION : kind;
}

/* Of a dependent handle one is known in any object. */
static bool has_number(unsigned int kind, uint64_t place)
{
	return place == PLACE_DEPENDENT ||
	       (place != EVENT_UNKNOWN && kind != GCTRACE_PLACE_UNKNOWN);
}

/* ---------------------------------------------------------------- what there is */

static int add(struct export_fields *fields, const struct numbered_field *field)
{
	struct export_type *type = &fields->types[field->type];
	uint32_t number = field_numbers__find(&fields->all, field);

	if (number != FIELD_NONE)
		return 0;
	if (type->fields == EXPORT_FIELDS_MOST) {
		fields->beyond++;
		return 0;
	}
	type->fields++;
	return field_numbers__need(&fields->all, field, &number);
}

static int add_object(struct export_fields *fields, const struct heap *heap, uint32_t object)
{
	struct numbered_field field = { heap__type(heap, object),
					fold(heap__place_kind(heap, object)), 0, object };
	struct export_type *type = &fields->types[field.type];
	struct heap_references references = heap__references(heap, object);
	struct heap_reference reference;
	struct heap_weak weak;
	int err = 0;

	type->positional |= field.kind == GCTRACE_PLACE_POSITION;
	if (!type->has_weak && heap__object(heap, object).has_weak &&
	    heap__weak(heap, object, 0, &weak)) {
		type->has_weak = true;
		type->weak_place = weak.place;
	}
	while (!err && heap_references__next(&references, &reference)) {
		field.place = reference.place;
		if (has_number(field.kind, field.place))
			err = add(fields, &field);
	}
	return err;
}

/* What the runtime told by name is there even if it was null in all objects. */
static int add_told(struct export_fields *fields, uint32_t index, const struct heap_type *type)
{
	const struct export_type *to = &fields->types[index];
	struct numbered_field field = { index, GCTRACE_PLACE_POSITION, 0, HEAP_NONE };
	int err = 0;

	for (size_t i = 0; i < type->fields.bytes && !err; i++) {
		if (type->fields.at[i])
			continue;
		if (!to->has_weak || to->weak_place != field.place)
			err = add(fields, &field);
		field.place++;
	}
	return err;
}

static int add_all(struct export_fields *fields, const struct heap *heap)
{
	const struct heap_types *types = heap__types(heap);
	int err = 0;

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err; p = heap__next(heap, p)) {
		const uint32_t type = heap__is_node(heap, p) ? 0 : heap__type(heap, p);

		if (heap__is_node(heap, p) ||
		    heap_types__at(types, type).flags & GCTRACE_CLASS_ARRAY)
			continue;
		err = add_object(fields, heap, p);
	}
	for (uint32_t i = 0; i < types->count && !err; i++) {
		const struct heap_type type = heap_types__at(types, i);

		if (fields->types[i].positional)
			err = add_told(fields, i, &type);
	}
	return err;
}

/* ---------------------------------------------------------------- in order */

static int compare(const void *a, const void *b)
{
	const struct numbered_field *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool is_at(const struct export_fields *fields, const struct numbered_field *field,
		  uint32_t number)
{
	const struct export_type *type = &fields->types[field->type];

	return number < type->fields &&
	       compare(&fields->all.of.items[type->first + number], field) == 0;
}

/* The first of its type that does not stand before it. */
static uint32_t lower(const struct export_fields *fields, const struct numbered_field *field)
{
	const struct export_type *type = &fields->types[field->type];

	if (!type->fields)
		return 0; /* there may be no array at all */
	return (uint32_t)search__front(fields->all.of.items + type->first, type->fields, at,
				       compare(at, field) < 0);
}

static uint64_t count_names(struct text names)
{
	uint64_t count = 0;

	for (size_t i = 0; i < names.bytes; i++)
		count += !names.at[i];
	return count;
}

static void put_in_order(struct export_fields *fields, const struct heap_types *types)
{
	uint32_t first = 0;

	vec__sort(&fields->all.of, compare);
	for (uint32_t i = 0; i < fields->count; i++) {
		struct export_type *type = &fields->types[i];
		const struct numbered_field behind = {
			i, GCTRACE_PLACE_POSITION, count_names(heap_types__at(types, i).fields), 0
		};

		type->first = first;
		first += type->fields;
		if (type->positional)
			type->told = lower(fields, &behind);
	}
}

int export_fields__find(struct export_fields *fields, const struct heap *heap)
{
	const struct heap_types *types = heap__types(heap);
	int err;

	*fields = (struct export_fields){ .count = types->count,
					  .all.memory = heap__memory_left(heap) };
	fields->types = memory__get(&fields->all.memory, types->count * sizeof(*fields->types));
	if (!fields->types)
		return memory__error(&fields->all.memory);
	err = add_all(fields, heap);
	hash_slots__free(&fields->all.slots, &fields->all.memory);
	if (!err)
		put_in_order(fields, types);
	return err;
}

void export_fields__free(struct export_fields *fields)
{
	memory__put(&fields->all.memory, fields->types, fields->count * sizeof(*fields->types));
	field_numbers__free(&fields->all);
	*fields = (struct export_fields){ .types = NULL };
}

void export_fields__tell(const struct export_fields *fields)
{
	char count[UNITS_TEXT];

	if (fields->beyond)
		warning("%s references or fields have no name in the file: a type there has %u"
			" fields with names at most",
			units__exact(count, fields->beyond), EXPORT_FIELDS_MOST);
}

uint32_t export_fields__number(const struct export_fields *fields, uint32_t type,
			       unsigned int kind, uint64_t place, uint32_t *hint)
{
	const struct numbered_field field = { type, fold(kind), place, 0 };
	uint32_t at = *hint;

	if (!has_number(kind, place))
		return FIELD_NONE;
	if (!is_at(fields, &field, at))
		at = lower(fields, &field);
	if (!is_at(fields, &field, at))
		return FIELD_NONE;
	*hint = at + 1;
	return at;
}

void export_fields__name(struct buf *out, const struct heap *heap,
			 const struct export_fields *fields, uint32_t type, uint32_t number)
{
	const struct numbered_field *field =
		&fields->all.of.items[fields->types[type].first + number];
	const struct heap_place place =
		heap_types__place(heap__types(heap), type, field->kind, field->place);
	struct buf raw = BUF_INIT;

	heap_words__place(&raw, &place, field->kind, field->place);
	escape__add(out, buf__str(&raw), raw.len);
	if (raw.error)
		out->error = raw.error;
	buf__free(&raw);
}
