/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that came in pieces, because producers split long ones and several threads report at
 * once. Whatever came of an object after another one had begun stands in a row of its own; here
 * such parts find their owners, in the order in which they came:
 *
 *	| A, 1st part | B | A, part | C | A, part |      as told
 *	| dead        | B | dead    | C | dead    | A |  afterwards
 *
 * A part of an object that was complete is a duplicate: the first report holds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "heap_private.h"

/* A part that a dependent handle made. */
#define OF_HANDLE ((uint32_t)(ROW_PART | ROW_DEAD))

struct part {
	uint32_t owner, row; /* in units of 8 bytes */
};

struct joiner {
	struct heap *heap;
	struct pile place_bytes;
	struct part *parts;
	uint64_t count;
};

static struct raw_row *row_at(const struct heap *heap, uint64_t unit)
{
	return (struct raw_row *)(void *)(heap->rows.pile.at + unit * 8);
}

static uint32_t unit_of(const struct heap *heap, const struct raw_row *row)
{
	return (uint32_t)((uint64_t)((const uint8_t *)row - heap->rows.pile.at) / 8);
}

static bool is_of_handle(const struct raw_row *row)
{
	return (row->type & OF_HANDLE) == OF_HANDLE;
}

/* The key of each dependent handle refers to the handle's value. */
static int add_dependents(struct heap *heap, uint64_t *parts)
{
	for (uint32_t i = 0; i < heap_roots__leaves(&heap->roots); i++) {
		const struct root_leaf *leaf = heap_roots__leaf(&heap->roots, i);
		struct raw_row *row;

		if (!heap_roots__is_dependent(&heap->roots, leaf) ||
		    heap_roots__is_weak(&heap->roots, leaf))
			continue;
		row = pile__add(&heap->rows.pile, &heap->memory, sizeof(*row) + sizeof(uint64_t));
		if (!row)
			return memory__error(&heap->memory);
		*row = (struct raw_row){
			.address = heap_roots__id1(&heap->roots, leaf),
			.type = OF_HANDLE | (uint32_t)GCTRACE_PLACE_UNKNOWN << ROW_KIND_SHIFT,
			.references = 1,
		};
		*raw_row__references(row) = leaf->to;
		++*parts;
	}
	return 0;
}

/* Where the rows of all objects are, by rank. The caller gives it back. */
static uint32_t *find_owners(struct heap *heap)
{
	uint8_t *end = heap->rows.pile.at + heap->rows.pile.used;
	uint32_t *owners = memory__get(&heap->memory, heap->index.count * sizeof(*owners));

	if (!owners)
		return NULL;
	for (struct raw_row *row = row_at(heap, 0); (uint8_t *)row < end; row = raw_row__next(row))
		if (!(row->type & (ROW_PART | ROW_DEAD)))
			owners[address_index__rank(&heap->index, row->address)] =
				unit_of(heap, row);
	return owners;
}

