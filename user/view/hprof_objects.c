/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "../model/heap.h"
#include "hprof_dump.h"

/*
 * Would a reader's dominators stay as they are with a referrer that keeps nothing alive? They do
 * where roots alone dominate the object, and where its dominator is the referrer's, too.
 */
static bool is_harmless(const struct hprof_dump *dump, uint32_t from, uint32_t to)
{
	const uint32_t dominator = heap__dominator(dump->heap, to);

	return dominator == HEAP_NONE || heap__is_node(dump->heap, dominator) ||
	       heap__dominates(dump->heap, dominator, from);
}

/* The id of what an object refers to; 0 for what is not to be said. */
static uint64_t id_of(const struct hprof_dump *dump, uint32_t from, bool keeps, uint32_t to)
{
	if (to == HEAP_NOWHERE || (!keeps && !is_harmless(dump, from, to)))
		return 0;
	return heap__object(dump->heap, to).address;
}

/* Into dump->values, each at its field, or behind the `named` ones. */
static void place_references(struct hprof_dump *dump, uint32_t place,
			     const struct heap_object *object, uint32_t named)
{
	struct heap_references references = heap__references(dump->heap, place);
	const unsigned int kind = heap__place_kind(dump->heap, place);
	uint32_t unnamed = named, hint = 0, next = 0, at;
	struct heap_reference reference;

	while (heap_references__next(&references, &reference)) {
		at = export_fields__number(&dump->shapes.fields, object->type, kind,
					   reference.place, &hint);
		if (at == FIELD_NONE || at < next)
			at = unnamed++;
		else
			next = at + 1;
		dump->values[at] = id_of(dump, place, object->reached, reference.to);
	}
}

static void write_instance(struct hprof_dump *dump, uint32_t place,
			   const struct heap_object *object)
{
	const size_t class_ = hprof_shapes__class(&dump->shapes, object->type, object->size);
	const struct hprof_layout layout = hprof_dump__layout(dump, object->type, class_);
	struct hprof_writer *writer = &dump->writer;
	const uint32_t bytes =
		8 * (layout.references + layout.longs + layout.referent) + layout.bytes;
	struct heap_weak weak = { .to = HEAP_NOWHERE };

	memset(dump->values, 0, 8 * (size_t)layout.references);
	place_references(dump, place, object, layout.named);
	if (layout.referent)
		heap__weak(dump->heap, place, 0, &weak);
	hprof__entry(writer, HPROF_INSTANCE, 8 + 4 + 8 + 4 + (uint64_t)bytes);
	hprof__u8(writer, object->address);
	hprof__u4(writer, 0); /* no stack trace */
	hprof__u8(writer, hprof_shapes__id(&dump->shapes, object->type, class_));
	hprof__u4(writer, bytes);
	for (uint32_t i = 0; i < layout.references; i++)
		hprof__u8(writer, dump->values[i]);
	hprof__zeros(writer, 8 * (uint64_t)layout.longs + layout.bytes);
	if (layout.referent)
		hprof__u8(writer, id_of(dump, place, false, weak.to));
}

static void write_array(struct hprof_dump *dump, uint32_t place, const struct heap_object *object,
			uint64_t count)
{
	struct heap_references references = heap__references(dump->heap, place);
	struct hprof_elements elements = { 0 };
	struct hprof_writer *writer = &dump->writer;
	struct heap_reference reference;
	uint64_t end = 0, at;

	hprof__entry(writer, HPROF_OBJECT_ARRAY, 8 + 4 + 4 + 8 + 8 * count);
	hprof__u8(writer, object->address);
	hprof__u4(writer, 0); /* no stack trace */
	hprof__u4(writer, (uint32_t)count);
	hprof__u8(writer, hprof_shapes__id(&dump->shapes, object->type, 0));
	while (heap_references__next(&references, &reference)) {
		at = hprof_elements__next(&elements, reference.place);
		if (at >= count)
			break;
		hprof__zeros(writer, 8 * (at - end));
		hprof__u8(writer, id_of(dump, place, object->reached, reference.to));
		end = at + 1;
	}
	hprof__zeros(writer, 8 * (count - end));
}

static void write_bytes(struct hprof_dump *dump, const struct heap_object *object, uint64_t count)
{
	const uint8_t type = dump->shapes.of[object->type].element;
	const uint64_t bytes = count * hprof_type__bytes(type, 8);

	hprof__entry(&dump->writer, HPROF_PRIMITIVE_ARRAY, 8 + 4 + 4 + 1 + bytes);
	hprof__u8(&dump->writer, object->address);
	hprof__u4(&dump->writer, 0); /* no stack trace */
	hprof__u4(&dump->writer, (uint32_t)count);
	hprof__u1(&dump->writer, type);
	hprof__zeros(&dump->writer, bytes);
}

static void write_object(struct hprof_dump *dump, uint32_t place)
{
	const struct heap_object object = heap__object(dump->heap, place);
	uint64_t count = 0;

	switch (dump->shapes.of[object.type].form) {
	case HPROF_FIELDS:
		write_instance(dump, place, &object);
		break;
	case HPROF_ARRAY:
		count = hprof_shapes__elements(&dump->shapes, object.type, object.size,
					       hprof_elements__count(dump->heap, place));
		write_array(dump, place, &object, count);
		break;
	case HPROF_BYTES:
		count = hprof_shapes__elements(&dump->shapes, object.type, object.size, 0);
		write_bytes(dump, &object, count);
		break;
	}
	dump->inexact += hprof_shapes__shown(&dump->shapes, object.type, object.size, count) !=
			 object.size;
}

void hprof_dump__objects(struct hprof_dump *dump)
{
	const struct heap *heap = dump->heap;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		if (heap__is_node(heap, p))
			continue;
		write_object(dump, p);
		if (ferror_unlocked(dump->writer.out))
			break;
	}
}
