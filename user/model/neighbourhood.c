/* SPDX-License-Identifier: BSD-2-Clause */
#include "neighbourhood.h"

#include <errno.h>

/* Of one object, one way: those that are wanted most come first when it is sorted. */
struct candidate {
	uint64_t keeps; /* bytes */
	uint32_t place;
};
struct candidates VEC_OF(struct candidate);

struct search {
	struct neighbourhood *around;
	const struct heap *heap;
	uint64_t most;
	enum neighbour_ways way; /* that is gone at present */
	struct candidates candidates;
	VEC(uint32_t) now, next; /* indices of those so many steps away */
};

void neighbourhood__free(struct neighbourhood *around)
{
	hash_slots__free(&around->slots, &around->memory);
	memory__free_vec(&around->memory, &around->of);
	heap_referrers__free(around->referrers);
	around->referrers = NULL;
}

/* ---------------------------------------------------------------- the set */

static uint64_t hash_place(uint32_t place)
{
	return hash__mix(0, place);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct neighbourhood *around = context;

	return hash_place(around->of.items[index].place);
}

uint32_t neighbourhood__index(const struct neighbourhood *around, uint32_t place)
{
	for (uint32_t at = hash_slots__first(&around->slots, hash_place(place));
	     around->slots.of[at]; at = hash_slots__next(&around->slots, at))
		if (around->of.items[around->slots.of[at] - 1].place == place)
			return around->slots.of[at] - 1;
	return NEIGHBOUR_NONE;
}

/* Its index, new or not. */
static int add(struct neighbourhood *around, uint32_t place, uint32_t *index)
{
	int err = hash_slots__room(&around->slots, &around->memory, hash_of, around);
	uint32_t at;

	if (err)
		return err;
	*index = neighbourhood__index(around, place);
	if (*index != NEIGHBOUR_NONE)
		return 0;
	*index = (uint32_t)around->of.count;
	err = memory__push(&around->memory, &around->of, (struct neighbour){ .place = place });
	if (err)
		return err;
	at = hash_slots__first(&around->slots, hash_place(place));
	while (around->slots.of[at])
		at = hash_slots__next(&around->slots, at);
	around->slots.of[at] = *index + 1;
	around->slots.count++;
	return 0;
}

/* ---------------------------------------------------------------- the most wanted */

static uint64_t keeps(const struct heap *heap, uint32_t place)
{
	const uint64_t retained = heap__retained(heap, place);

	return retained == EVENT_UNKNOWN ? heap__size(heap, place) : retained;
}

static int by_keeping(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->keeps != y->keeps)
		return x->keeps < y->keeps ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Each once, and no more than wanted. */
static void thin_out(struct candidates *candidates, uint64_t most)
{
	size_t kept = 0;

	vec__sort(candidates, by_keeping);
	for (size_t i = 0; i < candidates->count; i++)
		if (!i || candidates->items[i].place != candidates->items[i - 1].place)
			candidates->items[kept++] = candidates->items[i];
	candidates->count = most && most < kept ? (size_t)most : kept;
}

static int consider(struct search *search, uint32_t place)
{
	int err = memory__push(&search->around->memory, &search->candidates,
			       (struct candidate){ keeps(search->heap, place), place });

	/* An array of millions leaves but a few here at any time. */
	if (!err && search->most && search->candidates.count / 2 >= search->most &&
	    search->candidates.count >= 1024)
		thin_out(&search->candidates, search->most);
	return err;
}

/* ---------------------------------------------------------------- step by step */

static int consider_references(struct search *search, uint32_t place)
{
	struct heap_references references = heap__references(search->heap, place);
	struct heap_reference next;
	int err = 0;

	while (!err && heap_references__next(&references, &next))
		if (next.to != HEAP_NOWHERE)
			err = consider(search, next.to);
	return err;
}

static int consider_referrers(struct search *search, uint32_t place)
{
	uint64_t count;
	const uint32_t *from = heap_referrers__of(search->around->referrers, place, &count);
	int err = 0;

	for (uint64_t i = 0; i < count && !err; i++)
		err = consider(search, from[i]);
	return err;
}

static int consider_neighbours(struct search *search, uint32_t place)
{
	return search->way == NEIGHBOUR_REFERRED ? consider_references(search, place) :
						   consider_referrers(search, place);
}

/* From what was not found this way before it is gone on. */
static int take(struct search *search)
{
	struct neighbourhood *around = search->around;
	uint32_t index;
	int err = 0;

	thin_out(&search->candidates, search->most);
	for (size_t i = 0; i < search->candidates.count && !err; i++) {
		err = add(around, search->candidates.items[i].place, &index);
		if (err || around->of.items[index].ways & search->way)
			continue;
		around->of.items[index].ways |= search->way;
		err = memory__push(&around->memory, &search->next, index);
	}
	vec__reset(&search->candidates);
	return err;
}

static int step(struct search *search)
{
	int err = 0;

	for (size_t i = 0; i < search->now.count && !err; i++) {
		const uint32_t place = search->around->of.items[search->now.items[i]].place;

		if (heap__is_node(search->heap, place))
			continue;
		err = consider_neighbours(search, place);
		if (!err)
			err = take(search);
	}
	return err;
}

static int go(struct search *search, enum neighbour_ways way, uint64_t depth)
{
	int err;

	search->way = way;
	search->around->of.items[0].ways |= way;
	vec__reset(&search->now);
	err = memory__push(&search->around->memory, &search->now, 0);
	for (uint64_t d = 0; d < depth && search->now.count && !err; d++) {
		vec__reset(&search->next);
		err = step(search);
		vec__reset(&search->now);
		for (size_t i = 0; i < search->next.count && !err; i++)
			err = memory__push(&search->around->memory, &search->now,
					   search->next.items[i]);
	}
	return err;
}

/* ---------------------------------------------------------------- what is left out */

static void count_rest(struct neighbourhood *around, const struct heap *heap)
{
	for (uint32_t i = 0; i < around->of.count; i++)
		heap_referrers__of(around->referrers, around->of.items[i].place,
				   &around->of.items[i].more_referrers);
	for (uint32_t i = 0; i < around->of.count; i++) {
		struct heap_references references =
			heap__references(heap, around->of.items[i].place);
		const bool is_reached = heap__is_reached(heap, around->of.items[i].place);
		struct heap_reference next;

		while (heap_references__next(&references, &next)) {
			const uint32_t to = neighbourhood__index(around, next.to);

			if (to == NEIGHBOUR_NONE)
				around->of.items[i].more_references++;
			else if (is_reached)
				around->of.items[to].more_referrers--;
		}
	}
}

int neighbourhood__find(struct neighbourhood *around, struct heap *heap, uint32_t place,
			uint64_t depth, uint64_t most)
{
	struct search search = { .around = around, .heap = heap, .most = most };
	uint32_t middle;
	int err = heap_referrers__new(heap, &around->referrers);

	around->memory = heap__memory_left(heap);
	if (!err)
		err = add(around, place, &middle);
	if (!err)
		err = go(&search, NEIGHBOUR_REFERRED, depth);
	if (!err)
		err = go(&search, NEIGHBOUR_REFERS, depth);
	if (!err)
		count_rest(around, heap);
	memory__free_vec(&around->memory, &search.candidates);
	memory__free_vec(&around->memory, &search.now);
	memory__free_vec(&around->memory, &search.next);
	return err;
}
