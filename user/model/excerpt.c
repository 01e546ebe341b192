/* SPDX-License-Identifier: BSD-2-Clause */
#include "excerpt.h"

#include <stdbool.h>

#include "stream/event.h"

/* ---------------------------------------------------------------- from which size on */

/* Sizes by their highest bits: 16 steps for each power of two. */
#define STEP_BITS 4u
#define SIZE_STEPS ((64u - STEP_BITS + 1) << STEP_BITS)

static uint32_t step_of(uint64_t bytes)
{
	const uint32_t high = bytes >> STEP_BITS ? 63u - (uint32_t)__builtin_clzll(bytes) : 0;

	if (!high)
		return (uint32_t)bytes;
	return ((high - STEP_BITS + 1) << STEP_BITS) +
	       ((uint32_t)(bytes >> (high - STEP_BITS)) & ((1u << STEP_BITS) - 1));
}

static uint64_t least_of_step(uint32_t step)
{
	const uint32_t high = step >> STEP_BITS;
	const uint64_t low = step & ((1u << STEP_BITS) - 1);

	return high ? ((UINT64_C(1) << STEP_BITS) + low) << (high - 1) : low;
}

struct size_counts {
	uint64_t of[SIZE_STEPS];
};

/* The least size of which, with all greater ones, there are `wanted` or fewer. */
static uint64_t least_of(const struct size_counts *counts, uint64_t wanted)
{
	uint64_t count = 0;
	uint32_t step = SIZE_STEPS;

	for (; step > 0 && count + counts->of[step - 1] <= wanted; step--)
		count += counts->of[step - 1];
	return step ? least_of_step(step) : 0;
}

static uint64_t choose_least(const struct heap *heap, uint64_t wanted)
{
	struct size_counts counts = { { 0 } };

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint64_t bytes = heap__retained(heap, p);

		if (bytes != EVENT_UNKNOWN && !heap__is_node(heap, p))
			counts.of[step_of(bytes)]++;
	}
	return least_of(&counts, wanted);
}

/* ---------------------------------------------------------------- objects by place */

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct excerpt *excerpt = context;

	return hash__mix(1, excerpt->objects.items[index].place);
}

uint32_t excerpt__find(const struct excerpt *excerpt, uint32_t place)
{
	const struct hash_slots *slots = &excerpt->by_place;
	uint32_t at = hash_slots__first(slots, hash__mix(1, place));

	for (; slots->of[at]; at = hash_slots__next(slots, at))
		if (excerpt->objects.items[slots->of[at] - 1].place == place)
			return slots->of[at] - 1;
	return EXCERPT_NONE;
}

/* It is not there yet. */
static int add_object(struct excerpt *excerpt, uint32_t place, uint32_t *index)
{
	const struct excerpt_object object = { place, EXCERPT_NONE, 0, EVENT_UNKNOWN };
	uint32_t at;
	int err = hash_slots__room(&excerpt->by_place, &excerpt->memory, hash_of, excerpt);

	if (!err)
		err = memory__push(&excerpt->memory, &excerpt->objects, object);
	if (err)
		return err;
	*index = (uint32_t)excerpt->objects.count - 1;
	at = hash_slots__first(&excerpt->by_place, hash__mix(1, place));
	while (excerpt->by_place.of[at])
		at = hash_slots__next(&excerpt->by_place, at);
	excerpt->by_place.of[at] = *index + 1;
	excerpt->by_place.count++;
	return 0;
}

/* ---------------------------------------------------------------- objects of their own */

static int add_single(struct excerpt *excerpt, uint32_t place, uint32_t parent)
{
	struct excerpt_branch branch = {
		.parent = parent,
		.bytes = heap__retained(excerpt->heap, place),
		.objects = heap__retained_objects(excerpt->heap, place),
	};
	int err = add_object(excerpt, place, &branch.object);

	excerpt->singles++;
	return err ? err : memory__push(&excerpt->memory, &excerpt->branches, branch);
}

