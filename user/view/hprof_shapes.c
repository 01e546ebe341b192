/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_shapes.h"


#include "../model/heap.h"
#include "gctrace/wire.h"
#include "hprof_writer.h"

#define ARRAY_OVERHEAD 4u
#define ALIGNMENT 8u
#define ELEMENTS_MOST ((UINT64_C(1) << 29) - 64) /* 8 bytes each, in a record of 4 GiB */
#define BYTES_MOST ((UINT64_C(1) << 31) - 64)	 /* a reader's counters are int */
#define FIELDS_MOST 32000u			 /* the same: 16 bits with a sign */
#define SIZES_STEP 4096u

/* VisualVM takes what java.lang.Object has beyond 8 bytes for the size of a reference. */
static const struct hprof_model models[] = { { 16, 8 }, { 12, 4 } };

#define MODELS (sizeof(models) / sizeof(*models))
#define ALL_MODELS ((1u << MODELS) - 1)

/* ---------------------------------------------------------------- arrays */

uint64_t hprof_elements__next(struct hprof_elements *elements, uint64_t place)
{
	const bool at_place = place >= elements->end && place < ELEMENTS_MOST;
	const uint64_t at = at_place ? place : elements->end;

	elements->end = at + 1;
	return at;
}

uint64_t hprof_elements__count(const struct heap *heap, uint32_t place)
{
	struct heap_references references = heap__references(heap, place);
	struct hprof_elements elements = { 0 };
	struct heap_reference reference;

	while (heap_references__next(&references, &reference))
		hprof_elements__next(&elements, reference.place);
	return elements.end;
}

