/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_spots.h"

void site_spots__free(struct site_spots *spots)
{
	vec__free(spots);
	hash_slots__free(&spots->by_key, &spots->memory);
}

static uint64_t hash_key(const struct site_spot *spot)
{
	return hash__mix(hash__mix(hash__mix(0, spot->node + UINT64_C(1)),
				   spot->type + UINT64_C(1)), spot->untold);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct site_spots *spots = context;

	return hash_key(&spots->items[index]);
}

static bool is(const struct site_spot *spot, const struct site_spot *wanted)
{
	return spot->node == wanted->node && spot->type == wanted->type &&
	       spot->untold == wanted->untold;
}

/* Where it is, or the free slot that it would have. */
static int slot_of(struct site_spots *spots, const struct site_spot *wanted, uint32_t *at)
{
	struct hash_slots *slots = &spots->by_key;
	int err = hash_slots__room(slots, &spots->memory, hash_of, spots);

	if (err)
		return err;
	*at = hash_slots__first(slots, hash_key(wanted));
	while (slots->of[*at] && !is(&spots->items[slots->of[*at] - 1], wanted))
		*at = hash_slots__next(slots, *at);
	return 0;
}

static void put(struct site_spots *spots, uint32_t at, uint32_t index)
{
	spots->by_key.of[at] = index + 1;
	spots->by_key.count++;
}

static int add(struct site_spots *spots, const struct site_spot *new, uint32_t *index)
{
	if (!spots->free) {
		*index = (uint32_t)spots->count;
		return vec__push(spots, *new);
	}
	*index = spots->free - 1;
	spots->free = spots->items[*index].type;
	spots->items[*index] = *new;
	return 0;
}

int site_spots__find(struct site_spots *spots, struct stacks *stacks, uint64_t stack,
		     uint32_t type, uint32_t *index)
{
	struct site_spot wanted = { .type = type, .round = stacks->round };
	uint32_t at;
	int err = stacks__use(stacks, stack, &wanted.node);

	if (!err && wanted.node == STACKS_ROOT)
		wanted.untold = stack;
	err = err ? err : slot_of(spots, &wanted, &at);
	if (err)
		return err;
	if (spots->by_key.of[at]) {
		*index = spots->by_key.of[at] - 1;
		return 0;
	}
	err = add(spots, &wanted, index);
	if (err)
		return err;
	put(spots, at, *index);
	spots->untold += wanted.untold != 0;
	return 0;
}

/* ---------------------------------------------------------------- settling */

static void settle(struct site_spots *spots, struct site_spot *spot, const struct stacks *stacks,
		   uint32_t rounds)
{
	const uint32_t node = site_spot__node(spot, stacks);

	if (!spot->untold)
		return;
	if (node == STACKS_ROOT && stacks->round - spot->round <= rounds) {
		spots->untold++;
		return;
	}
	spot->node = node;
	spot->untold = 0;
}

static void give(struct site_spots *spots, uint32_t from, uint32_t to)
{
	struct site_spot *of = &spots->items[from], *whole = &spots->items[to];

	whole->varies |= of->varies || of->size != whole->size;
	estimate__sum(&whole->allocated, &of->allocated);
	estimate__sum(&whole->died, &of->died);
	estimate__sum(&whole->promoted, &of->promoted);
	estimate__sum(&whole->died_young, &of->died_young);
	*of = (struct site_spot){ .is_free = true, .node = to, .type = spots->free };
	spots->free = from + 1;
}

int site_spots__settle(struct site_spots *spots, const struct stacks *stacks, uint32_t rounds)
{
	uint32_t at;
	int err = 0;

	if (!spots->untold)
		return 0;
	spots->untold = 0;
	hash_slots__free(&spots->by_key, &spots->memory);
	for (uint32_t i = 0; i < spots->count; i++)
		if (!spots->items[i].is_free)
			settle(spots, &spots->items[i], stacks, rounds);
	for (uint32_t i = 0; i < spots->count && !err; i++) {
		if (spots->items[i].is_free)
			continue;
		err = slot_of(spots, &spots->items[i], &at);
		if (!err && spots->by_key.of[at])
			give(spots, i, spots->by_key.of[at] - 1);
		else if (!err)
			put(spots, at, i);
	}
	return err;
}