/* What stands right below a node of the roots stands where the node does. */
static int add_singles_below(struct excerpt *excerpt, uint32_t parent)
{
	const struct heap *heap = excerpt->heap;
	VEC(uint32_t) nodes = VEC_INIT;
	int err = memory__push(&excerpt->memory, &nodes, excerpt->objects.items[parent].place);

	while (nodes.count && !err) {
		const uint32_t node = nodes.items[--nodes.count];
		uint32_t child = HEAP_NONE;

		while (!err && (child = heap__next_dominated(heap, node, child)) != HEAP_NONE) {
			if (heap__is_node(heap, child))
				err = memory__push(&excerpt->memory, &nodes, child);
			else if (heap__retained(heap, child) >= excerpt->least)
				err = add_single(excerpt, child, parent);
		}
	}
	memory__free_vec(&excerpt->memory, &nodes);
	return err;
}

static int add_singles(struct excerpt *excerpt)
{
	int err = add_single(excerpt, heap__top(excerpt->heap), EXCERPT_NONE);

	for (uint32_t i = 0; i < excerpt->branches.count && !err; i++)
		err = add_singles_below(excerpt, i);
	return err;
}

/* ---------------------------------------------------------------- ways */

/* Over the nearest dominator that is here, or the node of the roots that has all its ways. */
static int skip_to_dominator(struct excerpt *excerpt, uint32_t index)
{
	const uint32_t place = excerpt->objects.items[index].place;
	uint32_t above = heap__dominator(excerpt->heap, place), found;
	uint32_t length = 0;
	int err = 0;

	while (!heap__is_node(excerpt->heap, above) &&
	       excerpt__find(excerpt, above) == EXCERPT_NONE)
		above = heap__dominator(excerpt->heap, above);
	if (!heap__is_node(excerpt->heap, above))
		length = heap_paths__length(excerpt->paths, above);
	found = excerpt__find(excerpt, above);
	if (found == EXCERPT_NONE)
		err = add_object(excerpt, above, &found);
	excerpt->objects.items[index].before = found;
	excerpt->objects.items[index].skipped =
		heap_paths__length(excerpt->paths, place) - length - 1;
	return err;
}

static int add_way(struct excerpt *excerpt, uint32_t index)
{
	for (uint32_t steps = 0;; steps++) {
		const uint32_t place = heap_paths__before(excerpt->paths,
							  excerpt->objects.items[index].place);
		uint32_t before;
		int err = 0;

		if (place == HEAP_NONE)
			return 0;
		before = excerpt__find(excerpt, place);
		if (before != EXCERPT_NONE) {
			excerpt->objects.items[index].before = before;
			return 0;
		}
		if (!heap__is_node(excerpt->heap, place) &&
		    (steps == excerpt->limits.steps ||
		     excerpt->waypoints == excerpt->limits.waypoints))
			return skip_to_dominator(excerpt, index);
		err = add_object(excerpt, place, &before);
		if (err)
			return err;
		excerpt->waypoints += !heap__is_node(excerpt->heap, place);
		excerpt->objects.items[index].before = before;
		index = before;
	}
}

static bool is_in_place(const struct excerpt_object *object)
{
	return object->at == EVENT_UNKNOWN && !object->skipped;
}

/* Once over all that it refers to, however many of those are here. */
static void find_places(struct excerpt *excerpt, uint32_t from)
{
	struct heap_references references = heap__references(excerpt->heap,
							     excerpt->objects.items[from].place);
	struct heap_reference next;

	while (heap_references__next(&references, &next)) {
		const uint32_t to = excerpt__find(excerpt, next.to);

		if (to != EXCERPT_NONE && excerpt->objects.items[to].before == from &&
		    is_in_place(&excerpt->objects.items[to]))
			excerpt->objects.items[to].at = next.place;
	}
}

int excerpt__finish(struct excerpt *excerpt)
{
	const size_t bytes = excerpt->objects.count * sizeof(bool);
	bool *leads_on = memory__get(&excerpt->memory, bytes);

	if (!leads_on)
		return memory__error(&excerpt->memory);
	for (size_t i = 0; i < excerpt->objects.count; i++)
		if (excerpt->objects.items[i].before != EXCERPT_NONE)
			leads_on[excerpt->objects.items[i].before] = true;
	for (uint32_t i = 0; i < excerpt->objects.count; i++)
		if (leads_on[i] && !heap__is_node(excerpt->heap, excerpt->objects.items[i].place))
			find_places(excerpt, i);
	memory__put(&excerpt->memory, leads_on, bytes);
	return 0;
}

