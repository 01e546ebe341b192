/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks.h"

#include <string.h>

#define ENDS_SPARED 4096u

static uint64_t hash_text(struct text text)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < text.bytes; i++)
		hash = hash__mix(hash, (uint8_t)text.at[i]);
	return hash;
}

static uint64_t hash_place(uint32_t parent, uint32_t frame)
{
	return hash__mix(hash__mix(0, parent + UINT64_C(1)), frame + UINT64_C(1));
}

static uint64_t hash_id(uint64_t id)
{
	return hash__mix(1, id);
}

static uint64_t hash_of_frame(const void *context, uint32_t index)
{
	const struct stacks *stacks = context;

	return hash_text(stacks->frames.items[index]);
}

static uint64_t hash_of_node(const void *context, uint32_t index)
{
	const struct stacks *stacks = context;

	return hash_place(stacks->nodes.items[index].parent, stacks->nodes.items[index].frame);
}

static uint64_t hash_of_end(const void *context, uint32_t index)
{
	const struct stacks *stacks = context;

	return hash_id(stacks->ends.items[index].id);
}

/* The last one of an array. */
static void put(struct hash_slots *slots, uint32_t at, size_t count)
{
	slots->of[at] = (uint32_t)count;
	slots->count++;
}

/* ---------------------------------------------------------------- frames, nodes, ends */

static int add_frame(struct stacks *stacks, struct text text)
{
	struct text frame = { NULL, 0 };

	if (!text__own(&frame, text) && !vec__push(&stacks->frames, frame))
		return 0;
	text__free(&frame);
	return -ENOMEM;
}

