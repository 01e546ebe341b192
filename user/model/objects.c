/* SPDX-License-Identifier: BSD-2-Clause */
#include "objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRIM_FROM 1024 /* empty chunks that are not worth a look */

/* ---------------------------------------------------------------- chunks */

static size_t slot_of(const struct objects *objects, uint64_t number)
{
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 20) & (objects->table_size - 1);
}

struct chunk *objects__find(struct objects *objects, uint64_t number)
{
	struct chunk *chunk = objects->last;

	if (chunk && chunk->number == number)
		return chunk;
	if (objects->table_size == 0)
		return NULL;
	for (size_t i = slot_of(objects, number);; i = (i + 1) & (objects->table_size - 1)) {
		chunk = objects->table[i];
		if (!chunk)
			return NULL;
		if (chunk->number == number) {
			objects->last = chunk;
			return chunk;
		}
	}
}

static void enter(struct objects *objects, struct chunk *chunk)
{
	size_t i = slot_of(objects, chunk->number);

	while (objects->table[i])
		i = (i + 1) & (objects->table_size - 1);
	objects->table[i] = chunk;
}

static void enter_all(struct objects *objects)
{
	for (size_t i = 0; i < objects->sorted.count; i++)
		enter(objects, objects->sorted.items[i]);
	for (size_t i = 0; i < objects->fresh.count; i++)
		enter(objects, objects->fresh.items[i]);
}

/* At most half of the table is used. */
static int make_room(struct objects *objects)
{
	size_t size = objects->table_size ? 2 * objects->table_size : 64;
	struct chunk **table;

	if (2 * (objects->sorted.count + objects->fresh.count + 1) <= objects->table_size)
		return 0;
	table = calloc(size, sizeof(struct chunk *));
	if (!table)
		return -ENOMEM;
	free(objects->table);
	objects->table = table;
	objects->table_size = size;
	enter_all(objects);
	return 0;
}

struct chunk *objects__need(struct objects *objects, uint64_t number)
{
	struct chunk *chunk = objects__find(objects, number);

	if (chunk)
		return chunk;
	if (make_room(objects))
		return NULL;
	chunk = calloc(1, sizeof(*chunk));
	if (!chunk || vec__push(&objects->fresh, chunk)) {
		free(chunk);
		return NULL;
	}
	chunk->number = number;
	enter(objects, chunk);
	objects->last = chunk;
	return chunk;
}

static int by_number(const void *a, const void *b)
{
	const struct chunk *left = *(struct chunk *const *)a, *right = *(struct chunk *const *)b;

	return left->number < right->number ? -1 : left->number > right->number;
}

/* The fresh ones go in from behind, so that each chunk is moved once. */
int objects__sort(struct objects *objects)
{
	size_t old = objects->sorted.count, fresh = objects->fresh.count, at = old + fresh;
	struct chunk **items;

	if (fresh == 0)
		return 0;
	if (vec__reserve(&objects->sorted, fresh))
		return -ENOMEM;
	vec__sort(&objects->fresh, by_number);
	items = objects->sorted.items;
	objects->sorted.count = at;
	while (fresh > 0) {
		struct chunk *next = objects->fresh.items[fresh - 1];

		if (old > 0 && items[old - 1]->number > next->number) {
			items[--at] = items[--old];
		} else {
			items[--at] = next;
			fresh--;
		}
	}
	vec__reset(&objects->fresh);
	return 0;
}

