/* SPDX-License-Identifier: BSD-2-Clause */
#include "type_tree.h"

#include <errno.h>

#include "gctrace/wire.h"

/* The nodes that lead to what the walk is at, by depth in the dominator tree. */
struct type_tree_walk {
	struct type_tree *tree;
	const struct heap *heap;
	VEC(uint32_t) open;
};

void type_tree__free(struct type_tree *tree)
{
	hash_slots__free(&tree->slots, &tree->memory);
	memory__free_vec(&tree->memory, &tree->nodes);
}

/* ---------------------------------------------------------------- nodes */

static uint64_t hash_node(const struct type_tree_node *node)
{
	return hash__mix(hash__mix(node->parent, node->kind), node->id);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct type_tree *tree = context;

	return hash_node(&tree->nodes.items[index]);
}

static bool is_same(const struct type_tree_node *a, const struct type_tree_node *b)
{
	return a->parent == b->parent && a->kind == b->kind && a->id == b->id;
}

static int find(struct type_tree *tree, struct type_tree_node *wanted, uint32_t *index)
{
	uint32_t at;
	int err = hash_slots__room(&tree->slots, &tree->memory, hash_of, tree);

	if (err)
		return err;
	for (at = hash_slots__first(&tree->slots, hash_node(wanted)); tree->slots.of[at];
	     at = hash_slots__next(&tree->slots, at)) {
		*index = tree->slots.of[at] - 1;
		if (is_same(&tree->nodes.items[*index], wanted))
			return 0;
	}
	if (tree->nodes.count >= TYPE_TREE_NONE - 1)
		return -ENOMEM;
	wanted->depth = wanted->parent == TYPE_TREE_NONE ?
				0 :
				tree->nodes.items[wanted->parent].depth + 1;
	*index = (uint32_t)tree->nodes.count;
	err = memory__push(&tree->memory, &tree->nodes, *wanted);
	if (!err) {
		tree->slots.of[at] = *index + 1;
		tree->slots.count++;
	}
	return err;
}

static int find_marker(struct type_tree *tree, enum type_tree_kind kind, uint32_t parent,
		       uint32_t *index)
{
	struct type_tree_node wanted = { .kind = kind, .parent = parent, .place = HEAP_NONE };

	return find(tree, &wanted, index);
}

/* ---------------------------------------------------------------- roots */

/* Kinds of handles differ in what they mean; a local or a static says so by where it stands. */
static bool tells_by_kind(uint64_t type)
{
	return type == GCTRACE_C_HANDLES || type == GCTRACE_C_GLOBALS || type >= GCTRACE_C_OWN;
}

/* Is it a node of its own here, and what tells it from others? */
static bool is_told(const struct heap_root *root, uint64_t *id)
{
	switch (root->level) {
	case HEAP_ROOT_TYPE:
		*id = root->type;
		return true;
	case HEAP_ROOT_CONTAINER:
		/* Several frames of one method are one. */
		*id = heap_root__is_frame(root->type) ? root->id2 : root->id1;
		return heap_root__is_frame(root->type) ||
		       root->type == GCTRACE_C_RT_THREAD || root->type == GCTRACE_C_STATIC;
	case HEAP_ROOT_KIND:
		*id = root->kind;
		return tells_by_kind(root->type);
	case HEAP_ROOT_REFERENCE:
		*id = hash__mix(hash__mix(0, root->id1), root->id);
		return root->kind == GCTRACE_ROOT_STATIC && root->id != EVENT_UNKNOWN;
	default:
		return false;
	}
}

static int enter_root(struct type_tree_walk *walk, uint32_t place, uint32_t above, uint32_t *index)
{
	const struct heap_root root = heap__root(walk->heap, place);
	struct type_tree_node wanted = { .kind = TYPE_TREE_ROOT, .parent = above, .place = place };

	*index = above;
	if (!is_told(&root, &wanted.id))
		return 0;
	/* A static says its class itself. */
	if (root.level == HEAP_ROOT_REFERENCE)
		wanted.parent = walk->open.items[HEAP_ROOT_TYPE];
	wanted.id = hash__mix(hash__mix(root.level, root.type), wanted.id);
	return find(walk->tree, &wanted, index);
}

/* ---------------------------------------------------------------- objects */

/* Where the type of an object stands whose dominator stands at `above`. */
static int find_parent(struct type_tree *tree, uint32_t above, uint32_t *parent)
{
	const struct type_tree_node *node;

	*parent = above;
	if (above == TYPE_TREE_NONE)
		return find_marker(tree, TYPE_TREE_SEVERAL, above, parent);
	node = &tree->nodes.items[above];
	if (node->depth == TYPE_TREE_DEPTH)
		return find_marker(tree, TYPE_TREE_DEEPER, above, parent);
	if (node->depth > TYPE_TREE_DEPTH)
		*parent = node->parent;
	return 0;
}

static void count(struct type_tree *tree, uint32_t index, uint64_t bytes)
{
	struct type_tree_node *node = &tree->nodes.items[index];

	node->objects++;
	node->bytes += bytes;
	if (node->depth > TYPE_TREE_DEPTH) {
		tree->deeper_objects++;
		tree->deeper_bytes += bytes;
	}
}

static int enter_object(struct type_tree *tree, const struct heap *heap, uint32_t place,
			uint32_t above, uint32_t *index)
{
	struct type_tree_node wanted = { .kind = TYPE_TREE_TYPE, .place = HEAP_NONE,
					 .id = heap__type(heap, place) };
	int err = 0;

	*index = above;
	if (above == TYPE_TREE_NONE || tree->nodes.items[above].kind != TYPE_TREE_TYPE ||
	    tree->nodes.items[above].id != wanted.id) {
		err = find_parent(tree, above, &wanted.parent);
		if (!err)
			err = find(tree, &wanted, index);
	}
	if (!err)
		count(tree, *index, heap__size(heap, place));
	return err;
}

static int enter(struct type_tree_walk *walk, uint32_t place, uint32_t depth)
{
	const uint32_t above = depth ? walk->open.items[depth - 1] : TYPE_TREE_NONE;
	uint32_t index;
	int err;

	if (heap__is_node(walk->heap, place))
		err = enter_root(walk, place, above, &index);
	else
		err = enter_object(walk->tree, walk->heap, place, above, &index);
	walk->open.count = depth;
	return err ? err : memory__push(&walk->tree->memory, &walk->open, index);
}

static int add_reached(struct type_tree *tree, const struct heap *heap)
{
	struct type_tree_walk walk = { .tree = tree, .heap = heap };
	struct heap_subtree subtree = heap__subtree(heap, heap__top(heap));
	uint32_t place;
	int err = 0;

	while (!err && (place = heap_subtree__next(&subtree, heap)) != HEAP_NONE)
		err = enter(&walk, place, subtree.depth);
	memory__free_vec(&tree->memory, &walk.open);
	return err;
}

static int add_unreached(struct type_tree *tree, const struct heap *heap)
{
	uint32_t above, index;
	int err = find_marker(tree, TYPE_TREE_UNREACHED, TYPE_TREE_NONE, &above);

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err;
	     p = heap__next(heap, p))
		if (!heap__is_reached(heap, p))
			err = enter_object(tree, heap, p, above, &index);
	return err;
}

int type_tree__build(struct type_tree *tree, const struct heap *heap)
{
	const struct heap_facts *facts = heap__facts(heap);
	int err;

	tree->memory = heap__memory_left(heap);
	err = add_reached(tree, heap);
	if (!err && facts->objects > facts->reached_objects)
		err = add_unreached(tree, heap);
	return err;
}
