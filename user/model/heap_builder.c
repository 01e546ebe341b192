/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ram.h"
#include "gctrace/wire.h"
#include "heap_private.h"

#define NOT_FOLLOWED (GCTRACE_REF_WEAK | GCTRACE_REF_PHANTOM)
#define SHARE_OF_LIMIT 8 /* for pages that are got before anything is told */
#define RAW_BYTES_MOST (UINT64_C(1) << 35) /* places of raw rows have 32 bits */

struct heap_builder {
	struct heap *heap;
	struct pile place_bytes; /* of the row that is open */
	struct places_writer places;
	uint64_t open;	/* offset of the row that is told at present */
	bool is_open;
	bool places_known; /* of that row */
	uint64_t parts; /* rows with ROW_PART */
	uint64_t needed; /* bytes of memory, from when the limit was reached; before: 0 */
	bool counts_only;
	bool is_in_object; /* that is only counted, and has further parts */
	struct heap_facts facts; /* once the heap has gone */
};

static struct raw_row *open_row(const struct heap_builder *builder)
{
	return (struct raw_row *)(void *)(builder->heap->rows.pile.at + builder->open);
}

static int heap__init(struct heap *heap, uint64_t limit)
{
	struct raw_row *nowhere;
	int err;

	heap->memory.limit = limit;
	heap->facts = (struct heap_facts){
		.dump = EVENT_UNKNOWN,
		.collection = EVENT_UNKNOWN,
		.begun_ns = EVENT_UNKNOWN,
		.status = EVENT_UNKNOWN,
		.told = { EVENT_UNKNOWN, EVENT_UNKNOWN, EVENT_UNKNOWN, EVENT_UNKNOWN },
	};
	err = address_index__init(&heap->index, &heap->memory, ADDRESS_INDEX_SHIFT);
	if (!err)
		err = heap_types__init(&heap->types, &heap->memory);
	if (!err)
		err = heap_roots__init(&heap->roots, &heap->memory);
	if (err)
		return err;
	nowhere = pile__add(&heap->rows.pile, &heap->memory, sizeof(*nowhere));
	if (!nowhere)
		return memory__error(&heap->memory);
	*nowhere = (struct raw_row){ .type = (uint32_t)ROW_DEAD };
	return 0;
}

struct heap_builder *heap_builder__new(uint64_t limit)
{
	struct heap_builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	builder->heap = calloc(1, sizeof(*builder->heap));
	if (!builder->heap || heap__init(builder->heap, limit)) {
		heap_builder__free(builder);
		return NULL;
	}
	builder->heap->has_graph = true;
	builder->places.to = &builder->place_bytes;
	builder->places.memory = &builder->heap->memory;
	return builder;
}

void heap_builder__expect(struct heap_builder *builder, uint64_t heap_bytes)
{
	struct heap *heap = builder->heap;
	const uint64_t share = heap->memory.limit / SHARE_OF_LIMIT;
	uint64_t bytes = heap_bytes < HEAP_BUILDER_WARM ? heap_bytes : HEAP_BUILDER_WARM;

	if (heap->memory.limit && bytes > share)
		bytes = share;
	if (heap->has_graph)
		pile__warm(&heap->rows.pile, &heap->memory, bytes);
}

struct heap_builder *heap_builder__new_counting(uint64_t limit)
{
	struct heap_builder *builder = heap_builder__new(limit);

	if (builder) {
		builder->heap->has_graph = false;
		builder->counts_only = true;
	}
	return builder;
}

void heap_builder__free(struct heap_builder *builder)
{
	if (!builder)
		return;
	if (builder->heap)
		pile__free(&builder->place_bytes, &builder->heap->memory);
	heap__free(builder->heap);
	free(builder);
}

/* ---------------------------------------------------------------------------------------------
 * Objects
 */

/* A size that its class will tell waits until all classes have been told. */
static int encode_size(struct heap *heap, uint64_t told, uint32_t *word)
{
	uint64_t size, *large;

	if (told == EVENT_UNKNOWN) {
		heap->sized_by_type++;
		*word = RAW_SIZE_OF_TYPE;
		return 0;
	}
	size = heap__add_size(heap, told);

	*word = (uint32_t)size;
	if (size < ROW_HIGH)
		return 0;
	*word = ROW_HIGH | (uint32_t)(heap->rows.large.used / sizeof(*large));
	large = pile__add(&heap->rows.large, &heap->memory, sizeof(*large));
	if (!large)
		return memory__error(&heap->memory);
	*large = size;
	return 0;
}