int excerpt__add(struct excerpt *excerpt, uint32_t place)
{
	uint32_t index;
	int err;

	if (excerpt__find(excerpt, place) != EXCERPT_NONE)
		return 0;
	err = add_object(excerpt, place, &index);
	return err ? err : add_way(excerpt, index);
}

/* ---------------------------------------------------------------- groups */

/* Beyond that many, before the small ones are folded, no group begins any more. */
#define GROUPS_AT_ONCE (1u << 20)

static uint64_t hash_of_group(const void *context, uint32_t index)
{
	const struct excerpt *excerpt = context;
	const struct excerpt_branch *branch = &excerpt->branches.items[index];

	return hash__mix(branch->parent, branch->type);
}

/* The group of this type below that branch, which may be new; EXCERPT_NONE: it finds no room. */
static int find_group(struct excerpt *excerpt, uint32_t parent, uint32_t type, uint32_t *index)
{
	struct excerpt_branch group = { .parent = parent, .object = HEAP_NONE, .type = type };
	struct hash_slots *slots = &excerpt->by_type;
	uint32_t at;
	int err = hash_slots__room(slots, &excerpt->memory, hash_of_group, excerpt);

	if (err)
		return err;
	for (at = hash_slots__first(slots, hash__mix(parent, type)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		const struct excerpt_branch *branch = &excerpt->branches.items[slots->of[at] - 1];

		*index = slots->of[at] - 1;
		if (branch->parent == parent && branch->type == type)
			return 0;
	}
	*index = EXCERPT_NONE;
	if (excerpt->branches.count - excerpt->singles >= GROUPS_AT_ONCE)
		return 0;
	err = memory__push(&excerpt->memory, &excerpt->branches, group);
	if (err)
		return err;
	*index = (uint32_t)excerpt->branches.count - 1;
	slots->of[at] = *index + 1;
	slots->count++;
	return 0;
}

static void fold(struct excerpt_branch *into, uint64_t count, uint64_t bytes, uint64_t objects)
{
	into->folded.count += count;
	into->folded.bytes += bytes;
	into->folded.objects += objects;
}

static void add_member(struct excerpt *excerpt, struct excerpt_branch *group, uint32_t place)
{
	const uint64_t bytes = heap__retained(excerpt->heap, place);

	group->count++;
	group->bytes += bytes;
	group->objects += heap__retained_objects(excerpt->heap, place);
	if (group->object == HEAP_NONE || heap__retained(excerpt->heap, group->object) < bytes)
		group->object = place; /* its index comes later */
}

/* An object that is no branch by itself: to the group below its parent's branch. */
static int join_group(struct excerpt *excerpt, uint32_t place, uint32_t parent, uint32_t *branch)
{
	const uint32_t type = heap__type(excerpt->heap, place);
	struct excerpt_branch *above = &excerpt->branches.items[parent];
	int err;

	*branch = parent;
	if (above->count && above->type == type) {
		above->count++; /* what it keeps alive, one above it does */
		return 0;
	}
	err = find_group(excerpt, parent, type, branch);
	if (err)
		return err;
	if (*branch == EXCERPT_NONE)
		fold(&excerpt->branches.items[parent], 1, heap__retained(excerpt->heap, place),
		     heap__retained_objects(excerpt->heap, place));
	else
		add_member(excerpt, &excerpt->branches.items[*branch], place);
	return 0;
}

/* Which branch does an object or node belong to, below one that belongs to `parent`? */
static int place_in_tree(struct excerpt *excerpt, uint32_t place, uint32_t parent, uint32_t *branch)
{
	*branch = parent;
	if (heap__is_node(excerpt->heap, place)) {
		*branch = 0;
		return 0;
	}
	if (parent == EXCERPT_NONE)
		return 0; /* counted with the one above it that was folded */
	if (heap__retained(excerpt->heap, place) >= excerpt->least) {
		*branch = excerpt__find(excerpt, place);
		return 0;
	}
	return join_group(excerpt, place, parent, branch);
}

static int add_groups(struct excerpt *excerpt)
{
	struct heap_subtree all = heap__subtree(excerpt->heap, heap__top(excerpt->heap));
	VEC(uint32_t) above = VEC_INIT; /* branches, by depth */
	uint32_t place, branch;
	int err = 0;

	while (!err && (place = heap_subtree__next(&all, excerpt->heap)) != HEAP_NONE) {
		above.count = all.depth;
		err = place_in_tree(excerpt, place, all.depth ? above.items[all.depth - 1] : 0,
				    &branch);
		if (!err)
			err = memory__push(&excerpt->memory, &above, branch);
	}
	memory__free_vec(&excerpt->memory, &above);
	hash_slots__free(&excerpt->by_type, &excerpt->memory);
	return err;
}

/* Those too small go into the branch above; parents are never smaller, and stand before. */
static int fold_small_groups(struct excerpt *excerpt)
{
	const size_t bytes = excerpt->branches.count * sizeof(uint32_t);
	uint32_t *new_index = memory__get(&excerpt->memory, bytes);
	struct size_counts counts = { { 0 } };
	uint32_t kept = excerpt->singles;

	if (!new_index)
		return memory__error(&excerpt->memory);
	for (size_t i = excerpt->singles; i < excerpt->branches.count; i++)
		counts.of[step_of(excerpt->branches.items[i].bytes)]++;
	excerpt->least_group = least_of(&counts, excerpt->limits.groups);
	for (uint32_t i = 0; i < excerpt->branches.count; i++) {
		struct excerpt_branch branch = excerpt->branches.items[i];
		const uint32_t parent = i ? new_index[branch.parent] : EXCERPT_NONE;

		branch.parent = parent;
		new_index[i] = i < excerpt->singles ? i : EXCERPT_NONE;
		if (i < excerpt->singles || parent == EXCERPT_NONE)
			continue;
		if (branch.bytes >= excerpt->least_group) {
			new_index[i] = kept;
			excerpt->branches.items[kept++] = branch;
		} else {
			fold(&excerpt->branches.items[parent], branch.count, branch.bytes,
			     branch.objects);
		}
	}
	excerpt->branches.count = kept;
	memory__put(&excerpt->memory, new_index, bytes);
	return 0;
}

static int add_examples(struct excerpt *excerpt)
{
	int err = 0;

	for (size_t i = excerpt->singles; i < excerpt->branches.count && !err; i++) {
		struct excerpt_branch *group = &excerpt->branches.items[i];
		const uint32_t place = group->object;

		err = excerpt__add(excerpt, place);
		if (!err)
			group->object = excerpt__find(excerpt, place);
	}
	return err;
}

/* ---------------------------------------------------------------- all of it */

int excerpt__init(struct excerpt *excerpt, const struct heap *heap,
		  const struct heap_paths *paths, const struct excerpt_limits *limits)
{
	int err;

	*excerpt = (struct excerpt){ .heap = heap, .paths = paths, .limits = *limits,
				     .memory = heap__memory_left(heap) };
	excerpt->least = choose_least(heap, limits->singles);
	err = add_singles(excerpt);
	for (uint32_t i = 0; i < excerpt->singles && !err; i++)
		err = add_way(excerpt, i);
	if (!err)
		err = add_groups(excerpt);
	if (!err)
		err = fold_small_groups(excerpt);
	return err ? err : add_examples(excerpt);
}

void excerpt__free(struct excerpt *excerpt)
{
	hash_slots__free(&excerpt->by_place, &excerpt->memory);
	hash_slots__free(&excerpt->by_type, &excerpt->memory);
	memory__free_vec(&excerpt->memory, &excerpt->branches);
	memory__free_vec(&excerpt->memory, &excerpt->objects);
}

struct excerpt_sum excerpt__folded(const struct excerpt *excerpt)
{
	struct excerpt_sum folded = { 0 };

	for (size_t i = 0; i < excerpt->branches.count; i++) {
		folded.count += excerpt->branches.items[i].folded.count;
		folded.bytes += excerpt->branches.items[i].folded.bytes;
		folded.objects += excerpt->branches.items[i].folded.objects;
	}
	return folded;
}
