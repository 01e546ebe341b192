/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/heap_private.h"

static void tell(struct heap_builder *builder, const struct event *event)
{
	assert_int_equal(heap_builder__event(builder, event), 0);
}

void dump__container(struct heap_builder *builder, uint64_t type, uint64_t id1, uint64_t id2)
{
	struct event event = { .kind = EVENT_CONTAINER };

	event.container.type = type;
	event.container.id1 = id1;
	event.container.id2 = id2;
	tell(builder, &event);
}

void dump__begin(struct heap_builder *builder)
{
	dump__container(builder, GCTRACE_C_BEGIN, 1, 7);
}

void dump__end(struct heap_builder *builder, uint64_t status)
{
	dump__container(builder, GCTRACE_C_END, status, 0);
}

void dump__class(struct heap_builder *builder, uint64_t number, const char *name,
		 const char *fields, size_t fields_bytes, uint32_t flags)
{
	struct event event = { .kind = EVENT_CLASS };

	event.class_.class_ = number;
	event.class_.flags = flags;
	event.class_.name = (struct text){ name, strlen(name) };
	event.class_.fields = (struct text){ fields, fields_bytes };
	tell(builder, &event);
}

void dump__define(struct heap_builder *builder, uint32_t space, uint64_t id, uint64_t a,
		  uint64_t b, const char *name)
{
	struct event event = { .kind = EVENT_DEFINE };

	event.define.space = space;
	event.define.id = id;
	event.define.a = a;
	event.define.b = b;
	event.define.name = (struct text){ name, strlen(name) };
	tell(builder, &event);
}

void dump__root(struct heap_builder *builder, uint64_t type, uint64_t id1, uint64_t to,
		uint64_t kind, uint64_t id, uint32_t flags)
{
	const struct root root = { .to = to, .kind = kind, .id = id, .flags = flags };
	struct event event = { .kind = EVENT_ROOTS };

	event.roots.type = type;
	event.roots.id1 = id1;
	event.roots.roots = &root;
	event.roots.count = 1;
	tell(builder, &event);
}

void dump__object(struct heap_builder *builder, const struct told *told)
{
	struct reference *references = calloc(told->count + 1, sizeof(*references));
	struct event event = { .kind = EVENT_OBJECT };

	assert_non_null(references);
	for (size_t i = 0; i < told->count; i++)
		references[i] = (struct reference){
			.to = told->to[i],
			.place = told->first + i,
			.flags = told->reference_flags,
		};
	event.object.id = told->id;
	event.object.class_ = told->class_;
	event.object.size = told->size;
	event.object.flags = told->flags;
	event.object.places = GCTRACE_PLACE_POSITION;
	event.object.more = told->more;
	event.object.references = references;
	event.object.count = told->count;
	tell(builder, &event);
	free(references);
}

struct heap *dump__heap(struct heap_builder *builder)
{
	struct heap *heap = NULL;

	assert_int_equal(heap_builder__finish(builder, &heap), 0);
	assert_non_null(heap);
	heap_builder__free(builder);
	return heap;
}

void dump__leave(struct heap *heap, uint64_t bytes)
{
	heap->memory.limit = heap->memory.used + bytes;
}

uint32_t place_of(struct heap *heap, uint64_t address)
{
	uint32_t place;

	assert_int_equal(heap__find(heap, address, &place), 0);
	assert_int_not_equal(place, HEAP_NONE);
	return place;
}