static int compare(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	if (left->owner != right->owner)
		return left->owner < right->owner ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static int find_parts(struct joiner *joiner, uint64_t most)
{
	struct heap *heap = joiner->heap;
	uint8_t *end = heap->rows.pile.at + heap->rows.pile.used;
	uint32_t *owners = find_owners(heap), rank;

	if (!owners)
		return memory__error(&heap->memory);
	joiner->parts = memory__get(&heap->memory, most * sizeof(*joiner->parts));
	for (struct raw_row *row = row_at(heap, 0);
	     joiner->parts && (uint8_t *)row < end; row = raw_row__next(row)) {
		if (!(row->type & ROW_PART))
			continue;
		rank = address_index__rank(&heap->index, row->address);
		if (rank == ADDRESS_INDEX_NONE) { /* a handle's key that was never told */
			heap->facts.dangling_references++;
			row->type |= (uint32_t)ROW_DEAD;
			continue;
		}
		joiner->parts[joiner->count++] = (struct part){ owners[rank], unit_of(heap, row) };
	}
	memory__put(&heap->memory, owners, heap->index.count * sizeof(*owners));
	if (!joiner->parts)
		return memory__error(&heap->memory);
	if (joiner->count > 1)
		qsort(joiner->parts, joiner->count, sizeof(*joiner->parts), compare);
	return 0;
}

/* Which parts belong to their owner? The others are marked as of nobody. How many references. */
static uint64_t judge(struct heap *heap, struct part *parts, uint64_t count, bool *unfinished)
{
	const struct raw_row *owner = row_at(heap, parts[0].owner);
	uint64_t references = owner->references;

	*unfinished = owner->type & ROW_UNFINISHED;
	for (uint64_t i = 0; i < count; i++) {
		struct raw_row *row = row_at(heap, parts[i].row);

		if (!is_of_handle(row)) {
			heap->facts.odd.classes_differ +=
				((row->type ^ owner->type) & ROW_TYPE_MASK) != 0;
			if (!*unfinished) {
				heap->facts.odd.duplicates++;
				heap->facts.references -= row->references;
				parts[i].row = 0;
				continue;
			}
			*unfinished = row->type & ROW_UNFINISHED;
		} else {
			heap->facts.references++;
		}
		references += row->references;
	}
	return references;
}

static bool knows_places(const struct raw_row *row)
{
	return (row->type & ROW_KIND) >> ROW_KIND_SHIFT != GCTRACE_PLACE_UNKNOWN;
}

static bool copy_part(struct raw_row *to, const struct raw_row *from, struct places_writer *writer)
{
	const bool known = !((from->type ^ to->type) & ROW_KIND) && knows_places(from);
	const uint64_t unknown = is_of_handle(from) ? PLACE_DEPENDENT : EVENT_UNKNOWN;
	struct raw_row *row = (struct raw_row *)from;
	struct places_reader places =
		places_reader__of(from->type & ROW_PLACED ? raw_row__places(row) : NULL);

	for (uint32_t i = 0; i < from->references; i++) {
		const uint64_t place = known ? places_reader__next(&places) : unknown;

		raw_row__references(to)[to->references++] = raw_row__references(row)[i];
		if (writer && !places_writer__add(writer, place))
			return false;
	}
	return true;
}

/* What is known of any place in the row that they become? */
static bool know_places(const struct heap *heap, const struct part *parts, uint64_t count)
{
	bool know = knows_places(row_at(heap, parts[0].owner));

	for (uint64_t i = 0; i < count && !know; i++)
		know = is_of_handle(row_at(heap, parts[i].row));
	return know;
}

/* Its references, and those of its parts, in the order in which they came. */
static bool copy_all(struct heap *heap, struct raw_row *to, struct part *parts, uint64_t count,
		     struct places_writer *writer)
{
	bool copied = copy_part(to, row_at(heap, parts[0].owner), writer);

	for (uint64_t i = 0; i < count && copied; i++) {
		if (!parts[i].row)
			continue;
		to->type |= row_at(heap, parts[i].row)->type & (uint32_t)ROW_WEAK;
		copied = copy_part(to, row_at(heap, parts[i].row), writer);
	}
	return copied;
}

/* Puts the places that were written behind the row, if they are more than their order. */
static int add_places(struct joiner *joiner, struct raw_row *to, struct places_writer *writer)
{
	struct heap *heap = joiner->heap;
	void *bytes;

	if (!writer->length || writer->plain)
		return 0;
	if (!places_writer__end_run(writer))
		return memory__error(&heap->memory);
	if (joiner->place_bytes.used > UINT32_MAX)
		return -EOVERFLOW;
	to->type |= ROW_PLACED;
	to->place_bytes = (uint32_t)joiner->place_bytes.used;
	bytes = pile__add(&heap->rows.pile, &heap->memory,
			  (joiner->place_bytes.used + 7) & ~UINT64_C(7));
	if (!bytes)
		return memory__error(&heap->memory);
	memcpy(bytes, joiner->place_bytes.at, joiner->place_bytes.used);
	return 0;
}

/* The whole row, behind all others. */
static int join(struct joiner *joiner, struct part *parts, uint64_t count)
{
	struct heap *heap = joiner->heap;
	struct places_writer writer = { .to = &joiner->place_bytes, .memory = &heap->memory };
	const bool places_known = know_places(heap, parts, count);
	bool unfinished;
	const uint64_t references = judge(heap, parts, count, &unfinished);
	struct raw_row *to, *owner;

	if (references > UINT32_MAX || heap->rows.pile.used / 8 > UINT32_MAX)
		return -EOVERFLOW;
	to = pile__add(&heap->rows.pile, &heap->memory,
		       sizeof(*to) + references * sizeof(uint64_t));
	if (!to)
		return memory__error(&heap->memory);
	owner = row_at(heap, parts[0].owner);
	*to = *owner;
	to->references = to->place_bytes = 0;
	to->type &= ~(uint32_t)(ROW_PLACED | ROW_UNFINISHED);
	to->type |= unfinished ? (uint32_t)ROW_UNFINISHED : 0;
	places_writer__begin(&writer);
	if (!copy_all(heap, to, parts, count, places_known ? &writer : NULL))
		return memory__error(&heap->memory);
	owner->type |= (uint32_t)ROW_DEAD;
	return add_places(joiner, to, &writer);
}

int heap_parts__join(struct heap *heap, uint64_t parts)
{
	struct joiner joiner = { .heap = heap };
	int err = add_dependents(heap, &parts);

	if (err || !parts)
		return err;
	err = find_parts(&joiner, parts);
	for (uint64_t from = 0, to; from < joiner.count && !err; from = to) {
		for (to = from + 1; to < joiner.count; to++)
			if (joiner.parts[to].owner != joiner.parts[from].owner)
				break;
		err = join(&joiner, joiner.parts + from, to - from);
	}
	pile__free(&joiner.place_bytes, &heap->memory);
	memory__put(&heap->memory, joiner.parts, parts * sizeof(*joiner.parts));
	return err;
}