static int find_frame(struct stacks *stacks, struct text text, uint32_t *index)
{
	struct hash_slots *slots = &stacks->by_text;
	int err = hash_slots__room(slots, &stacks->memory, hash_of_frame, stacks);
	uint32_t at;

	if (err)
		return err;
	for (at = hash_slots__first(slots, hash_text(text)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		*index = slots->of[at] - 1;
		if (text__equal(stacks->frames.items[*index], text))
			return 0;
	}
	*index = (uint32_t)stacks->frames.count;
	err = add_frame(stacks, text);
	if (!err)
		put(slots, at, stacks->frames.count);
	return err;
}

static int find_node(struct stacks *stacks, uint32_t parent, uint32_t frame, uint32_t *index)
{
	const struct stack_node new = { parent, frame, stacks->nodes.items[parent].depth + 1 };
	struct hash_slots *slots = &stacks->by_place;
	int err = hash_slots__room(slots, &stacks->memory, hash_of_node, stacks);
	uint32_t at;

	if (err)
		return err;
	for (at = hash_slots__first(slots, hash_place(parent, frame)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		*index = slots->of[at] - 1;
		if (stacks->nodes.items[*index].parent == parent &&
		    stacks->nodes.items[*index].frame == frame)
			return 0;
	}
	*index = (uint32_t)stacks->nodes.count;
	err = vec__push(&stacks->nodes, new);
	if (!err)
		put(slots, at, stacks->nodes.count);
	return err;
}

/* Where it is, or the free slot that it would have. There are slots. */
static uint32_t slot_of_end(const struct stacks *stacks, uint64_t id)
{
	const struct hash_slots *slots = &stacks->by_id;
	uint32_t at = hash_slots__first(slots, hash_id(id));

	while (slots->of[at] && stacks->ends.items[slots->of[at] - 1].id != id)
		at = hash_slots__next(slots, at);
	return at;
}

/* NULL: there is none. */
static struct stack_end *end_of(const struct stacks *stacks, uint64_t id)
{
	const uint32_t at = stacks->by_id.of ? slot_of_end(stacks, id) : 0;

	if (!stacks->by_id.of || !stacks->by_id.of[at])
		return NULL;
	return &stacks->ends.items[stacks->by_id.of[at] - 1];
}

static int set_end(struct stacks *stacks, struct stack_end end)
{
	int err = hash_slots__room(&stacks->by_id, &stacks->memory, hash_of_end, stacks);
	struct stack_end *known = err ? NULL : end_of(stacks, end.id);

	if (known)
		*known = end;
	if (err || known)
		return err;
	err = vec__push(&stacks->ends, end);
	if (!err)
		put(&stacks->by_id, slot_of_end(stacks, end.id), stacks->ends.count);
	return err;
}

/* ---------------------------------------------------------------- stacks */

static struct text take_line(struct text *text)
{
	const char *feed = text->bytes ? memchr(text->at, '\n', text->bytes) : NULL;
	const size_t bytes = feed ? (size_t)(feed - text->at) : text->bytes;
	const struct text line = { text->at, bytes };

	text->at += bytes + (feed != NULL);
	text->bytes -= bytes + (feed != NULL);
	return line;
}

/* There is the root at least. */
static int begin(struct stacks *stacks)
{
	static const struct stack_node root;

	return stacks->nodes.count ? 0 : vec__push(&stacks->nodes, root);
}

int stacks__define(struct stacks *stacks, uint64_t id, struct text frames)
{
	uint32_t frame, node = STACKS_ROOT;
	int err = begin(stacks);

	while (!err && frames.bytes) {
		err = find_frame(stacks, take_line(&frames), &frame);
		if (!err)
			err = find_node(stacks, node, frame, &node);
	}
	return err ? err : set_end(stacks, (struct stack_end){ id, node, stacks->round });
}

uint32_t stacks__node(const struct stacks *stacks, uint64_t id)
{
	const struct stack_end *end = end_of(stacks, id);

	return end ? end->node : STACKS_ROOT;
}

int stacks__use(struct stacks *stacks, uint64_t id, uint32_t *node)
{
	struct stack_end *end = end_of(stacks, id);

	*node = end ? end->node : STACKS_ROOT;
	if (end)
		end->round = stacks->round;
	return begin(stacks);
}

/* ---------------------------------------------------------------- forgetting */

static int forget(struct stacks *stacks, uint32_t rounds)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < stacks->ends.count; i++)
		if (stacks->round - stacks->ends.items[i].round <= rounds)
			stacks->ends.items[kept++] = stacks->ends.items[i];
	hash_slots__free(&stacks->by_id, &stacks->memory);
	stacks->ends.count = 0;
	while (stacks->ends.count < kept && !err) {
		const struct stack_end *end = &stacks->ends.items[stacks->ends.count];

		err = hash_slots__room(&stacks->by_id, &stacks->memory, hash_of_end, stacks);
		if (!err)
			put(&stacks->by_id, slot_of_end(stacks, end->id), ++stacks->ends.count);
	}
	return err;
}

int stacks__end_round(struct stacks *stacks, uint32_t rounds)
{
	int err = 0;

	if (stacks->ends.count > 2 * stacks->nodes.count + ENDS_SPARED)
		err = forget(stacks, rounds);
	stacks->round++;
	return err;
}

/* ---------------------------------------------------------------- places */

uint32_t stacks__at(const struct stacks *stacks, uint32_t node, uint32_t depth)
{
	while (depth && stacks->nodes.items[node].depth > depth)
		node = stacks->nodes.items[node].parent;
	return node;
}

struct text stacks__frame(const struct stacks *stacks, uint32_t node)
{
	return stacks->frames.items[stacks->nodes.items[node].frame];
}

void stacks__free(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->frames.count; i++)
		text__free(&stacks->frames.items[i]);
	vec__free(&stacks->frames);
	vec__free(&stacks->nodes);
	vec__free(&stacks->ends);
	hash_slots__free(&stacks->by_text, &stacks->memory);
	hash_slots__free(&stacks->by_place, &stacks->memory);
	hash_slots__free(&stacks->by_id, &stacks->memory);
}
