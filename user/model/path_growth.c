/* SPDX-License-Identifier: BSD-2-Clause */
#include "path_growth.h"

#include <errno.h>
#include <string.h>

void path_growth__free(struct path_growth *growth)
{
	hash_slots__free(&growth->slots, &growth->memory);
	pile__free(&growth->texts, &growth->memory);
	memory__free_vec(&growth->memory, &growth->branches);
}

struct text path_growth__words(const struct path_growth *growth, uint32_t branch)
{
	const struct growth_branch *of = &growth->branches.items[branch];

	return (struct text){ (const char *)growth->texts.at + of->at, of->words };
}

struct text path_growth__type(const struct path_growth *growth, uint32_t branch)
{
	const struct growth_branch *of = &growth->branches.items[branch];

	return (struct text){ (const char *)growth->texts.at + of->at + of->words, of->type };
}

/* ---------------------------------------------------------------- one tree of two */

/* A branch of a heap, as it is called. */
struct called {
	uint32_t parent;
	size_t words;
	const struct buf *text; /* words, then the type's name */
};

static uint64_t hash_called(uint32_t parent, size_t words, const char *text, size_t bytes)
{
	uint64_t hash = hash__mix(parent, words);

	for (size_t i = 0; i < bytes; i++)
		hash = hash__mix(hash, (unsigned char)text[i]);
	return hash;
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct path_growth *growth = context;
	const struct growth_branch *of = &growth->branches.items[index];

	return hash_called(of->parent, of->words, (const char *)growth->texts.at + of->at,
			   of->words + of->type);
}

static bool is_same(const struct path_growth *growth, uint32_t index, const struct called *called)
{
	const struct growth_branch *of = &growth->branches.items[index];
	const struct text known = { (const char *)growth->texts.at + of->at, of->words + of->type };

	return of->parent == called->parent && of->words == called->words &&
	       text__equal(known, (struct text){ buf__str(called->text), called->text->len });
}

static int add_branch(struct path_growth *growth, const struct called *called)
{
	const size_t bytes = called->text->len;
	const struct growth_branch branch = { .parent = called->parent,
					      .at = growth->texts.used,
					      .words = called->words,
					      .type = bytes - called->words };
	void *to;

	to = pile__add(&growth->texts, &growth->memory, bytes);
	if (!to && bytes)
		return memory__error(&growth->memory);
	if (bytes)
		memcpy(to, buf__str(called->text), bytes);
	return memory__push(&growth->memory, &growth->branches, branch);
}

static int find(struct path_growth *growth, const struct called *called, uint32_t *index)
{
	const uint64_t hash = hash_called(called->parent, called->words, buf__str(called->text),
					  called->text->len);
	int err = hash_slots__room(&growth->slots, &growth->memory, hash_of, growth);
	uint32_t at;

	if (err)
		return err;
	for (at = hash_slots__first(&growth->slots, hash); growth->slots.of[at];
	     at = hash_slots__next(&growth->slots, at)) {
		*index = growth->slots.of[at] - 1;
		if (is_same(growth, *index, called))
			return 0;
	}
	err = add_branch(growth, called);
	if (err)
		return err;
	*index = (uint32_t)growth->branches.count - 1;
	growth->slots.of[at] = *index + 1;
	growth->slots.count++;
	return 0;
}

struct adding {
	struct path_growth *growth;
	unsigned int side;
	const struct heap *heap;
	growth_words *words;
	growth_type *type;
	struct buf text;
	VEC(uint32_t) here; /* by index of the branches that are added */
};

static int add_one(struct adding *adding, const struct path_branch *from)
{
	struct called called = { .parent = GROWTH_NONE, .text = &adding->text };
	struct growth_branch *to;
	uint32_t index;
	int err;

	buf__reset(&adding->text);
	adding->words(&adding->text, adding->heap, from->from, from->to);
	called.words = adding->text.len;
	if (from->parent != UINT32_MAX) {
		called.parent = adding->here.items[from->parent];
		adding->type(&adding->text, adding->heap,
			     heap__object(adding->heap, from->to).type);
	}
	err = adding->text.error;
	if (!err)
		err = find(adding->growth, &called, &index);
	if (err)
		return err;
	to = &adding->growth->branches.items[index];
	to->repeats |= from->repeats;
	to->ending[adding->side].objects += from->ending;
	to->ending[adding->side].bytes += from->ending_bytes;
	return memory__push(&adding->growth->memory, &adding->here, index);
}

int path_growth__add(struct path_growth *growth, unsigned int side, const struct heap *heap,
		     const struct path_merge *merge, growth_words *words, growth_type *type)
{
	struct adding adding = { .growth = growth, .side = side, .heap = heap, .words = words,
				 .type = type };
	int err = 0;

	for (size_t i = 0; i < merge->branches.count && !err; i++)
		err = add_one(&adding, &merge->branches.items[i]);
	growth->unreached[side] += merge->unreached;
	buf__free(&adding.text);
	memory__free_vec(&growth->memory, &adding.here);
	return err;
}

/* ---------------------------------------------------------------- ways */

int path_growth__way(const struct path_growth *growth, uint32_t branch, struct growth_way *way)
{
	const size_t half = GROWTH_STEPS_MOST / 2;
	size_t length = 0, left;
	int err = vec__reserve(&way->steps, GROWTH_STEPS_MOST + 1);

	if (err)
		return err;
	for (uint32_t at = branch; at != GROWTH_NONE; at = growth->branches.items[at].parent)
		length++;
	way->folded = length > GROWTH_STEPS_MOST ? length - GROWTH_STEPS_MOST : 0;
	way->steps.count = way->folded ? GROWTH_STEPS_MOST + 1 : length;
	if (way->folded)
		way->steps.items[half] = GROWTH_NONE;
	for (left = length; left-- > 0; branch = growth->branches.items[branch].parent) {
		if (!way->folded || left < half)
			way->steps.items[left] = branch;
		else if (left >= half + way->folded)
			way->steps.items[left - way->folded + 1] = branch;
	}
	return 0;
}

/* ---------------------------------------------------------------- order */

struct changed {
	int64_t bytes, objects;
	uint32_t index;
};

static int by_growth(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->objects != y->objects)
		return x->objects < y->objects ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int path_growth__order(const struct path_growth *growth, struct growth_order *order)
{
	VEC(struct changed) all = VEC_INIT;
	int err = 0;

	for (size_t i = 0; i < growth->branches.count && !err; i++) {
		const struct fate_sum *ending = growth->branches.items[i].ending;
		const struct changed is = {
			diff__change(ending[DIFF_WAS].bytes, ending[DIFF_IS].bytes),
			diff__change(ending[DIFF_WAS].objects, ending[DIFF_IS].objects),
			(uint32_t)i,
		};

		if (is.bytes || is.objects)
			err = vec__push(&all, is);
	}
	vec__sort(&all, by_growth);
	for (size_t i = 0; i < all.count && !err; i++)
		err = vec__push(order, all.items[i].index);
	vec__free(&all);
	return err;
}
