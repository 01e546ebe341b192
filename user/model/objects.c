/* SPDX-License-Identifier: BSD-2-Clause */
#include "objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRIM_FROM 1024 /* empty chunks that are not worth a look */

/* ---------------------------------------------------------------- chunks */

static void free_chunk(struct chunk *chunk)
{
	free(chunk->items);
	free(chunk->arrivals);
	free(chunk->told);
	free(chunk);
}

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

uint32_t chunk__index(const struct chunk *chunk, uint64_t offset)
{
	uint32_t low = 0, high = chunk->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (chunk->items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_empty(const struct chunk *chunk)
{
	return chunk->count == 0 && chunk->arrival_count == 0 && chunk->told_count == 0 &&
	       !chunk->touched && !chunk->listed[0] && !chunk->listed[1] && !chunk->listed[2];
}

void objects__trim(struct objects *objects)
{
	size_t empty = 0, kept = 0;

	if (objects__sort(objects))
		return;
	for (size_t i = 0; i < objects->sorted.count; i++)
		empty += is_empty(objects->sorted.items[i]);
	if (empty < TRIM_FROM || empty < objects->sorted.count / 2)
		return;
	for (size_t i = 0; i < objects->sorted.count; i++) {
		if (is_empty(objects->sorted.items[i]))
			free_chunk(objects->sorted.items[i]);
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
		free_chunk(objects->sorted.items[i]);
	for (size_t i = 0; i < objects->fresh.count; i++)
		free_chunk(objects->fresh.items[i]);
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

int chunk__reserve(struct chunk *chunk, uint32_t extra, uint32_t guess)
{
	uint32_t need = chunk->arrival_count + extra, alloc = chunk->arrival_alloc;
	struct object *arrivals;

	if (need <= alloc)
		return 0;
	alloc = alloc ? 2 * alloc : guess;
	alloc = alloc < need ? need : alloc;
	alloc = alloc < 16 ? 16 : alloc;
	arrivals = realloc(chunk->arrivals, (size_t)alloc * sizeof(*arrivals));
	if (!arrivals)
		return -ENOMEM;
	chunk->arrivals = arrivals;
	chunk->arrival_alloc = alloc;
	return 0;
}

static int add_told(struct chunk *chunk, const struct object *object)
{
	if (chunk->told_count == chunk->told_alloc) {
		uint32_t alloc = chunk->told_alloc ? chunk->told_alloc + chunk->told_alloc / 2 : 32;
		struct object *told = realloc(chunk->told, (size_t)alloc * sizeof(*told));

		if (!told)
			return -ENOMEM;
		chunk->told = told;
		chunk->told_alloc = alloc;
	}
	chunk->told[chunk->told_count++] = *object;
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
		return add_told(chunk, &object);
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

/* ---------------------------------------------------------------- settling */

#define FEW 24 /* arrivals that are cheaper to insert one by one */

/*
 * Sorting by offset, of which there are 65,536: a bit for each, and the number of bits below it is
 * the place to go. No comparison, and each object is copied once.
 */
struct ranks {
	uint64_t bits[CHUNK_BYTES / 64];
	uint16_t below[CHUNK_BYTES / 64];
};

/* False: two of them have the same offset. */
static bool rank(struct ranks *ranks, const struct object *objects, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = UINT64_C(1) << (objects[i].offset & 63);
		uint64_t *word = &ranks->bits[objects[i].offset >> 6];

		if (*word & bit)
			return false;
		*word |= bit;
	}
	return true;
}

/* Without the instruction, which not every x86-64 has, the compiler would call a function. */
static inline uint32_t count_bits(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static void sum_up(struct ranks *ranks)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < CHUNK_BYTES / 64; i++) {
		ranks->below[i] = (uint16_t)sum;
		sum += count_bits(ranks->bits[i]);
	}
}

static void place(const struct ranks *ranks, struct object *to, const struct object *objects,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t below = (UINT64_C(1) << (objects[i].offset & 63)) - 1;
		const uint32_t word = objects[i].offset >> 6;

		to[ranks->below[word] + count_bits(ranks->bits[word] & below)] = objects[i];
	}
}

/* Items and arrivals, whatever their order. 1: done; 0: some share an offset; -ENOMEM. */
static int merge_by_rank(struct chunk *chunk)
{
	struct ranks ranks;
	struct object *items;

	memset(ranks.bits, 0, sizeof(ranks.bits));
	if (!rank(&ranks, chunk->items, chunk->count) ||
	    !rank(&ranks, chunk->arrivals, chunk->arrival_count))
		return 0;
	items = malloc(((size_t)chunk->count + chunk->arrival_count) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	sum_up(&ranks);
	place(&ranks, items, chunk->items, chunk->count);
	place(&ranks, items, chunk->arrivals, chunk->arrival_count);
	free(chunk->items);
	free(chunk->arrivals);
	chunk->items = items;
	chunk->count += chunk->arrival_count;
	chunk->arrivals = NULL;
	return 1;
}

static int by_offset(const void *a, const void *b)
{
	const struct object *left = a, *right = b;

	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static uint32_t drop_hits(struct object *items, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!(items[i].flags & OBJECT_HIT))
			items[kept++] = items[i];
	return kept;
}

/* No two of them at one address: who is who is not known any more. */
static void drop_clashes(struct objects *objects, struct chunk *chunk, uint64_t *clashes)
{
	struct object *items = chunk->items;
	uint32_t kept = 0, i = 0;

	while (i < chunk->count) {
		uint32_t next = i + 1;

		while (next < chunk->count && items[next].offset == items[i].offset)
			next++;
		if (next == i + 1) {
			items[kept++] = items[i++];
			continue;
		}
		(*clashes)++;
		for (; i < next; i++)
			objects__leave(objects, chunk, &items[i], OBJECT_WITHDRAWN);
	}
	chunk->count = kept;
}

static bool has_clashes(const struct chunk *chunk)
{
	for (uint32_t i = 1; i < chunk->count; i++)
		if (chunk->items[i].offset == chunk->items[i - 1].offset)
			return true;
	return false;
}

/* The arrivals become the items, in the memory that they have. */
static void adopt(struct chunk *chunk)
{
	struct object *shrunk = chunk->arrivals;

	free(chunk->items);
	if (chunk->arrival_alloc - chunk->arrival_count > chunk->arrival_count / 16)
		shrunk = realloc(chunk->arrivals, chunk->arrival_count * sizeof(*shrunk));
	chunk->items = shrunk ? shrunk : chunk->arrivals;
	chunk->count = chunk->arrival_count;
	chunk->arrivals = NULL;
}

/* From behind, so that each object is moved once. */
static int merge(struct chunk *chunk)
{
	uint32_t old = chunk->count, new_ = chunk->arrival_count, at = old + new_;
	struct object *items = realloc(chunk->items, (size_t)at * sizeof(*items));

	if (!items)
		return -ENOMEM;
	chunk->items = items;
	chunk->count = at;
	while (new_ > 0) {
		if (old > 0 && items[old - 1].offset > chunk->arrivals[new_ - 1].offset)
			items[--at] = items[--old];
		else
			items[--at] = chunk->arrivals[--new_];
	}
	free(chunk->arrivals);
	chunk->arrivals = NULL;
	return 0;
}

void chunk__shrink(struct chunk *chunk, uint32_t count)
{
	struct object *items;

	chunk->count = count;
	if (count == 0) {
		free(chunk->items);
		chunk->items = NULL;
		return;
	}
	items = realloc(chunk->items, count * sizeof(*items));
	chunk->items = items ? items : chunk->items;
}

/* Arrivals that came out of order, or by the thousand. 1: they are in. */
static int merge_many(struct chunk *chunk)
{
	if (!chunk->unsorted && chunk->count == 0)
		return 0;
	return chunk->arrival_count > FEW ? merge_by_rank(chunk) : 0;
}

static int merge_few(struct objects *objects, struct chunk *chunk, uint64_t *clashes)
{
	const bool may_clash = chunk->unsorted || chunk->count > 0;

	if (chunk->unsorted)
		qsort(chunk->arrivals, chunk->arrival_count, sizeof(struct object), by_offset);
	if (chunk->count == 0)
		adopt(chunk);
	else if (merge(chunk))
		return -ENOMEM;
	if (may_clash && has_clashes(chunk))
		drop_clashes(objects, chunk, clashes);
	return 0;
}

static int settle(struct objects *objects, struct chunk *chunk, uint64_t *clashes)
{
	int done;

	if (chunk->hit) {
		chunk->count = drop_hits(chunk->items, chunk->count);
		chunk->arrival_count = drop_hits(chunk->arrivals, chunk->arrival_count);
		chunk->hit = false;
	}
	if (chunk->arrival_count == 0) {
		free(chunk->arrivals);
		chunk->arrivals = NULL;
		chunk->arrival_alloc = 0;
		chunk__shrink(chunk, chunk->count);
		return 0;
	}
	done = merge_many(chunk);
	if (done == 0)
		done = merge_few(objects, chunk, clashes);
	chunk->arrival_count = chunk->arrival_alloc = 0;
	chunk->unsorted = false;
	return done < 0 ? done : 0;
}

int objects__settle(struct objects *objects, uint64_t *clashes)
{
	for (size_t i = 0; i < objects->touched.count; i++) {
		struct chunk *chunk = objects->touched.items[i];

		if (settle(objects, chunk, clashes))
			return -ENOMEM;
		chunk->touched = false;
	}
	vec__reset(&objects->touched);
	return 0;
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
			 ((uint64_t)chunk->count + chunk->arrival_alloc + chunk->told_alloc);
	}
	return bytes;
}

uint64_t objects__bytes(const struct objects *objects)
{
	return bytes_of(&objects->sorted) + bytes_of(&objects->fresh) +
	       objects->table_size * sizeof(*objects->table) +
	       objects->huge.alloc * sizeof(*objects->huge.items);
}
