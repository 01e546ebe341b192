/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap of which only the types are counted.
 *
 * Most objects are plain: their region and class were met lately. Neighbours come one after the
 * other, so their bits stand in the same word of the index: it is in a register meanwhile, for a
 * bit that goes to memory and is asked for at once has to be waited for. Where they are scattered
 * instead, their words are fetched ahead.
 *
 * All others (an odd address, a new region or class, a size that may be a lie) go the general way,
 * one by one.
 */
#include <string.h>

#include "heap_private.h"

#define AHEAD 16 /* objects whose bits are fetched before they are looked at */
#define SCATTERED 3 /* one object of so many is not in the word of the one before */
#define PLAIN_SIZE_MOST (UINT64_C(1) << 40) /* so many of them make no sum overflow */

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
	count->objects++;
	if (head->size == EVENT_UNKNOWN)
		count->by_type++;
	else
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

/* The count of a class that was met lately; NULL: it is not there. */
static inline struct heap_count *count_near(const struct heap *heap, uint64_t class_)
{
	const uint32_t at = (uint32_t)class_ & (HEAP_TYPES_RECENT - 1);
	const uint32_t type = heap->types.recent[at].index;

	if (!type || heap->types.recent[at].number != class_ ||
	    type >= heap->counts.used / sizeof(struct heap_count))
		return NULL;
	return (struct heap_count *)(void *)heap->counts.at + type;
}

/* Objects from the first on, as long as they are plain: how many. */
static size_t add_plain(struct heap *heap, const struct object_head *of, size_t count, bool fetch)
{
	const uint32_t unit = heap->index.shift, shift = unit + ADDRESS_INDEX_WORD_SHIFT;
	const uint64_t within = (UINT64_C(1) << unit) - 1;
	uint64_t number = UINT64_MAX, bits = 0, added = 0, bytes = 0;
	struct address_word nowhere, *word = &nowhere;
	size_t i;

	for (i = 0; i < count; i++) {
		const uint64_t id = of[i].id, bit = UINT64_C(1) << (id >> unit & 63);
		struct heap_count *to = count_near(heap, of[i].class_);

		if (fetch && i + AHEAD < count)
			__builtin_prefetch(address_index__near(&heap->index, of[i + AHEAD].id));
		const bool is_sized = of[i].size != EVENT_UNKNOWN; /* else by its type */
		const uint64_t size = is_sized ? of[i].size : 0;

		if (!to || !id || id & within || size > PLAIN_SIZE_MOST)
			break;
		if (id >> shift != number) {
			struct address_word *next = address_index__near(&heap->index, id);

			if (!next)
				break;
			word->bits = bits;
			word = next;
			bits = word->bits;
			number = id >> shift;
			heap->jumps++;
		}
		if (bits & bit)
			continue;
		bits |= bit;
		to->objects++;
		to->by_type += !is_sized;
		to->bytes += size;
		bytes += size;
		added++;
	}
	word->bits = bits;
	heap->index.count += added;
	heap->facts.bytes += bytes;
	return i;
}

int heap_counts__add(struct heap *heap, const struct event *heads)
{
	const struct object_head *of = heads->heads.heads;
	const size_t count = heads->heads.count;
	const bool fetch = heap->jumps > count / SCATTERED;
	size_t i = 0;
	int err = 0;

	heap->jumps = 0;
	while (i < count && !err) {
		if (heap->facts.bytes <= UINT64_MAX - count * PLAIN_SIZE_MOST)
			i += add_plain(heap, of + i, count - i, fetch);
		if (i < count)
			err = add(heap, &of[i++]);
	}
	heap->facts.objects = heap->index.count;
	return err;
}

static void size_by_type(struct heap *heap)
{
	struct heap_count *of = (struct heap_count *)(void *)heap->counts.at;
	const size_t count = heap->counts.used / sizeof(*of);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t size = heap_types__size(&heap->types, i);
		uint64_t bytes;

		if (__builtin_mul_overflow(size, of[i].by_type, &bytes))
			bytes = UINT64_MAX;
		of[i].bytes += of[i].by_type ? heap__add_size(heap, bytes) : 0;
	}
}

void heap_counts__finish(struct heap *heap)
{
	const struct heap_count *counts = (const struct heap_count *)(const void *)heap->counts.at;

	for (uint32_t i = 0; i < heap->counts.used / sizeof(*counts); i++)
		if (counts[i].objects)
			heap_types__use(&heap->types, i);
	size_by_type(heap);
	address_index__free(&heap->index);
	heap->facts.undefined_types = heap_types__undefined(&heap->types);
}
