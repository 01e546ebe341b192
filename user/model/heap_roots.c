/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_roots.h"

#include <errno.h>
#include <string.h>

#include "gctrace/wire.h"

#define NOT_FOLLOWED (GCTRACE_REF_WEAK | GCTRACE_REF_PHANTOM)

static struct root_node *node_at(const struct heap_roots *roots, uint32_t index)
{
	return (struct root_node *)(void *)roots->nodes.at + index;
}

struct root_leaf *heap_roots__leaf(const struct heap_roots *roots, uint32_t index)
{
	return (struct root_leaf *)(void *)roots->leaves.at + index;
}

uint32_t heap_roots__nodes(const struct heap_roots *roots)
{
	return (uint32_t)(roots->nodes.used / sizeof(struct root_node));
}

uint64_t heap_roots__rows(const struct heap_roots *roots)
{
	return (uint64_t)heap_roots__nodes(roots) + heap_roots__leaves(roots);
}

uint32_t heap_roots__leaves(const struct heap_roots *roots)
{
	return (uint32_t)(roots->leaves.used / sizeof(struct root_leaf));
}

static uint64_t hash_node(const struct root_node *node)
{
	uint64_t hash = hash__mix(node->level, node->type);

	hash = hash__mix(hash, node->id1);
	hash = hash__mix(hash, node->id2);
	return hash__mix(hash, node->kind);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	return hash_node(node_at(context, index));
}

static bool is_same(const struct root_node *a, const struct root_node *b)
{
	return a->level == b->level && a->type == b->type && a->id1 == b->id1 &&
	       a->id2 == b->id2 && a->kind == b->kind;
}

