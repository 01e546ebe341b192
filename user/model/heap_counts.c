/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap of which only the types are counted. */
#include <string.h>

#include "heap_private.h"

#define AHEAD 16 /* objects whose bits are fetched before they are looked at */

/* There is a count for each type that is known. */
static int make_room(struct heap *heap)
{
	const uint64_t bytes = heap->types.count * sizeof(struct heap_count) - heap->counts.used;
	void *to = pile__add(&heap->counts, &heap->memory, bytes);

	if (!to)
		return memory__error(&heap->memory);
	memset(to, 0, bytes);
	return 0;
}

static int add_new(struct heap *heap, const struct object_head *head)
{
	struct heap_count *count;
	uint32_t type;
	int err = heap_types__find(&heap->types, head->class_, &type);

	if (!err && type >= heap->counts.used / sizeof(*count))
		err = make_room(heap);
	if (err)
		return err;
	count = (struct heap_count *)(void *)heap->counts.at + type;
	if (!count->objects++)
		heap_types__use(&heap->types, type);
	count->bytes += heap__add_size(heap, head->size);
	return 0;
}

static int add(struct heap *heap, const struct object_head *head)
{
	int err, added;

	if (head->id == 0) {
		heap->facts.odd.nameless++;
		return 0;
	}
	err = heap__fit_index(heap, head->id);
	if (err)
		return err;
	added = address_index__add(&heap->index, head->id);
	return added > 0 ? add_new(heap, head) : added;
}

int heap_counts__add(struct heap *heap, const struct event *heads)
{
	const struct object_head *of = heads->heads.heads;
	const size_t count = heads->heads.count;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(address_index__near(&heap->index, of[i + AHEAD].id));
		err = add(heap, &of[i]);
	}
	heap->facts.objects = heap->index.count;
	return err;
}

void heap_counts__finish(struct heap *heap)
{
	address_index__free(&heap->index);
	heap->facts.undefined_types = heap_types__undefined(&heap->types);
}