size_t objects__index(const struct objects *objects, size_t from, uint64_t number)
{
	struct chunk *const *items = objects->sorted.items;
	size_t low = from, high = objects->sorted.count, step = 1;

	/* The next one is near, mostly. */
	while (low + step < high && items[low + step]->number < number) {
		low += step;
		step *= 2;
	}
	if (low + step < high)
		high = low + step;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void objects__trim(struct objects *objects)
{
	size_t empty = 0, kept = 0;

	if (objects__sort(objects))
		return;
	for (size_t i = 0; i < objects->sorted.count; i++)
		empty += chunk__is_idle(objects->sorted.items[i]);
	if (empty < TRIM_FROM || empty < objects->sorted.count / 2)
		return;
	for (size_t i = 0; i < objects->sorted.count; i++) {
		if (chunk__is_idle(objects->sorted.items[i]))
			chunk__free(objects->sorted.items[i]);
		else
			objects->sorted.items[kept++] = objects->sorted.items[i];
	}
	objects->sorted.count = kept;
	objects->last = NULL;
	memset(objects->table, 0, objects->table_size * sizeof(*objects->table));
	enter_all(objects);
}

void objects__free(struct objects *objects)
{
	for (size_t i = 0; i < objects->sorted.count; i++)
		chunk__free(objects->sorted.items[i]);
	for (size_t i = 0; i < objects->fresh.count; i++)
		chunk__free(objects->fresh.items[i]);
	vec__free(&objects->sorted);
	vec__free(&objects->fresh);
	vec__free(&objects->touched);
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		vec__free(&objects->held[slot]);
	vec__free(&objects->huge);
	vec__free(&objects->told_huge);
	free(objects->table);
	objects->table = NULL;
	objects->table_size = 0;
	objects->last = NULL;
	objects->count = 0;
}

/* ---------------------------------------------------------------- coming and leaving */

int objects__touch(struct objects *objects, struct chunk *chunk)
{
	if (chunk->touched)
		return 0;
	if (vec__push(&objects->touched, chunk))
		return -ENOMEM;
	chunk->touched = true;
	return 0;
}

int objects__hold(struct objects *objects, struct chunk *chunk, unsigned int slot, uint32_t count)
{
	if (!chunk->listed[slot] && vec__push(&objects->held[slot], chunk))
		return -ENOMEM;
	chunk->listed[slot] = true;
	chunk->held[slot] += count;
	return 0;
}

bool objects__name(struct objects *objects, struct object *object, uint64_t size)
{
	if (objects->ids >= OBJECT_ID_MOST) {
		objects->refused++;
		return false;
	}
	objects->ids++;
	object->id_low = (uint32_t)objects->ids;
	object->id_high = (uint32_t)(objects->ids >> 32) & 0xff;
	object->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	if (size >= UINT32_MAX &&
	    vec__push(&objects->huge, (struct object_huge){ objects->ids, size })) {
		objects->refused++;
		return false;
	}
	return true;
}

int objects__add(struct objects *objects, const struct object_birth *birth)
{
	struct chunk *chunk = objects__need(objects, birth->address >> CHUNK_SHIFT);
	struct object object = {
		.size = birth->size < UINT32_MAX ? (uint32_t)birth->size : UINT32_MAX,
		.type = birth->type & OBJECT_TYPE_MOST,
		.birth = birth->birth < OBJECT_BIRTH_MOST ? birth->birth : OBJECT_BIRTH_MOST,
		.flags = birth->born ? OBJECT_BORN : 0,
		.offset = (uint16_t)birth->address,
	};

	if (!chunk)
		return -ENOMEM;
	if (birth->told && birth->size >= UINT32_MAX &&
	    vec__push(&objects->told_huge, (struct object_huge){ birth->address, birth->size }))
		return -ENOMEM;
	if (birth->told)
		return chunk__tell(chunk, &object);
	if (chunk__reserve(chunk, 1, 16) || objects__touch(objects, chunk))
		return -ENOMEM;
	if (!objects__name(objects, &object, birth->size))
		return 0;
	chunk->unsorted |= chunk->arrival_count > 0 &&
			   chunk->arrivals[chunk->arrival_count - 1].offset >= object.offset;
	chunk->arrivals[chunk->arrival_count++] = object;
	objects->count++;
	return 0;
}

/* There are next to none of them. */
static void forget_huge(struct objects *objects, uint64_t id)
{
	size_t kept = 0;

	for (size_t i = 0; i < objects->huge.count; i++)
		if (objects->huge.items[i].id != id)
			objects->huge.items[kept++] = objects->huge.items[i];
	objects->huge.count = kept;
}

void objects__leave(struct objects *objects, struct chunk *chunk, const struct object *object,
		    enum object_fate fate)
{
	objects->count--;
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		chunk->held[slot] -= object__state(object, slot) != OBJECT_UNTOUCHED;
	if (objects->left)
		objects->left(objects->context, object, chunk__address(chunk, object), fate);
	if (object->size == UINT32_MAX)
		forget_huge(objects, object__id(object));
}

/* ---------------------------------------------------------------- looking */

const struct object *objects__at(struct objects *objects, uint64_t address)
{
	const struct chunk *chunk = objects__find(objects, address >> CHUNK_SHIFT);
	uint32_t i;

	if (!chunk)
		return NULL;
	i = chunk__index(chunk, address & (CHUNK_BYTES - 1));
	if (i == chunk->count || chunk->items[i].offset != (address & (CHUNK_BYTES - 1)))
		return NULL;
	return &chunk->items[i];
}

uint64_t objects__huge_size(const struct objects *objects, const struct object *object)
{
	size_t low = 0, high = objects->huge.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (objects->huge.items[middle].id <= object__id(object))
			low = middle;
		else
			high = middle;
	}
	return low < high ? objects->huge.items[low].size : UINT32_MAX;
}

int objects__each(struct objects *objects,
		  int (*fn)(void *context, const struct object *object, uint64_t address),
		  void *context)
{
	int result = objects__sort(objects);

	for (size_t i = 0; i < objects->sorted.count && !result; i++) {
		const struct chunk *chunk = objects->sorted.items[i];

		for (uint32_t j = 0; j < chunk->count && !result; j++)
			result = fn(context, &chunk->items[j],
				    chunk__address(chunk, &chunk->items[j]));
	}
	return result;
}

static uint64_t bytes_of(const struct chunks *chunks)
{
	uint64_t bytes = chunks->alloc * sizeof(struct chunk *);

	for (size_t i = 0; i < chunks->count; i++) {
		const struct chunk *chunk = chunks->items[i];

		bytes += sizeof(*chunk) + sizeof(struct object) *
			 ((uint64_t)chunk->alloc + chunk->arrival_alloc + chunk->told_alloc);
	}
	return bytes;
}

uint64_t objects__bytes(const struct objects *objects)
{
	return bytes_of(&objects->sorted) + bytes_of(&objects->fresh) +
	       objects->table_size * sizeof(*objects->table) +
	       objects->huge.alloc * sizeof(*objects->huge.items);
}