static int size_by_type(struct heap *heap)
{
	uint8_t *end = heap->rows.pile.at + heap->rows.pile.used;
	struct raw_row *row = (struct raw_row *)(void *)heap->rows.pile.at;
	uint64_t left = heap->sized_by_type;
	int err = 0;

	for (; left && (uint8_t *)row < end && !err; row = raw_row__next(row)) {
		if (row->size != RAW_SIZE_OF_TYPE)
			continue;
		left--;
		err = encode_size(heap,
				  heap_types__size(&heap->types, row->type & ROW_TYPE_MASK),
				  &row->size);
	}
	return err;
}

static uint32_t flags_of(const struct event *event, uint32_t type)
{
	return type | (event->object.places & GCTRACE_PLACE_MASK) << ROW_KIND_SHIFT |
	       (event->object.flags & GCTRACE_OBJECT_FINALIZABLE ? (uint32_t)ROW_FINALIZABLE : 0) |
	       (event->object.flags & GCTRACE_OBJECT_PINNED ? (uint32_t)ROW_PINNED : 0);
}

/* A row for what was not told before, or for a further part or a duplicate of what was. */
static int begin_row(struct heap_builder *builder, const struct event *event)
{
	struct heap *heap = builder->heap;
	const uint64_t address = event->object.id;
	uint32_t type, size = 0;
	struct raw_row *row;
	int err = heap__fit_index(heap, address), added;

	if (err)
		return err;
	added = address_index__add(&heap->index, address);
	if (added < 0)
		return added;
	err = heap_types__find(&heap->types, event->object.class_, &type);
	if (err)
		return err;
	if (added) {
		heap_types__use(&heap->types, type);
		heap->facts.objects++;
		err = encode_size(heap, event->object.size, &size);
		if (err)
			return err;
	}
	builder->parts += !added;
	if (heap->rows.pile.used > RAW_BYTES_MOST)
		return -EOVERFLOW;
	builder->open = heap->rows.pile.used;
	row = pile__add(&heap->rows.pile, &heap->memory, sizeof(*row));
	if (!row)
		return memory__error(&heap->memory);
	/* Field by field: a copy of the whole would wait for what has just been stored in parts. */
	row->address = address;
	row->size = size;
	row->type = flags_of(event, type) | (added ? 0 : (uint32_t)ROW_PART);
	row->references = row->place_bytes = 0;
	builder->is_open = true;
	builder->places_known = event->object.places != GCTRACE_PLACE_UNKNOWN;
	places_writer__begin(&builder->places);
	return 0;
}

static int end_row(struct heap_builder *builder, bool finished)
{
	struct heap *heap = builder->heap;
	struct raw_row *row;
	uint64_t bytes;
	uint8_t *to;

	builder->is_open = false;
	row = open_row(builder);
	row->type |= finished ? 0 : (uint32_t)ROW_UNFINISHED;
	if (!builder->places_known || !builder->places.length || builder->places.plain)
		return 0;
	if (!places_writer__end_run(&builder->places))
		return memory__error(&heap->memory);
	bytes = builder->place_bytes.used;
	if (bytes > UINT32_MAX)
		return -EOVERFLOW;
	to = pile__add(&heap->rows.pile, &heap->memory, (bytes + 7) & ~UINT64_C(7));
	if (!to)
		return memory__error(&heap->memory);
	memcpy(to, builder->place_bytes.at, bytes);
	row = open_row(builder);
	row->place_bytes = (uint32_t)bytes;
	row->type |= ROW_PLACED;
	return 0;
}

static int add_weak(struct heap_builder *builder, const struct reference *reference)
{
	struct heap *heap = builder->heap;
	struct weak_entry *weak = pile__add(&heap->weak, &heap->memory, sizeof(*weak));

	if (!weak)
		return memory__error(&heap->memory);
	*weak = (struct weak_entry){
		.from = open_row(builder)->address,
		.to = reference->to,
		.place = reference->place,
		.flags = reference->flags,
	};
	open_row(builder)->type |= ROW_WEAK;
	heap->facts.weak_references++;
	return 0;
}

/* No object is so large: it would be a lie. */
static uint64_t place_of(const struct reference *reference)
{
	return reference->place == PLACE_DEPENDENT ? EVENT_UNKNOWN : reference->place;
}

