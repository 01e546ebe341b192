/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copying nursery with ageing, and objects in it that cannot be copied.
 *
 *     eden        | A | B |pinned| C |      new objects, all over it
 *     from        | D | E |                 survivors of earlier collections
 *     to          |                         empty
 *
 * A collection copies what is alive of eden and `from` to `to`, or, when it has survived
 * `--tenure` collections or `to` is full, to the old space; then `from` and `to` change places.
 *
 * Pinned objects stay where they are. What is free is therefore not a whole space but a list of
 * pieces, between the pinned ones; with none pinned it is one piece. A pinned object in `from`
 * makes the case that needs care: `from` is the `to` of the next collection, which then holds
 * objects that came before it. They have HEAD_LEFTOVER. So "lies in `to`" means "was copied in
 * this collection" only without that bit; with it, the object is collected like any other:
 * it stays while it is pinned, else is copied or dies, and leaves a filler.
 *
 * All pieces are written over with fillers when they become free, so that the spaces can always
 * be walked.
 */
#include "nursery.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

struct nursery nursery;

static void add_free(struct space *space, uint64_t start, uint64_t end)
{
	if (start == end)
		return;
	if (space->frees == space->capacity) {
		space->capacity = space->capacity ? 2 * space->capacity : 16;
		space->free = get_memory(space->free, space->capacity * sizeof(*space->free));
	}
	if (opt.verify)
		memset((void *)(uintptr_t)start, 0xdb, end - start);
	filler__write(start, end - start);
	space->free[space->frees++] = (struct chunk){ start, end };
}

static void init_space(struct space *space, uint64_t start, uint64_t bytes)
{
	space->start = start;
	space->end = start + bytes;
	pthread_mutex_init(&space->lock, NULL);
	add_free(space, space->start, space->end);
}

void nursery__init(uint64_t start, uint64_t eden, uint64_t survivor)
{
	init_space(&nursery.eden, start, eden);
	init_space(&nursery.survivor[0], start + eden, survivor);
	init_space(&nursery.survivor[1], start + eden + survivor, survivor);
	nursery.from = &nursery.survivor[0];
	nursery.to = &nursery.survivor[1];
}

/* What is left of a piece stays a filler of its own. */
static void cut(struct chunk *piece, uint64_t bytes, struct chunk *chunk)
{
	chunk->next = piece->next;
	chunk->end = piece->next += bytes;
	filler__write(piece->next, piece->end - piece->next);
}

bool space__take(struct space *space, uint64_t min, uint64_t want, struct chunk *chunk)
{
	bool found = false;

	pthread_mutex_lock(&space->lock);
	for (size_t i = space->next; i < space->frees && !found; i++) {
		struct chunk *piece = &space->free[i];
		uint64_t room = piece->end - piece->next;

		if (room < min) {
			if (i == space->next && room < 64)
				space->next++;
			continue;
		}
		cut(piece, room < want ? room : want, chunk);
		found = true;
	}
	pthread_mutex_unlock(&space->lock);
	return found;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = (uint64_t)(uintptr_t)*(void *const *)a;
	const uint64_t y = (uint64_t)(uintptr_t)*(void *const *)b;

	return x < y ? -1 : x > y;
}

void nursery__begin(const struct list *pinned)
{
	nursery.staying.count = 0;
	for (size_t i = 0; i < pinned->count; i++) {
		if (heap__is_young(pinned->items[i]))
			list__push(&nursery.staying, pinned->items[i]);
	}
	if (nursery.staying.count)
		qsort(nursery.staying.items, nursery.staying.count, sizeof(void *), by_address);
}

static bool is_in(const struct space *space, const void *o)
{
	return (uint64_t)(uintptr_t)o - space->start < space->end - space->start;
}

/* All of the space is free but the objects that stay. */
static void empty(struct space *space, uint64_t flag)
{
	uint64_t at = space->start;

	space->frees = space->next = 0;
	for (size_t i = 0; i < nursery.staying.count; i++) {
		struct object *o = nursery.staying.items[i];

		if (!is_in(space, o))
			continue;
		o->head |= flag;
		add_free(space, at, (uint64_t)(uintptr_t)o);
		at = (uint64_t)(uintptr_t)o + object__size(o);
	}
	add_free(space, at, space->end);
}

/*
 * Objects left over in `to` that did not stay this time become fillers: those that were copied
 * away have a forwarding address for a head, the dead ones an ordinary head without HEAD_PINNED.
 * A forwarded head has lost the size, which was noted when the object was left over.
 */
static void bury_leftovers(struct space *space, struct list *leftovers, const uint64_t *sizes)
{
	for (size_t i = 0; i < leftovers->count; i++) {
		struct object *o = leftovers->items[i];
		const uint64_t head = object__head(o);

		if (is_in(space, o) && ((head & HEAD_FORWARDED) || !(head & HEAD_PINNED)))
			filler__write((uint64_t)(uintptr_t)o, sizes[i]);
	}
}

static struct list leftovers;
static uint64_t *leftover_sizes;

/* Remembers what stays in the space that the next collection fills. */
static void note_leftovers(const struct space *space)
{
	leftovers.count = 0;
	for (size_t i = 0; i < nursery.staying.count; i++) {
		if (is_in(space, nursery.staying.items[i]))
			list__push(&leftovers, nursery.staying.items[i]);
	}
	leftover_sizes = get_memory(leftover_sizes, leftovers.count * sizeof(uint64_t));
	for (size_t i = 0; i < leftovers.count; i++)
		leftover_sizes[i] = object__size(leftovers.items[i]);
}

void nursery__end(void)
{
	struct space *filled = nursery.to;

	bury_leftovers(filled, &leftovers, leftover_sizes);
	empty(&nursery.eden, 0);
	empty(nursery.from, HEAD_LEFTOVER);
	note_leftovers(nursery.from);
	nursery.to = nursery.from;
	nursery.from = filled;
}

static bool walk_space(const struct space *space, heap__see *see, void *context)
{
	return heap__walk_range(space->start, space->end, see, context);
}

bool nursery__walk(heap__see *see, void *context)
{
	return walk_space(&nursery.eden, see, context) &&
	       walk_space(&nursery.survivor[0], see, context) &&
	       walk_space(&nursery.survivor[1], see, context);
}
