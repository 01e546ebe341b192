/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A treap: by what it is ordered by, a search tree; by priorities that are as good as random, a
 * heap. Its depth is then that of a tree into which all were put in random order. The priorities
 * come out of a number that is another one in each process: nobody can write a file for it.
 */
#include "type_names.h"

#include <string.h>
#include <sys/auxv.h>

#include "hash_slots.h"
#include "types.h"

/* Where a type stands in the order. */
struct standing {
	struct text name;
	bool is_living;	 /* not free */
	uint64_t number; /* its class; of a free one its index */
};

static struct standing standing_of(const struct types *types, uint32_t index)
{
	const struct type *type = &types->of.items[index];

	return (struct standing){ type->name, !type->is_free,
				  type->is_free ? index : type->class_ };
}

static int compare(const struct standing *a, const struct standing *b)
{
	const size_t a_bytes = a->name.bytes, b_bytes = b->name.bytes;
	const int order = memcmp(a->name.at, b->name.at, a_bytes < b_bytes ? a_bytes : b_bytes);

	if (order)
		return order;
	if (a_bytes != b_bytes)
		return a_bytes < b_bytes ? -1 : 1;
	if (a->is_living != b->is_living)
		return a->is_living ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_before(const struct types *types, uint32_t index, const struct standing *standing)
{
	const struct standing own = standing_of(types, index);

	return compare(&own, standing) < 0;
}

static uint64_t priority(const struct types *types, uint32_t index)
{
	return hash__mix(hash__mix(hash__mix(types->secret, index), types->secret), index);
}

/* Anew for each process; the kernel's (getauxval(3)). */
static void need_secret(struct types *types)
{
	if (!types->secret)
		memcpy(&types->secret, (const void *)getauxval(AT_RANDOM), sizeof(types->secret));
}

/* ---------------------------------------------------------------- the tree */

static uint32_t *left(struct types *types, uint32_t index)
{
	return &types->of.items[index].left;
}

static uint32_t *right(struct types *types, uint32_t index)
{
	return &types->of.items[index].right;
}

/* A tree in two: what stands before, and the rest. */
static void split(struct types *types, uint32_t tree, const struct standing *standing,
		  uint32_t *before, uint32_t *behind)
{
	while (tree) {
		if (is_before(types, tree, standing)) {
			*before = tree;
			before = right(types, tree);
			tree = *before;
		} else {
			*behind = tree;
			behind = left(types, tree);
			tree = *behind;
		}
	}
	*before = *behind = 0;
}

/* Two trees in one; all of the one stand before those of the other. */
static void join(struct types *types, uint32_t before, uint32_t behind, uint32_t *whole)
{
	while (before && behind) {
		if (priority(types, before) > priority(types, behind)) {
			*whole = before;
			whole = right(types, before);
			before = *whole;
		} else {
			*whole = behind;
			whole = left(types, behind);
			behind = *whole;
		}
	}
	*whole = before ? before : behind;
}

static bool is_never_in(const struct types *types, uint32_t index)
{
	return index == 0 || types->of.items[index].name.bytes == 0;
}

void type_names__put(struct types *types, uint32_t index)
{
	const struct standing standing = standing_of(types, index);
	uint32_t *at = &types->by_name;

	if (is_never_in(types, index))
		return;
	need_secret(types);
	while (*at && priority(types, *at) > priority(types, index))
		at = is_before(types, *at, &standing) ? right(types, *at) : left(types, *at);
	split(types, *at, &standing, left(types, index), right(types, index));
	*at = index;
}

void type_names__take_out(struct types *types, uint32_t index)
{
	const struct standing standing = standing_of(types, index);
	uint32_t *at = &types->by_name;

	if (is_never_in(types, index))
		return;
	while (*at != index)
		at = is_before(types, *at, &standing) ? right(types, *at) : left(types, *at);
	join(types, *left(types, index), *right(types, index), at);
}

/* ---------------------------------------------------------------- searches */

/* The first that has the name and does not stand before; 0: none. */
static uint32_t first_from(const struct types *types, const struct standing *standing)
{
	uint32_t tree = types->by_name, found = 0;

	while (tree) {
		if (is_before(types, tree, standing)) {
			tree = types->of.items[tree].right;
		} else {
			found = tree;
			tree = types->of.items[tree].left;
		}
	}
	return found && text__equal(types->of.items[found].name, standing->name) ? found : 0;
}

uint32_t type_names__free_one(const struct types *types, struct text name)
{
	const struct standing first = { name, false, 0 };
	const uint32_t index = first_from(types, &first);

	return index && types->of.items[index].is_free ? index : 0;
}

uint32_t type_names__behind(const struct types *types, struct text name, uint64_t class_)
{
	const struct standing next = { name, true, class_ + 1 };

	return class_ == UINT64_MAX ? 0 : first_from(types, &next);
}