/* Nulls only move the places of what follows; weak references stand in a list of their own. */
static int add_references(struct heap_builder *builder, const struct event *event)
{
	struct heap *heap = builder->heap;
	const bool known = builder->places_known &&
			   event->object.places != GCTRACE_PLACE_UNKNOWN;
	uint64_t count = event->object.count, kept = 0, *to;
	int err;

	if (count > UINT32_MAX - open_row(builder)->references)
		return -EOVERFLOW;
	to = pile__add(&heap->rows.pile, &heap->memory, count * sizeof(*to));
	if (!to)
		return memory__error(&heap->memory);
	for (uint64_t i = 0; i < count; i++) {
		const struct reference *reference = &event->object.references[i];

		if (!reference->to) {
			heap->facts.nulls++;
			continue;
		}
		if (reference->flags & NOT_FOLLOWED) {
			err = add_weak(builder, reference);
			if (err)
				return err;
			continue;
		}
		to[kept++] = reference->to;
		if (builder->places_known &&
		    !places_writer__add(&builder->places,
					known ? place_of(reference) : EVENT_UNKNOWN))
			return memory__error(&heap->memory);
	}
	heap->rows.pile.used -= (count - kept) * sizeof(*to);
	open_row(builder)->references += (uint32_t)kept;
	heap->facts.references += kept;
	return 0;
}

static int add_object(struct heap_builder *builder, const struct event *event)
{
	int err = 0;

	if (event->object.id == 0) {
		builder->heap->facts.odd.nameless++;
		return 0;
	}
	if (!builder->is_open || open_row(builder)->address != event->object.id) {
		if (builder->is_open)
			err = end_row(builder, false);
		if (!err)
			err = begin_row(builder, event);
	}
	if (!err && event->object.count)
		err = add_references(builder, event);
	if (!err && !event->object.more)
		err = end_row(builder, true);
	return err;
}

/* ---------------------------------------------------------------------------------------------
 * Everything else
 */

static int begin_container(struct heap_builder *builder, const struct event *event)
{
	struct heap_facts *facts = &builder->heap->facts;

	switch (event->container.type) {
	case GCTRACE_C_BEGIN:
		facts->odd.begun_again += facts->begun;
		facts->begun = true;
		facts->begun_ns = event->time;
		facts->dump = event->container.id1;
		facts->collection = event->container.id2;
		return 0;
	case GCTRACE_C_END:
		facts->ended = true;
		facts->status = event->container.id1;
		return 0;
	case GCTRACE_C_HEAP:
		facts->has_heap_container = true;
		return 0;
	default:
		return heap_roots__begin(&builder->heap->roots, event);
	}
}

static void end_dump(struct heap_facts *facts, const struct event *event)
{
	facts->told.objects = event->dump_end.objects;
	facts->told.references = event->dump_end.references;
	facts->told.roots = event->dump_end.roots;
	facts->told.bytes = event->dump_end.bytes;
	if (facts->status == EVENT_UNKNOWN)
		facts->status = event->dump_end.status;
}

/* ---------------------------------------------------------------------------------------------
 * At the limit. The rest of the dump is not kept, but counted: so the error names a size that is
 * enough for all of it.
 */

#define PEAK_OBJECT 36u /* heap.h */
#define PEAK_REFERENCE 8u
#define PEAK_NAMED 256u /* a type, a container: more than its rows, at most */
#define RAW_OBJECT ((uint64_t)sizeof(struct raw_row))

static void begin_counting(struct heap_builder *builder)
{
	const struct heap *heap = builder->heap;

	builder->needed = heap->memory.used;
	if (!builder->counts_only)
		builder->needed += (PEAK_OBJECT - RAW_OBJECT) * heap->facts.objects;
}

static void count_only(struct heap_builder *builder, const struct event *event)
{
	struct heap_facts *facts = &builder->heap->facts;

	switch (event->kind) {
	case EVENT_OBJECT:
		facts->objects += !builder->is_in_object;
		facts->references += event->object.count;
		builder->needed += builder->is_in_object ? 0 : PEAK_OBJECT;
		builder->needed += event->object.count * PEAK_REFERENCE;
		builder->is_in_object = event->object.more;
		return;
	case EVENT_HEADS:
		facts->objects += event->heads.count;
		builder->needed += event->heads.count * 2;
		return;
	case EVENT_ROOTS:
		builder->needed += event->roots.count * (sizeof(*event->roots.roots) + PEAK_OBJECT);
		return;
	case EVENT_CLASS:
		builder->needed += PEAK_NAMED + event->class_.name.bytes +
				   event->class_.fields.bytes;
		return;
	case EVENT_DEFINE:
		builder->needed += PEAK_NAMED + event->define.name.bytes;
		return;
	case EVENT_CONTAINER:
		builder->needed += PEAK_NAMED;
		return;
	default:
		return;
	}
}

static int take(struct heap_builder *builder, const struct event *event)
{
	struct heap *heap = builder->heap;

	switch (event->kind) {
	case EVENT_OBJECT:
		return add_object(builder, event);
	case EVENT_HEADS:
		return heap_counts__add(heap, event);
	case EVENT_CONTAINER:
		return begin_container(builder, event);
	case EVENT_ROOTS:
		return heap_roots__add(&heap->roots, event);
	case EVENT_CLASS:
		return heap_types__class(&heap->types, event);
	case EVENT_DEFINE:
		return heap_types__define(&heap->types, event);
	case EVENT_DUMP_END:
		end_dump(&heap->facts, event);
		return 0;
	case EVENT_LOSS:
		heap->facts.losses++;
		heap_roots__lost(&heap->roots);
		return 0;
	default:
		return 0;
	}
}

