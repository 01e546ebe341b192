/* SPDX-License-Identifier: BSD-2-Clause */
#include "young_walk.h"
#include "class_sizes.h"
#include "memory.h"
#include "young_check.h"

#include <stddef.h>

#define COPIED 3 /* in a mark's lowest bits */
#define LEAST 16 /* bytes of an object */

static uint64_t mark_of(uint64_t object)
{
	return *(const uint64_t *)(uintptr_t)object;
}

static uint32_t class_of(uint64_t object)
{
	return *(const uint32_t *)(uintptr_t)(object + 8);
}

/* ---- Ranges ---- */

static void end_range(struct young_walk *walk)
{
	if (walk->length)
		gctrace_write_move(walk->writer, UINT64_MAX, walk->generation, 0, walk->old,
				   walk->new_, walk->length);
	walk->length = 0;
}

static void add_move(struct young_walk *walk, uint64_t old, uint64_t new_, uint64_t bytes)
{
	if (walk->length && walk->old + walk->length == old &&
	    walk->new_ + walk->length == new_) {
		walk->length += bytes;
		return;
	}
	end_range(walk);
	walk->old = old;
	walk->new_ = new_;
	walk->length = bytes;
}

/* Dead ones of an old part: the room is given to others now. */
static void tell_gap(struct young_walk *walk, uint64_t from, uint64_t to)
{
	if (walk->generation == OLD_GENERATION && to > from)
		gctrace_write_reuse(walk->writer, UINT64_MAX, from, to - from);
}

/* ---- Objects ---- */

/* Where its copy lies; 0: it has none that could be believed. */
static uint64_t copy_of(const struct young_walk *walk, uint64_t object, uint64_t mark)
{
	const uint64_t copy = mark & ~(uint64_t)COPIED;
	const struct heap_part *part = heap_layout__at(walk->now, copy);

	if (!part || part->kind == HEAP_LARGE || copy % 8 || part->top - copy < LEAST ||
	    class_of(copy) != class_of(object))
		return 0;
	return copy;
}

static void compare(struct young_walk *walk, uint64_t object, uint64_t copy)
{
	if (walk->check < object)
		walk->check = young_check__from(object);
	if (walk->check == object)
		walk->check = young_check__found(copy);
}

/* The bytes of an object that begins at `object`; 0: `why`. */
static uint64_t take_object(struct young_walk *walk, uint64_t object, uint64_t end, uint64_t *copy)
{
	const uint64_t mark = mark_of(object);
	uint64_t bytes;

	*copy = 0;
	if ((mark & COPIED) == COPIED) {
		*copy = copy_of(walk, object, mark);
		if (!*copy) {
			walk->why = "an object whose copy is not where it should be";
			return 0;
		}
	}
	bytes = class_sizes__of(class_of(object), *copy ? *copy : object,
				*copy ? UINT64_MAX : end);
	if (bytes >= LEAST && bytes % 8 == 0 && bytes <= end - object)
		return bytes;
	walk->why = "an object whose size is not known, such as a virtual thread's stack";
	return 0;
}

static bool walk_objects(struct young_walk *walk, const struct heap_part *part)
{
	uint64_t object = part->start, bytes, copy, gap = part->start;

	for (; object < part->top; object += bytes) {
		bytes = part->top - object < LEAST ? 0 :
						     take_object(walk, object, part->top, &copy);
		if (!bytes) {
			tell_gap(walk, gap, part->top);
			return false;
		}
		if (object >= walk->check)
			compare(walk, object, copy);
		if (!copy)
			continue;
		tell_gap(walk, gap, object);
		gap = object + bytes;
		add_move(walk, object, copy, bytes);
	}
	tell_gap(walk, gap, part->top);
	return true;
}

/* The first word and the last: what is in between was one piece, and may not be given back yet. */
static bool is_there(const struct heap_part *part)
{
	uint64_t word;

	return memory__read(part->start, &word, sizeof(word)) &&
	       memory__read(part->top - sizeof(word), &word, sizeof(word));
}

bool young_walk__part(struct young_walk *walk, const struct heap_part *part)
{
	bool is_whole;

	walk->generation = part->kind == HEAP_OLD ? OLD_GENERATION : YOUNG_GENERATION;
	if (!is_there(part)) {
		tell_gap(walk, part->start, part->top);
		walk->why = "room that was given back to the system";
		return false;
	}
	walk->check = young_check__from(part->start);
	is_whole = walk_objects(walk, part);
	end_range(walk);
	return is_whole;
}