/* The node of that name, which is new below `parent` if there was none. */
static int find(struct heap_roots *roots, const struct root_node *like, uint32_t *index)
{
	struct hash_slots *slots = &roots->by_name;
	struct root_node *node;
	uint32_t at;
	int err = hash_slots__room(slots, roots->memory, hash_of, roots);

	if (err)
		return err;
	for (at = hash_slots__first(slots, hash_node(like)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		*index = slots->of[at] - 1;
		if (is_same(node_at(roots, *index), like))
			return 0;
	}
	*index = heap_roots__nodes(roots);
	if (*index >= ROOT_INDEX_NODE - 1)
		return -EOVERFLOW;
	node = pile__add(&roots->nodes, roots->memory, sizeof(*node));
	if (!node)
		return memory__error(roots->memory);
	*node = *like;
	slots->of[at] = *index + 1;
	slots->count++;
	return 0;
}

int heap_roots__init(struct heap_roots *roots, struct memory *memory)
{
	const struct root_node all = { .level = HEAP_ROOT_ALL, .parent = ROW_NONE };
	uint32_t index;

	memset(roots, 0, sizeof(*roots));
	roots->memory = memory;
	roots->thread = roots->container = roots->kind = ROW_NONE;
	return find(roots, &all, &index);
}

void heap_roots__free(struct heap_roots *roots)
{
	pile__free(&roots->nodes, roots->memory);
	pile__free(&roots->leaves, roots->memory);
	hash_slots__free(&roots->by_name, roots->memory);
}

bool heap_root__is_frame(uint64_t type)
{
	return (type >= GCTRACE_C_RT_JIT && type <= GCTRACE_C_RT_FAST_INTERPRETED) ||
	       type == GCTRACE_C_RT_FRAME;
}

static int find_container(struct heap_roots *roots, uint64_t type, uint64_t id1, uint64_t id2)
{
	struct root_node like = {
		.level = HEAP_ROOT_CONTAINER,
		.type = type,
		.id1 = id1,
		.id2 = id2,
	};
	int err;

	if (roots->container != ROW_NONE && is_same(node_at(roots, roots->container), &like))
		return 0;
	roots->kind = ROW_NONE;
	if (heap_root__is_frame(type) && roots->thread != ROW_NONE) {
		like.parent = roots->thread;
	} else {
		const struct root_node group = { .level = HEAP_ROOT_TYPE, .type = type };

		err = find(roots, &group, &like.parent);
		if (err)
			return err;
	}
	return find(roots, &like, &roots->container);
}

int heap_roots__begin(struct heap_roots *roots, const struct event *event)
{
	int err = find_container(roots, event->container.type, event->container.id1,
				 event->container.id2);

	if (!err && event->container.type == GCTRACE_C_RT_THREAD)
		roots->thread = roots->container;
	else if (!err && !heap_root__is_frame(event->container.type))
		roots->thread = ROW_NONE;
	return err;
}

void heap_roots__lost(struct heap_roots *roots)
{
	roots->thread = ROW_NONE;
}

static int find_kind(struct heap_roots *roots, uint64_t kind)
{
	struct root_node like = *node_at(roots, roots->container);

	if (roots->kind != ROW_NONE && node_at(roots, roots->kind)->kind == kind)
		return 0;
	like.level = HEAP_ROOT_KIND;
	like.parent = roots->container;
	like.kind = kind;
	return find(roots, &like, &roots->kind);
}

static int add_root(struct heap_roots *roots, const struct root *root)
{
	struct root_leaf *leaf;
	int err;

	if (root->to == 0) {
		roots->nulls++;
		return 0;
	}
	err = find_kind(roots, root->kind);
	if (err)
		return err;
	if (heap_roots__leaves(roots) >= ROOT_INDEX_NODE - 1)
		return -EOVERFLOW;
	leaf = pile__add(&roots->leaves, roots->memory, sizeof(*leaf));
	if (!leaf)
		return memory__error(roots->memory);
	*leaf = (struct root_leaf){
		.to = root->to,
		.id = root->id,
		.node = roots->kind,
		.flags = root->flags,
	};
	roots->dependent += heap_roots__is_dependent(roots, leaf);
	roots->weak += heap_roots__is_weak(roots, leaf);
	return 0;
}

int heap_roots__add(struct heap_roots *roots, const struct event *event)
{
	int err = find_container(roots, event->roots.type, event->roots.id1, event->roots.id2);

	for (size_t i = 0; i < event->roots.count && !err; i++)
		err = add_root(roots, &event->roots.roots[i]);
	return err;
}

bool heap_roots__is_dependent(const struct heap_roots *roots, const struct root_leaf *leaf)
{
	return node_at(roots, leaf->node)->type == GCTRACE_C_DEPENDENT;
}

bool heap_roots__is_weak(const struct heap_roots *roots, const struct root_leaf *leaf)
{
	const struct root_node *node = node_at(roots, leaf->node);

	return node->type == GCTRACE_C_WEAK || node->kind == GCTRACE_ROOT_HANDLE_WEAK ||
	       leaf->flags & NOT_FOLLOWED;
}

uint64_t heap_roots__id1(const struct heap_roots *roots, const struct root_leaf *leaf)
{
	return node_at(roots, leaf->node)->id1;
}

/* ---------------------------------------------------------------------------------------------
 * Rows
 */

static bool is_followed(const struct heap_roots *roots, const struct root_leaf *leaf)
{
	return leaf->object != ROW_NOWHERE && !heap_roots__is_weak(roots, leaf) &&
	       !heap_roots__is_dependent(roots, leaf);
}

/* Gives each node and leaf its place; the end of the last, or 0: there is no room for so many. */
static uint64_t lay_out(struct heap_roots *roots, uint64_t end)
{
	const uint32_t nodes = heap_roots__nodes(roots), leaves = heap_roots__leaves(roots);

	for (uint32_t i = 0; i < leaves; i++)
		node_at(roots, heap_roots__leaf(roots, i)->node)->children++;
	for (uint32_t i = 0; i < nodes; i++)
		node_at(roots, i)->below = node_at(roots, i)->children;
	for (uint32_t i = nodes; i-- > 1;) { /* parents stand before their children */
		struct root_node *parent = node_at(roots, node_at(roots, i)->parent);

		parent->children++;
		parent->below += node_at(roots, i)->below + 1;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		if (end >= ROW_WORDS_MOST)
			return 0;
		node_at(roots, i)->row = (uint32_t)end;
		end += ROW_REFERENCES + node_at(roots, i)->children;
	}
	for (uint32_t i = 0; i < leaves; i++) {
		if (end >= ROW_WORDS_MOST)
			return 0;
		heap_roots__leaf(roots, i)->row = (uint32_t)end;
		end += ROW_REFERENCES + is_followed(roots, heap_roots__leaf(roots, i));
	}
	return end < ROW_WORDS_MOST ? end : 0;
}

static void put_row(struct heap_rows *rows, uint32_t place, uint32_t index, uint32_t children)
{
	uint32_t *row = rows__at(rows, place);

	rows__begin(rows, place);
	row[ROW_NUMBER] = ROW_NONE;
	row[ROW_INDEX] = index;
	row[ROW_SIZE] = 0;
	row[ROW_TYPE] = ROW_IS_NODE | (uint32_t)GCTRACE_PLACE_UNKNOWN << ROW_KIND_SHIFT |
			(children ? ROW_HAS_REFERENCES : 0);
	rows->count++;
	rows->references += children;
}

/* From a node to the next of its children; `children` counts down those that are missing. */
static void put_child(struct heap_roots *roots, struct heap_rows *rows, uint32_t index,
		      uint32_t child)
{
	struct root_node *node = node_at(roots, index);
	uint32_t *row = rows__at(rows, node->row) + ROW_REFERENCES;

	row[--node->children] |= child;
}

int heap_roots__append(struct heap_roots *roots, struct heap_rows *rows)
{
	const uint32_t nodes = heap_roots__nodes(roots), leaves = heap_roots__leaves(roots);
	const uint64_t end = lay_out(roots, rows__end(rows));
	const uint64_t more = end * 4 - rows->pile.used;
	void *to;

	if (!end)
		return -EOVERFLOW;
	to = pile__add(&rows->pile, roots->memory, more);
	if (!to || !rows__reach(rows, roots->memory, end))
		return memory__error(roots->memory);
	memset(to, 0, more);
	rows__begin(rows, end);
	for (uint32_t i = 0; i < nodes; i++) {
		const struct root_node *node = node_at(roots, i);

		put_row(rows, node->row, ROOT_INDEX_NODE | i, node->children);
		if (node->children)
			rows__at(rows, node->row)[ROW_REFERENCES + node->children - 1] = ROW_HIGH;
	}
	for (uint32_t i = leaves; i-- > 0;) {
		const struct root_leaf *leaf = heap_roots__leaf(roots, i);
		const bool followed = is_followed(roots, leaf);

		put_row(rows, leaf->row, i, followed);
		if (followed)
			rows__at(rows, leaf->row)[ROW_REFERENCES] = leaf->object | ROW_HIGH;
		put_child(roots, rows, leaf->node, leaf->row);
	}
	for (uint32_t i = nodes; i-- > 1;)
		put_child(roots, rows, node_at(roots, i)->parent, node_at(roots, i)->row);
	rows->root = node_at(roots, 0)->row;
	return 0;
}

struct heap_root heap_roots__at(const struct heap_roots *roots, uint32_t row_index)
{
	const struct root_leaf *leaf = NULL;
	const struct root_node *node;
	struct heap_root root;

	if (row_index & ROOT_INDEX_NODE) {
		node = node_at(roots, row_index & ~ROOT_INDEX_NODE);
	} else {
		leaf = heap_roots__leaf(roots, row_index);
		node = node_at(roots, leaf->node);
	}
	root = (struct heap_root){
		.level = leaf ? HEAP_ROOT_REFERENCE : node->level,
		.place = leaf ? leaf->row : node->row,
		.parent = leaf ? node->row : ROW_NONE,
		.type = node->type,
		.id1 = node->id1,
		.id2 = node->id2,
		.kind = node->kind,
		.id = EVENT_UNKNOWN,
	};
	if (!leaf) {
		root.below = node->below;
		if (node->parent != ROW_NONE)
			root.parent = node_at(roots, node->parent)->row;
		return root;
	}
	root.id = leaf->id;
	root.flags = leaf->flags;
	root.weak = heap_roots__is_weak(roots, leaf);
	root.dependent = heap_roots__is_dependent(roots, leaf);
	root.address = leaf->to;
	root.object = leaf->object;
	return root;
}
