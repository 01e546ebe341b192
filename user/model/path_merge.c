/* SPDX-License-Identifier: BSD-2-Clause */
#include "path_merge.h"

#include "base/search.h"
#include "gctrace/wire.h"
#include "heap_private.h"

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
	memory__free_vec(&merge->memory, &merge->branches);
	memory__free_vec(&merge->memory, &merge->way);
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
	uint64_t at = ANY_PLACE, key;

	if (from == HEAP_NONE)
		return hash__mix(1, to);
	key = hash__mix(2, heap__type(heap, to));
	if (heap__is_node(heap, from))
		return key;
	type = heap_types__at(heap__types(heap), heap__type(heap, from));
	if (!(type.flags & GCTRACE_CLASS_ARRAY))
		heap__field(heap, from, to, &at);
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
	err = memory__push(&merge->memory, &merge->branches, *wanted);
	if (!err) {
		merge->slots.of[at] = *index + 1;
		merge->slots.count++;
	}
	return err;
}

/* From one branch (NO_BRANCH: above all) to that of the next step. */
static int step(struct path_merge *merge, const struct heap *heap, uint32_t from, uint32_t to,
		uint32_t *branch)
{
	const bool is_root = *branch == NO_BRANCH;
	struct path_branch wanted = {
		.parent = *branch,
		.from = from,
		.to = to,
		.depth = is_root ? 0 : merge->branches.items[*branch].depth + 1,
		.key = key_of(heap, from, to),
	};

	if (!is_root && merge->branches.items[*branch].key == wanted.key) {
		merge->branches.items[*branch].repeats = true;
		return 0;
	}
	return find(merge, &wanted, branch);
}

static uint32_t *branch_at(const struct heap *heap, uint32_t *branches, uint32_t place)
{
	return &branches[rows__at(&heap->rows, place)[ROW_NUMBER]];
}

/* Climb to where a branch is known, by `branches` (+ 1, by number), and come back by the steps. */
static int find_branch(struct path_merge *merge, const struct heap *heap,
		       const struct heap_paths *paths, uint32_t *branches, uint32_t place,
		       uint32_t *branch)
{
	uint32_t at = place;
	int err = 0;

	vec__reset(&merge->way);
	for (; !err && at != HEAP_NONE && !*branch_at(heap, branches, at);
	     at = heap_paths__before(paths, at))
		err = memory__push(&merge->memory, &merge->way, at);
	*branch = at == HEAP_NONE ? NO_BRANCH : *branch_at(heap, branches, at) - 1;
	while (!err && merge->way.count) {
		const uint32_t to = merge->way.items[--merge->way.count];

		err = step(merge, heap, at, to, branch);
		*branch_at(heap, branches, to) = *branch + 1;
		at = to;
	}
	return err;
}

static int add_object(struct path_merge *merge, const struct heap *heap,
		      const struct heap_paths *paths, uint32_t *branches, uint32_t place)
{
	struct path_branch *end;
	uint32_t branch;
	int err;

	merge->objects++;
	if (heap_paths__length(paths, place) == HEAP_NONE) {
		merge->unreached++;
		return 0;
	}
	err = find_branch(merge, heap, paths, branches, place, &branch);
	if (err)
		return err;
	end = &merge->branches.items[branch];
	end->ending++;
	end->ending_bytes += heap__size(heap, place);
	return 0;
}

/* What leads to a branch leads through those above it, which stand before it. */
static void add_up(struct path_merge *merge)
{
	for (size_t i = merge->branches.count; i-- > 0;) {
		struct path_branch *branch = &merge->branches.items[i];
		struct path_branch *parent;

		branch->objects += branch->ending;
		branch->bytes += branch->ending_bytes;
		if (branch->parent == NO_BRANCH)
			continue;
		parent = &merge->branches.items[branch->parent];
		parent->objects += branch->objects;
		parent->bytes += branch->bytes;
	}
}

int path_merge__add(struct path_merge *merge, struct heap *heap, const struct heap_paths *paths,
		    const bool *wanted)
{
	const uint64_t bytes = heap->tree.count * UINT64_C(4);
	uint32_t *branches = memory__get(&heap->memory, bytes);
	int err = branches ? 0 : memory__error(&heap->memory);

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err; p = heap__next(heap, p)) {
		const uint32_t type = rows__at(&heap->rows, p)[ROW_TYPE];

		if (!(type & (ROW_IS_NODE | ROW_DEAD)) && wanted[type & ROW_TYPE_MASK])
			err = add_object(merge, heap, paths, branches, p);
	}
	memory__put(&heap->memory, branches, bytes);
	add_up(merge);
	return err;
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
	return search__front(children->items, children->count, child, child->parent < parent);
}

/* A branch, or several that are folded. */
struct pending {
	uint32_t index, parent; /* parent: in the new order */
	uint64_t folded, objects, bytes;
};

struct order {
	struct path_merge *merge;
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
		err = memory__push(&order->merge->memory, &order->stack, rest);
	}
	for (; i < end && !err; i++)
		err = memory__push(&order->merge->memory, &order->stack,
				   (struct pending){ .index = children->items[i].index,
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
	return memory__push(&order->merge->memory, &order->ordered, branch);
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
		err = memory__push(&merge->memory, &order.children,
				   (struct ordered){ merge->branches.items[i].parent, (uint32_t)i,
						     merge->branches.items[i].objects });
	vec__sort(&order.children, by_parent);
	if (!err)
		err = lay_out(&order);
	memory__free_vec(&merge->memory, &order.children);
	memory__free_vec(&merge->memory, &order.stack);
	if (err) {
		memory__free_vec(&merge->memory, &order.ordered);
		return err;
	}
	memory__free_vec(&merge->memory, &merge->branches);
	merge->branches.items = order.ordered.items;
	merge->branches.count = order.ordered.count;
	merge->branches.alloc = order.ordered.alloc;
	return 0;
}
