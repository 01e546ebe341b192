/* SPDX-License-Identifier: BSD-2-Clause */
#include "path_merge.h"

#include "gctrace/wire.h"

#define NO_BRANCH UINT32_MAX
#define ANY_PLACE (UINT64_MAX - 1)

int path_way__take(struct path_way *way, const struct heap_paths *paths, uint32_t place)
{
	const uint32_t length = heap_paths__length(paths, place);
	uint32_t at = place;
	int err;

	vec__reset(way);
	if (length == HEAP_NONE)
		return 0;
	err = vec__reserve(way, (size_t)length + 1);
	if (err)
		return err;
	way->count = (size_t)length + 1;
	for (size_t i = way->count; i-- > 0; at = heap_paths__before(paths, at))
		way->items[i] = at;
	return 0;
}

void path_merge__free(struct path_merge *merge)
{
	hash_slots__free(&merge->slots, &merge->memory);
	vec__free(&merge->branches);
	vec__free(&merge->way);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct path_merge *merge = context;

	return hash__mix(merge->branches.items[index].parent, merge->branches.items[index].key);
}

/* What a step is, as a number: by which field of which type to which type. Roots are themselves. */
static uint64_t key_of(const struct heap *heap, uint32_t from, uint32_t to)
{
	struct heap_type type;
	struct text field;
	uint64_t at = ANY_PLACE, key;

	if (from == HEAP_NONE)
		return hash__mix(1, to);
	key = hash__mix(2, heap__type(heap, to));
	if (heap__is_node(heap, from))
		return key;
	type = heap_types__at(heap__types(heap), heap__type(heap, from));
	if (!(type.flags & GCTRACE_CLASS_ARRAY))
		heap__field(heap, from, to, &at, &field);
	return hash__mix(hash__mix(key, type.number), at);
}

static int find(struct path_merge *merge, const struct path_branch *wanted, uint32_t *index)
{
	const uint64_t hash = hash__mix(wanted->parent, wanted->key);
	uint32_t at;
	int err = hash_slots__room(&merge->slots, &merge->memory, hash_of, merge);

	if (err)
		return err;
	for (at = hash_slots__first(&merge->slots, hash); merge->slots.of[at];
	     at = hash_slots__next(&merge->slots, at)) {
		const struct path_branch *branch =
			&merge->branches.items[merge->slots.of[at] - 1];

		*index = merge->slots.of[at] - 1;
		if (branch->parent == wanted->parent && branch->key == wanted->key)
			return 0;
	}
	if (merge->branches.count >= NO_BRANCH - 1)
		return -ENOMEM;
	*index = (uint32_t)merge->branches.count;
	err = vec__push(&merge->branches, *wanted);
	if (!err) {
		merge->slots.of[at] = *index + 1;
		merge->slots.count++;
	}
	return err;
}

static void count_up(struct path_merge *merge, uint32_t branch, uint64_t bytes)
{
	merge->branches.items[branch].ending++;
	for (; branch != NO_BRANCH; branch = merge->branches.items[branch].parent) {
		merge->branches.items[branch].objects++;
		merge->branches.items[branch].bytes += bytes;
	}
}

int path_merge__add(struct path_merge *merge, const struct heap *heap,
		    const struct heap_paths *paths, uint32_t place)
{
	uint32_t branch = NO_BRANCH;
	int err = path_way__take(&merge->way, paths, place);

	if (err)
		return err;
	merge->objects++;
	merge->unreached += merge->way.count == 0;
	for (size_t i = 0; i < merge->way.count; i++) {
		struct path_branch wanted = {
			.parent = branch,
			.from = i ? merge->way.items[i - 1] : HEAP_NONE,
			.to = merge->way.items[i],
			.depth = branch == NO_BRANCH ? 0 : merge->branches.items[branch].depth + 1,
		};

		wanted.key = key_of(heap, wanted.from, wanted.to);
		if (branch != NO_BRANCH && merge->branches.items[branch].key == wanted.key) {
			merge->branches.items[branch].repeats = true;
			continue;
		}
		err = find(merge, &wanted, &branch);
		if (err)
			return err;
	}
	if (branch != NO_BRANCH)
		count_up(merge, branch, heap__size(heap, place));
	return 0;
}

/* ---------------------------------------------------------------- order */

struct ordered {
	uint32_t parent, index;
	uint64_t objects;
};

static int by_parent(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->objects != y->objects)
		return x->objects < y->objects ? -1 : 1; /* the last one comes off a stack first */
	return x->index < y->index ? 1 : -1;
}

struct children VEC_OF(struct ordered);

/* The first entry of this parent. */
static size_t first_of(const struct children *children, uint32_t parent)
{
	size_t low = 0, high = children->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (children->items[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A branch, or several that are folded. */
struct pending {
	uint32_t index, parent; /* parent: in the new order */
	uint64_t folded, objects, bytes;
};

struct order {
	const struct path_merge *merge;
	struct children children;
	uint64_t most;
	VEC(struct pending) stack;
	VEC(struct path_branch) ordered;
};

/* The biggest comes off the stack first, what is folded last. */
static int push_children(struct order *order, uint32_t index, uint32_t parent)
{
	const struct children *children = &order->children;
	struct pending rest = { .parent = parent };
	size_t i = first_of(children, index), end = i;
	int err = 0;

	while (end < children->count && children->items[end].parent == index)
		end++;
	if (order->most && end - i > order->most && end - i - order->most > 1) {
		for (; end - i > order->most; i++, rest.folded++) {
			rest.objects += children->items[i].objects;
			rest.bytes += order->merge->branches.items[children->items[i].index].bytes;
		}
		err = vec__push(&order->stack, rest);
	}
	for (; i < end && !err; i++)
		err = vec__push(&order->stack, (struct pending){ .index = children->items[i].index,
								 .parent = parent });
	return err;
}

static int add_branch(struct order *order, const struct pending *at)
{
	struct path_branch branch = {
		.from = HEAP_NONE,
		.to = HEAP_NONE,
		.objects = at->objects,
		.bytes = at->bytes,
		.folded = at->folded,
	};

	if (!at->folded)
		branch = order->merge->branches.items[at->index];
	branch.parent = at->parent;
	branch.depth = at->parent == NO_BRANCH ? 0 : order->ordered.items[at->parent].depth + 1;
	return vec__push(&order->ordered, branch);
}

static int lay_out(struct order *order)
{
	int err = push_children(order, NO_BRANCH, NO_BRANCH);

	while (!err && order->stack.count) {
		const struct pending at = order->stack.items[--order->stack.count];

		err = add_branch(order, &at);
		if (!err && !at.folded)
			err = push_children(order, at.index, (uint32_t)order->ordered.count - 1);
	}
	return err;
}

int path_merge__order(struct path_merge *merge, uint64_t most)
{
	struct order order = { .merge = merge, .most = most };
	int err = 0;

	for (size_t i = 0; i < merge->branches.count && !err; i++)
		err = vec__push(&order.children, (struct ordered){ merge->branches.items[i].parent,
								   (uint32_t)i,
								   merge->branches.items[i].objects });
	vec__sort(&order.children, by_parent);
	if (!err)
		err = lay_out(&order);
	vec__free(&order.children);
	vec__free(&order.stack);
	if (err) {
		vec__free(&order.ordered);
		return err;
	}
	vec__free(&merge->branches);
	merge->branches.items = order.ordered.items;
	merge->branches.count = order.ordered.count;
	merge->branches.alloc = order.ordered.alloc;
	return 0;
}