int heap_builder__event(struct heap_builder *builder, const struct event *event)
{
	struct heap_facts *facts = &builder->heap->facts;
	const uint64_t objects = facts->objects, references = facts->references;
	const bool is_in_object = builder->is_open;
	int err = builder->needed ? 0 : take(builder, event);

	if (err == -EDQUOT) { /* what is half taken counts as not taken */
		facts->objects = objects;
		facts->references = references;
		builder->is_in_object = is_in_object;
		begin_counting(builder);
		err = 0;
	}
	if (builder->needed)
		count_only(builder, event);
	return err;
}

void heap_builder__is_of_jvm(struct heap_builder *builder)
{
	builder->heap->facts.is_of_jvm = true;
}

void heap_builder__reached_only(struct heap_builder *builder)
{
	builder->heap->facts.reached_only = true;
}

const struct heap_facts *heap_builder__facts(const struct heap_builder *builder)
{
	return builder->heap ? &builder->heap->facts : &builder->facts;
}

uint64_t heap_builder__memory(const struct heap_builder *builder)
{
	return builder->heap ? builder->heap->memory.used : 0;
}

/* For people: with an eighth for what the estimate leaves out, and more than was refused. */
static uint64_t needed_mib(const struct heap_builder *builder)
{
	const uint64_t least = ram__least_needed();
	const uint64_t needed = builder->needed > least ? builder->needed : least;

	return (needed + needed / 8 + (UINT64_C(2) << 20)) >> 20;
}

void heap_builder__explain(const struct heap_builder *builder, int err, char *to, size_t bytes)
{
	const struct heap_facts *facts = heap_builder__facts(builder);

	if (builder->counts_only && err == -EDQUOT) {
		snprintf(to, bytes,
			 "counting %" PRIu64 " objects needs more memory than the limit allows;"
			 " raise --mem-limit to at least %" PRIu64 " MiB",
			 facts->objects, needed_mib(builder));
		return;
	}
	if (builder->counts_only) {
		snprintf(to, bytes,
			 "counting objects needs more memory than the system has: %" PRIu64
			 " had come", facts->objects);
		return;
	}
	switch (err) {
	case -EDQUOT:
		snprintf(to, bytes,
			 "the heap graph needs more memory than the limit allows, for %" PRIu64
			 " objects and %" PRIu64 " references; raise --mem-limit to at least %"
			 PRIu64 " MiB",
			 facts->objects, facts->references, needed_mib(builder));
		return;
	case -EOVERFLOW:
		snprintf(to, bytes,
			 "the heap graph has more than 8 GiB of rows (16 bytes an object, 4 a "
			 "reference): %" PRIu64 " objects and %" PRIu64 " references had come",
			 facts->objects, facts->references);
		return;
	default:
		snprintf(to, bytes,
			 "the system has no memory for the heap graph: %" PRIu64
			 " objects and %" PRIu64 " references had come",
			 facts->objects, facts->references);
	}
}

static int make_graph(struct heap_builder *builder)
{
	struct heap *heap = builder->heap;
	int err = builder->is_open ? end_row(builder, false) : 0;

	pile__free(&builder->place_bytes, &heap->memory);
	if (!err)
		err = size_by_type(heap);
	if (!err)
		err = address_index__seal(&heap->index);
	if (!err)
		err = heap_parts__join(heap, builder->parts);
	if (!err)
		err = heap_resolve(heap);
	if (!err)
		err = dominator_tree__grow(&heap->tree, &heap->rows, &heap->memory);
	if (err)
		return err;
	heap__count_up(heap);
	if (heap->facts.is_of_jvm)
		heap__explain_absent(heap);
	return 0;
}

int heap_builder__finish(struct heap_builder *builder, struct heap **result)
{
	struct heap *heap = builder->heap;
	int err = builder->needed ? -EDQUOT : 0;

	heap_types__seal(&heap->types);
	if (!err && heap->has_graph)
		err = make_graph(builder);
	else if (!err)
		heap_counts__finish(heap);
	if (err == -EDQUOT && !builder->needed)
		begin_counting(builder);
	heap->facts.odd.types_beyond = heap->types.beyond;
	heap->facts.estimated_types = heap_types__estimated(&heap->types);
	builder->facts = heap->facts;
	builder->heap = NULL;
	if (err) {
		pile__free(&builder->place_bytes, &heap->memory);
		heap__free(heap);
		return err;
	}
	*result = heap;
	return 0;
}
