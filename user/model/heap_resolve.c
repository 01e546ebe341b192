/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From addresses to places. Two passes over the raw rows, front to back: the first gives each
 * object its place, the second writes the rows, over what it has read already. A look-up is two
 * cache misses (the word of the index, then the place), so references wait in a ring until what
 * they need has arrived.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dominators.h"
#include "heap_private.h"

#define AHEAD 24 /* references from one stage to the next */
#define RING 64

/* Part of a loop that comes in two copies: so it is in both. */
#define INTO_LOOP static inline __attribute__((always_inline))

struct resolver {
	struct heap *heap;
	uint32_t *places; /* by rank */
	uint64_t words;	  /* of the rows so far */
	struct {
		struct raw_row *row;
		const struct address_word *word;
	} rows[RING];
	uint64_t dangling;
	uint64_t head; /* references so far */
	struct {
		uint64_t address;
		const struct address_word *word;
		uint32_t *to;
		uint32_t rank;
	} ring[RING];
};

/* The row gets its rank and its place. */
INTO_LOOP void give_place(struct resolver *resolver, uint64_t n)
{
	struct raw_row *row = resolver->rows[n % RING].row;

	row->address = address_index__rank_in(&resolver->heap->index,
					      resolver->rows[n % RING].word, row->address);
	resolver->places[row->address] = (uint32_t)resolver->words;
	resolver->words += raw_row__final_words(row);
}

/* How many words of rows that makes; 0: more than there may be. */
ADDRESS_INDEX_LOOP static uint64_t give_places(struct resolver *resolver)
{
	struct heap *heap = resolver->heap;
	uint8_t *end = heap->rows.pile.at + heap->rows.pile.used;
	struct raw_row *row = (struct raw_row *)(void *)heap->rows.pile.at;
	uint64_t n = 0;

	resolver->words = ROW_REFERENCES;
	for (; (uint8_t *)row < end; row = raw_row__next(row)) {
		if (row->type & (ROW_PART | ROW_DEAD))
			continue;
		resolver->rows[n % RING].row = row;
		resolver->rows[n % RING].word = address_index__word(&heap->index, row->address);
		address_word__prefetch(resolver->rows[n % RING].word);
		if (n >= AHEAD)
			give_place(resolver, n - AHEAD);
		n++;
	}
	for (uint64_t i = n > AHEAD ? n - AHEAD : 0; i < n; i++)
		give_place(resolver, i);
	return resolver->words < ROW_WORDS_MOST ? resolver->words : 0;
}

INTO_LOOP void look_up(struct resolver *resolver, uint64_t n)
{
	const uint32_t rank = address_index__rank_in(&resolver->heap->index,
						     resolver->ring[n % RING].word,
						     resolver->ring[n % RING].address);

	resolver->ring[n % RING].rank = rank;
	if (rank != ADDRESS_INDEX_NONE)
		__builtin_prefetch(&resolver->places[rank]);
}

/* No object has this address. A JVM has no records for some classes, whose names it told. */
static void miss(struct heap *heap, uint64_t address, uint64_t *dangling)
{
	if (heap->facts.is_of_jvm && heap_types__known(&heap->types, address) != UINT32_MAX)
		heap->facts.absent_classes++;
	else
		(*dangling)++;
}

INTO_LOOP void write_place(struct resolver *resolver, uint64_t n)
{
	const uint32_t rank = resolver->ring[n % RING].rank;

	if (rank != ADDRESS_INDEX_NONE)
		*resolver->ring[n % RING].to |= resolver->places[rank];
	else /* it leads to ROW_NOWHERE */
		miss(resolver->heap, resolver->ring[n % RING].address, &resolver->dangling);
}

INTO_LOOP void add_reference(struct resolver *resolver, uint64_t address, uint32_t *to)
{
	const uint64_t n = resolver->head++;

	resolver->ring[n % RING].word = address_index__word(&resolver->heap->index, address);
	address_word__prefetch(resolver->ring[n % RING].word);
	resolver->ring[n % RING].address = address;
	resolver->ring[n % RING].to = to;
	if (n >= AHEAD)
		look_up(resolver, n - AHEAD);
	if (n >= 2 * AHEAD)
		write_place(resolver, n - 2 * AHEAD);
}

static void drain(struct resolver *resolver)
{
	const uint64_t n = resolver->head;

	for (uint64_t i = n > AHEAD ? n - AHEAD : 0; i < n; i++)
		look_up(resolver, i);
	for (uint64_t i = n > 2 * AHEAD ? n - 2 * AHEAD : 0; i < n; i++)
		write_place(resolver, i);
}