static uint64_t array_size(const struct hprof_model *model, uint64_t bytes)
{
	const uint64_t whole = model->object + ARRAY_OVERHEAD + bytes;

	return (whole + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* The models in which an object of this size comes out as an array of so many elements. */
static uint8_t fitting(uint64_t size, uint64_t needed)
{
	uint8_t fits = 0;

	if (size % ALIGNMENT || size > BYTES_MOST)
		return 0;
	for (size_t i = 0; i < MODELS; i++)
		if (array_size(&models[i], needed * models[i].reference) <= size &&
		    size / models[i].reference <= ELEMENTS_MOST)
			fits |= (uint8_t)(1u << i);
	return fits;
}

static uint32_t element_bytes(const struct hprof_shapes *shapes, uint32_t type)
{
	const struct hprof_shape *shape = &shapes->of[type];

	return shape->form == HPROF_BYTES ? hprof_type__bytes(shape->element, 8) :
					    shapes->model->reference;
}

uint64_t hprof_shapes__elements(const struct hprof_shapes *shapes, uint32_t type, uint64_t size,
				uint64_t needed)
{
	const uint64_t head = shapes->model->object + ARRAY_OVERHEAD;
	const uint64_t most = shapes->of[type].form == HPROF_BYTES ? BYTES_MOST : ELEMENTS_MOST;
	uint64_t elements = size > head ? (size - head) / element_bytes(shapes, type) : 0;

	elements = elements > needed ? elements : needed;
	return elements < most ? elements : most;
}

uint64_t hprof_shapes__shown(const struct hprof_shapes *shapes, uint32_t type, uint64_t size,
			     uint64_t elements)
{
	if (shapes->of[type].form == HPROF_FIELDS)
		return size <= INT32_MAX ? size : INT32_MAX;
	return array_size(shapes->model, elements * element_bytes(shapes, type));
}

/* ---------------------------------------------------------------- what objects are like */

/* Which fields an object needs; as place_references() of hprof_objects.c uses them. */
static struct hprof_size size_of(const struct hprof_shapes *shapes, const struct heap *heap,
				 uint32_t place, const struct heap_object *object)
{
	struct heap_references references = heap__references(heap, place);
	const unsigned int kind = heap__place_kind(heap, place);
	struct hprof_size size = { .size = object->size };
	struct heap_reference reference;
	uint32_t hint = 0, number;

	while (heap_references__next(&references, &reference)) {
		number = export_fields__number(&shapes->fields, object->type, kind,
					       reference.place, &hint);
		if (number == FIELD_NONE || number < size.named)
			size.unnamed++;
		else
			size.named = number + 1;
	}
	return size;
}

static void look_at(struct hprof_shapes *shapes, const struct heap *heap, uint32_t place)
{
	const struct heap_object object = heap__object(heap, place);
	struct hprof_shape *shape = &shapes->of[object.type];
	const uint32_t unnamed = size_of(shapes, heap, place, &object).unnamed;

	if (!shape->is_used) {
		shape->size = object.size;
		shape->fits = ALL_MODELS;
	}
	shape->is_used = true;
	shape->varies |= object.size != shape->size;
	shape->fits &= fitting(object.size, hprof_elements__count(heap, place));
	shape->unnamed = unnamed > shape->unnamed ? unnamed : shape->unnamed;
	if (object.address < shapes->lowest)
		shapes->lowest = object.address;
	if (object.address > shapes->highest)
		shapes->highest = object.address;
}

uint32_t hprof_shapes__fields(const struct hprof_shapes *shapes, uint32_t type)
{
	return (uint32_t)shapes->fields.types[type].fields + shapes->of[type].unnamed;
}

static bool has_references(const struct hprof_shapes *shapes, uint32_t type)
{
	return hprof_shapes__fields(shapes, type) || shapes->fields.types[type].has_weak;
}

/* ---------------------------------------------------------------- the form of a type */

static uint8_t primitive_of(struct text name)
{
	static const struct {
		const char *name, *internal;
		uint8_t type;
	} all[] = {
		{ "boolean[]", "[Z", HPROF_BOOLEAN }, { "char[]", "[C", HPROF_CHAR },
		{ "float[]", "[F", HPROF_FLOAT },     { "double[]", "[D", HPROF_DOUBLE },
		{ "byte[]", "[B", HPROF_BYTE },	      { "short[]", "[S", HPROF_SHORT },
		{ "int[]", "[I", HPROF_INT },	      { "long[]", "[J", HPROF_LONG },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (text__is(name, all[i].name) || text__is(name, all[i].internal))
			return all[i].type;
	return 0;
}

/* A reader knows one class of each: several types of one such name are no primitive arrays. */
static void find_primitives(struct hprof_shapes *shapes, const struct heap *heap)
{
	uint32_t owner[HPROF_LONG + 1] = { 0 };

	for (uint32_t i = 0; i < shapes->count; i++) {
		const uint8_t type = primitive_of(heap_types__at(heap__types(heap), i).name);

		if (!type)
			continue;
		if (owner[type])
			shapes->of[owner[type] - 1].element = 0;
		else
			shapes->of[i].element = type;
		owner[type] = i + 1;
	}
}

static bool wants_array(const struct hprof_shapes *shapes, const struct heap *heap, uint32_t type)
{
	const uint32_t flags = heap_types__at(heap__types(heap), type).flags;

	return shapes->of[type].is_used && !shapes->fields.types[type].has_weak &&
	       (flags & GCTRACE_CLASS_ARRAY || shapes->of[type].element ||
		(shapes->of[type].varies && !has_references(shapes, type)));
}

/* The first in which all arrays of references come out; else the one with the smaller arrays. */
static void choose_model(struct hprof_shapes *shapes, const struct heap *heap)
{
	uint8_t fits = ALL_MODELS;
	size_t i = 0;

	for (uint32_t type = 0; type < shapes->count; type++)
		if (wants_array(shapes, heap, type))
			fits &= shapes->of[type].fits;
	while (i + 1 < MODELS && !(fits & 1u << i))
		i++;
	shapes->model = &models[i];
}

static void choose_form(struct hprof_shapes *shapes, const struct heap *heap, uint32_t type)
{
	struct hprof_shape *shape = &shapes->of[type];
	const bool fits = shape->fits & 1u << (shapes->model - models);

	if (hprof_shapes__fields(shapes, type) > FIELDS_MOST)
		shape->form = HPROF_ARRAY;
	else if (!wants_array(shapes, heap, type) || !fits)
		shape->form = HPROF_FIELDS;
	else if (shape->element && !has_references(shapes, type))
		shape->form = HPROF_BYTES;
	else
		shape->form = HPROF_ARRAY;
}

/* ---------------------------------------------------------------- sizes */

static int compare_sizes(const void *a, const void *b)
{
	const struct hprof_size *x = a, *y = b;

	return x->size < y->size ? -1 : x->size > y->size;
}

static void merge(struct hprof_size *to, const struct hprof_size *size)
{
	to->named = size->named > to->named ? size->named : to->named;
	to->unnamed = size->unnamed > to->unnamed ? size->unnamed : to->unnamed;
}

static void make_unique(struct hprof_shape *shape)
{
	struct hprof_size *of = shape->sizes.items;
	size_t kept = 0;

	vec__sort(&shape->sizes, compare_sizes);
	for (size_t i = 0; i < shape->sizes.count; i++) {
		if (kept && of[kept - 1].size == of[i].size)
			merge(&of[kept - 1], &of[i]);
		else
			of[kept++] = of[i];
	}
	shape->sizes.count = kept;
}

/* Made unique now and then: always before the room for sizes would grow. */
static int add_size(struct hprof_shape *shape, const struct hprof_size *size)
{
	const size_t count = shape->sizes.count;

	if (count && shape->sizes.items[count - 1].size == size->size) {
		merge(&shape->sizes.items[count - 1], size);
		return 0;
	}
	if (count >= SIZES_STEP && count == shape->sizes.alloc) {
		make_unique(shape);
		if (shape->sizes.count > count / 2 && vec__reserve(&shape->sizes, count))
			return -ENOMEM;
	}
	return vec__push(&shape->sizes, *size);
}

static bool needs_sizes(const struct hprof_shape *shape)
{
	return shape->form == HPROF_FIELDS && shape->varies;
}

/* Of one size for all: whatever fields the type has. */
static int add_whole(struct hprof_shapes *shapes, uint32_t type)
{
	const struct hprof_size size = {
		.size = shapes->of[type].size,
		.named = (uint32_t)shapes->fields.types[type].fields,
		.unnamed = shapes->of[type].unnamed,
	};

	return add_size(&shapes->of[type], &size);
}

static int add_object(struct hprof_shapes *shapes, const struct heap *heap, uint32_t place)
{
	const struct heap_object object = heap__object(heap, place);
	struct hprof_size size;

	if (!needs_sizes(&shapes->of[object.type]))
		return 0;
	size = size_of(shapes, heap, place, &object);
	if (size.named < shapes->fields.types[object.type].told)
		size.named = shapes->fields.types[object.type].told;
	return add_size(&shapes->of[object.type], &size);
}

static int find_sizes(struct hprof_shapes *shapes, const struct heap *heap)
{
	bool any = false;
	int err = 0;

	for (uint32_t i = 0; i < shapes->count && !err; i++) {
		any |= needs_sizes(&shapes->of[i]);
		if (!needs_sizes(&shapes->of[i]))
			err = add_whole(shapes, i);
	}
	for (uint32_t p = heap__first(heap); any && p < heap__end(heap) && !err;
	     p = heap__next(heap, p))
		if (!heap__is_node(heap, p))
			err = add_object(shapes, heap, p);
	for (uint32_t i = 0; i < shapes->count; i++)
		make_unique(&shapes->of[i]);
	return err;
}

size_t hprof_shapes__class(const struct hprof_shapes *shapes, uint32_t type, uint64_t size)
{
	const struct hprof_shape *shape = &shapes->of[type];
	const struct hprof_size key = { .size = size }, *at = shape->sizes.items;

	if (needs_sizes(shape))
		at = bsearch(&key, at, shape->sizes.count, sizeof(key), compare_sizes);
	return (size_t)(at - shape->sizes.items);
}

uint64_t hprof_shapes__id(const struct hprof_shapes *shapes, uint32_t type, size_t index)
{
	return shapes->of[type].class_id + 8 * (uint64_t)index;
}

/* ---------------------------------------------------------------- in all */

int hprof_shapes__find(struct hprof_shapes *shapes, const struct heap *heap)
{
	int err;

	*shapes = (struct hprof_shapes){ .lowest = UINT64_MAX };
	err = export_fields__find(&shapes->fields, heap);
	if (err)
		return err;
	shapes->count = shapes->fields.count;
	shapes->of = memory__get(&shapes->fields.all.memory, shapes->count * sizeof(*shapes->of));
	if (!shapes->of)
		return memory__error(&shapes->fields.all.memory);
	for (uint32_t i = 0; i < shapes->count; i++)
		shapes->of[i].size = heap_types__at(heap__types(heap), i).size;
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p))
		if (!heap__is_node(heap, p))
			look_at(shapes, heap, p);
	find_primitives(shapes, heap);
	choose_model(shapes, heap);
	for (uint32_t i = 0; i < shapes->count; i++)
		choose_form(shapes, heap, i);
	return find_sizes(shapes, heap);
}

void hprof_shapes__free(struct hprof_shapes *shapes)
{
	for (uint32_t i = 0; i < shapes->count && shapes->of; i++)
		vec__free(&shapes->of[i].sizes);
	memory__put(&shapes->fields.all.memory, shapes->of, shapes->count * sizeof(*shapes->of));
	export_fields__free(&shapes->fields);
	*shapes = (struct hprof_shapes){ .of = NULL };
}
