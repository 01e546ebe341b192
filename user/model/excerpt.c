/* SPDX-License-Identifier: BSD-2-Clause */
#include "excerpt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* The size that as many objects as are wanted, or fewer, keep alive or more. */
static uint64_t choose_least(const struct heap *heap, uint32_t wanted)
{
	uint64_t counts[SIZE_STEPS] = { 0 }, count = 0;
	uint32_t step;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint64_t bytes = heap__retained(heap, p);

		if (bytes != EVENT_UNKNOWN && !heap__is_node(heap, p))
			counts[step_of(bytes)]++;
	}
	for (step = SIZE_STEPS; step > 0 && count + counts[step - 1] <= wanted; step--)
		count += counts[step - 1];
	return step ? least_of_step(step) : 0;
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
		err = vec__push(&excerpt->objects, object);
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

/* ---------------------------------------------------------------- the tree */

static int add_branch(struct excerpt *excerpt, uint32_t place, uint32_t parent)
{
	const struct excerpt_branch branch = {
		.parent = parent,
		.bytes = heap__retained(excerpt->heap, place),
		.objects = heap__retained_objects(excerpt->heap, place),
	};
	uint32_t index;
	int err = add_object(excerpt, place, &index);

	return err ? err : vec__push(&excerpt->branches, branch);
}

static int take_child(struct excerpt *excerpt, uint32_t parent, uint32_t child)
{
	const uint64_t bytes = heap__retained(excerpt->heap, child);
	struct excerpt_branch *branch;

	if (bytes >= excerpt->least)
		return add_branch(excerpt, child, parent);
	branch = &excerpt->branches.items[parent];
	branch->folded.branches++;
	branch->folded.bytes += bytes;
	branch->folded.objects += heap__retained_objects(excerpt->heap, child);
	return 0;
}

/* What stands right below a node of the roots stands where the node does. */
static int take_children(struct excerpt *excerpt, uint32_t parent)
{
	VEC(uint32_t) nodes = VEC_INIT;
	int err = vec__push(&nodes, excerpt->objects.items[parent].place);

	while (nodes.count && !err) {
		const uint32_t node = nodes.items[--nodes.count];
		uint32_t child = HEAP_NONE;

		while (!err && (child = heap__next_dominated(excerpt->heap, node, child)) !=
				       HEAP_NONE) {
			if (heap__is_node(excerpt->heap, child))
				err = vec__push(&nodes, child);
			else
				err = take_child(excerpt, parent, child);
		}
	}
	vec__free(&nodes);
	return err;
}

static int take_tree(struct excerpt *excerpt)
{
	int err = add_branch(excerpt, heap__top(excerpt->heap), EXCERPT_NONE);

	for (uint32_t i = 0; i < excerpt->branches.count && !err; i++)
		err = take_children(excerpt, i);
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
	bool *leads_on = calloc(excerpt->objects.count, sizeof(*leads_on));

	if (!leads_on)
		return -ENOMEM;
	for (size_t i = 0; i < excerpt->objects.count; i++)
		if (excerpt->objects.items[i].before != EXCERPT_NONE)
			leads_on[excerpt->objects.items[i].before] = true;
	for (uint32_t i = 0; i < excerpt->objects.count; i++)
		if (leads_on[i] && !heap__is_node(excerpt->heap, excerpt->objects.items[i].place))
			find_places(excerpt, i);
	free(leads_on);
	return 0;
}

/* ---------------------------------------------------------------- all of it */

int excerpt__add(struct excerpt *excerpt, uint32_t place)
{
	uint32_t index;
	int err;

	if (excerpt__find(excerpt, place) != EXCERPT_NONE)
		return 0;
	err = add_object(excerpt, place, &index);
	return err ? err : add_way(excerpt, index);
}

int excerpt__init(struct excerpt *excerpt, const struct heap *heap,
		  const struct heap_paths *paths, const struct excerpt_limits *limits)
{
	int err;

	*excerpt = (struct excerpt){ .heap = heap, .paths = paths, .limits = *limits };
	excerpt->least = choose_least(heap, limits->branches);
	err = take_tree(excerpt);
	for (uint32_t i = 0; i < excerpt->branches.count && !err; i++)
		err = add_way(excerpt, i);
	return err;
}

void excerpt__free(struct excerpt *excerpt)
{
	hash_slots__free(&excerpt->by_place, &excerpt->memory);
	vec__free(&excerpt->branches);
	vec__free(&excerpt->objects);
}

struct excerpt_folded excerpt__folded(const struct excerpt *excerpt)
{
	struct excerpt_folded folded = { 0 };

	for (size_t i = 0; i < excerpt->branches.count; i++) {
		folded.branches += excerpt->branches.items[i].folded.branches;
		folded.bytes += excerpt->branches.items[i].folded.bytes;
		folded.objects += excerpt->branches.items[i].folded.objects;
	}
	return folded;
}