INTO_LOOP void write_row(struct resolver *resolver, struct raw_row *from, uint32_t *to)
{
	const struct raw_row row = *from;
	const raw_reference *references = raw_row__references(from);
	uint32_t *at = to + ROW_REFERENCES;

	to[ROW_NUMBER] = ROW_NONE;
	to[ROW_INDEX] = (uint32_t)row.address;
	to[ROW_SIZE] = row.size;
	to[ROW_TYPE] = row.type | (row.references ? ROW_HAS_REFERENCES : 0);
	for (uint32_t i = 0; i < row.references; i++, at++) {
		const uint64_t address = references[i];

		*at = i + 1 == row.references ? ROW_HIGH : 0;
		add_reference(resolver, address, at);
	}
	if (row.place_bytes)
		memmove(at, references + row.references, row.place_bytes);
}

ADDRESS_INDEX_LOOP static void write_rows(struct resolver *resolver)
{
	struct heap *heap = resolver->heap;
	uint8_t *end = heap->rows.pile.at + heap->rows.pile.used;
	struct raw_row *row = (struct raw_row *)(void *)heap->rows.pile.at, *next;
	uint32_t *const first = (uint32_t *)(void *)heap->rows.pile.at, *to = first;

	next = raw_row__next(row); /* nowhere */
	memset(to, 0, ROW_REFERENCES * sizeof(*to));
	to[ROW_NUMBER] = to[ROW_INDEX] = ROW_NONE;
	to[ROW_TYPE] = (uint32_t)ROW_DEAD;
	to += ROW_REFERENCES;
	for (row = next; (uint8_t *)row < end; row = next) {
		const uint64_t words = raw_row__final_words(row);

		next = raw_row__next(row);
		if (row->type & (ROW_PART | ROW_DEAD))
			continue;
		heap->facts.unfinished += (row->type & ROW_UNFINISHED) != 0;
		heap->rows.count++;
		heap->rows.references += row->references;
		rows__begin(&heap->rows, (uint64_t)(to - first));
		write_row(resolver, row, to);
		to += words;
	}
	drain(resolver);
}

static uint32_t place_of(const struct resolver *resolver, uint64_t address)
{
	const uint32_t rank = address_index__rank(&resolver->heap->index, address);

	return rank == ADDRESS_INDEX_NONE ? ROW_NOWHERE : resolver->places[rank];
}

static void resolve_roots(struct resolver *resolver)
{
	struct heap_roots *roots = &resolver->heap->roots;

	for (uint32_t i = 0; i < heap_roots__leaves(roots); i++) {
		struct root_leaf *leaf = heap_roots__leaf(roots, i);

		leaf->object = place_of(resolver, leaf->to);
		if (leaf->object == ROW_NOWHERE)
			miss(resolver->heap, leaf->to, &roots->dangling);
	}
}

static int compare_weak(const void *a, const void *b)
{
	const struct weak_entry *left = a, *right = b;

	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	if (left->place != right->place)
		return left->place < right->place ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

/* Sorted by object; what a duplicate of an object said again goes. */
static void resolve_weak(struct resolver *resolver)
{
	struct heap_facts *facts = &resolver->heap->facts;
	struct pile *pile = &resolver->heap->weak;
	struct weak_entry *of = (struct weak_entry *)(void *)pile->at;
	const uint64_t count = pile->used / sizeof(*of);
	uint64_t kept = 0;

	for (uint64_t i = 0; i < count; i++) {
		of[i].from = place_of(resolver, of[i].from);
		of[i].object = place_of(resolver, of[i].to);
	}
	if (count > 1)
		qsort(of, count, sizeof(*of), compare_weak);
	for (uint64_t i = 0; i < count; i++) {
		if (kept && of[i].place != EVENT_UNKNOWN && !compare_weak(&of[i], &of[kept - 1]))
			continue;
		if (of[i].object == ROW_NOWHERE)
			miss(resolver->heap, of[i].to, &facts->dangling_weak_references);
		of[kept++] = of[i];
	}
	pile->used = kept * sizeof(*of);
	facts->weak_references = kept;
}

int heap_resolve(struct heap *heap)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));
	uint64_t words, bytes = (heap->index.count + heap_roots__rows(&heap->roots)) *
				sizeof(*resolver->places);
	int err = -ENOMEM;

	if (!resolver)
		return err;
	resolver->heap = heap;
	resolver->places = memory__take(&heap->memory, bytes);
	if (!resolver->places) {
		err = memory__error(&heap->memory);
		goto out;
	}
	words = give_places(resolver);
	err = -EOVERFLOW;
	if (!words)
		goto out;
	if (!rows__reach(&heap->rows, &heap->memory, words)) {
		err = memory__error(&heap->memory);
		goto out;
	}
	write_rows(resolver);
	heap->facts.dangling_references += resolver->dangling;
	heap->rows.pile.used = words * 4;
	resolve_roots(resolver);
	resolve_weak(resolver);
	memory__keep(&heap->memory, resolver->places, bytes);
	resolver->places = NULL;
	err = heap_roots__append(&heap->roots, &heap->rows);
	pile__cut(&heap->rows.pile, &heap->memory, dominators__narrow_and_wide(&heap->rows));
out:
	memory__put(&heap->memory, resolver->places, bytes);
	free(resolver);
	return err;
}
