/* SPDX-License-Identifier: BSD-2-Clause */
#include "export_fields.h"

#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/heap.h"
#include "gctrace/wire.h"
#include "heap_words.h"

/* Positions and indices are the same to a field's name. */
static unsigned int fold(unsigned int kind)
{
	return kind == GCTRACE_PLACE_INDEX ? GCTRACE_PLACE_POSITION : kind;
}

static bool is_before(const struct export_field *field, unsigned int kind, uint64_t place)
{
	return field->kind != kind ? field->kind < kind : field->place < place;
}

static bool is_at(const struct export_type *type, size_t at, unsigned int kind, uint64_t place)
{
	return at < type->fields.count && type->fields.items[at].kind == kind &&
	       type->fields.items[at].place == place;
}

/* The first that does not stand before it. */
static size_t lower(const struct export_type *type, unsigned int kind, uint64_t place)
{
	size_t low = 0, high = type->fields.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (is_before(&type->fields.items[middle], kind, place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct export_fields *fields, struct export_type *type, size_t at,
		  unsigned int kind, uint64_t place)
{
	const struct export_field field = { kind, place };
	int err;

	if (type->fields.count == EXPORT_FIELDS_MOST) {
		fields->beyond++;
		return 0;
	}
	err = memory__push(&fields->memory, &type->fields, field);
	if (err)
		return err;
	memmove(&type->fields.items[at + 1], &type->fields.items[at],
		(type->fields.count - 1 - at) * sizeof(field));
	type->fields.items[at] = field;
	return 0;
}

static int add(struct export_fields *fields, struct export_type *type, unsigned int kind,
	       uint64_t place, uint32_t *hint)
{
	size_t at = *hint;

	if (!is_at(type, at, kind, place))
		at = lower(type, kind, place);
	*hint = (uint32_t)at + 1;
	return is_at(type, at, kind, place) ? 0 : insert(fields, type, at, kind, place);
}

static int add_object(struct export_fields *fields, const struct heap *heap, uint32_t object)
{
	struct export_type *type = &fields->types[heap__type(heap, object)];
	struct heap_references references = heap__references(heap, object);
	const unsigned int kind = fold(heap__place_kind(heap, object));
	struct heap_reference reference;
	struct heap_weak weak;
	uint32_t hint = 0;
	int err = 0;

	type->positional |= kind == GCTRACE_PLACE_POSITION;
	if (!type->has_weak && heap__object(heap, object).has_weak &&
	    heap__weak(heap, object, 0, &weak)) {
		type->has_weak = true;
		type->weak_place = weak.place;
	}
	if (kind == GCTRACE_PLACE_UNKNOWN)
		return 0;
	while (!err && heap_references__next(&references, &reference))
		if (reference.place != EVENT_UNKNOWN)
			err = add(fields, type, kind, reference.place, &hint);
	return err;
}

/* What the runtime told by name is there even if it was null in all objects. */
static int add_told(struct export_fields *fields, struct export_type *to,
		    const struct heap_type *type)
{
	uint32_t hint = 0;
	uint64_t place = 0;
	int err = 0;

	for (size_t i = 0; i < type->fields.bytes && !err; i++) {
		if (type->fields.at[i])
			continue;
		if (!to->has_weak || to->weak_place != place)
			err = add(fields, to, GCTRACE_PLACE_POSITION, place, &hint);
		place++;
	}
	to->told = hint < to->fields.count ? hint : (uint32_t)to->fields.count;
	return err;
}

int export_fields__find(struct export_fields *fields, const struct heap *heap)
{
	const struct heap_types *types = heap__types(heap);
	int err;

	*fields = (struct export_fields){ .count = types->count,
					  .memory = heap__memory_left(heap) };
	err = memory__count(&fields->memory, types->count * sizeof(*fields->types));
	if (err)
		return err;
	fields->types = calloc(types->count, sizeof(*fields->types));
	if (!fields->types)
		return -ENOMEM;
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
			err = add_told(fields, &fields->types[i], &type);
	}
	return err;
}

void export_fields__free(struct export_fields *fields)
{
	for (uint32_t i = 0; i < fields->count && fields->types; i++)
		memory__free_vec(&fields->memory, &fields->types[i].fields);
	free(fields->types);
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
	const struct export_type *of = &fields->types[type];
	size_t at = *hint;

	if (place == EVENT_UNKNOWN || kind == GCTRACE_PLACE_UNKNOWN)
		return EXPORT_FIELD_NONE;
	kind = fold(kind);
	if (!is_at(of, at, kind, place))
		at = lower(of, kind, place);
	if (!is_at(of, at, kind, place))
		return EXPORT_FIELD_NONE;
	*hint = (uint32_t)at + 1;
	return (uint32_t)at;
}

void export_fields__name(struct buf *out, const struct heap *heap,
			 const struct export_fields *fields, uint32_t type, uint32_t number)
{
	const struct export_field *field = &fields->types[type].fields.items[number];
	const struct heap_place place =
		heap_types__place(heap__types(heap), type, field->kind, field->place);
	struct buf raw = BUF_INIT;

	heap_words__place(&raw, &place, field->kind, field->place);
	escape__add(out, buf__str(&raw), raw.len);
	if (raw.error)
		out->error = raw.error;
	buf__free(&raw);
}
