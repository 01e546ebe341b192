/* SPDX-License-Identifier: BSD-2-Clause */
#include "outline.h"

#include "gctrace/wire.h"

/* Lines that wait: what is below a line comes before its next sibling. */
struct waiting VEC_OF(struct outline_line);

struct walk {
	const struct heap *heap;
	bool of_roots;
	uint64_t most, depth;
	uint64_t least; /* bytes: what keeps less alive is folded, unless all are wanted */
	struct waiting children; /* of one, scratch */
	struct waiting stack;
	struct outline *outline;
};

static int by_bytes(const void *a, const void *b)
{
	const struct outline_line *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->roots != y->roots)
		return x->roots < y->roots ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Roots themselves, below a node: there are few levels. UINT64_MAX: no memory. */
static uint64_t count_roots(const struct heap *heap, uint32_t place)
{
	VEC(uint32_t) nodes = VEC_INIT;
	uint64_t count = 0;
	int err = vec__push(&nodes, place);

	while (!err && nodes.count) {
		const uint32_t node = nodes.items[--nodes.count];
		struct heap_references references = heap__references(heap, node);
		struct heap_reference next;

		if (heap__root(heap, node).level == HEAP_ROOT_REFERENCE) {
			count++;
			continue;
		}
		while (!err && heap_references__next(&references, &next))
			err = vec__push(&nodes, next.to);
	}
	vec__free(&nodes);
	return err ? EVENT_UNKNOWN : count;
}

static struct outline_line line_of(const struct walk *walk, uint32_t place, uint32_t depth)
{
	struct outline_line line = {
		.place = place,
		.depth = depth,
		.bytes = heap__retained(walk->heap, place),
		.objects = heap__retained_objects(walk->heap, place),
	};

	if (heap__is_node(walk->heap, place))
		line.roots = count_roots(walk->heap, place);
	return line;
}

/* A level that says nothing: one kind of root in a container, the only container of its type. */
static bool is_passed_through(const struct heap *heap, uint32_t place)
{
	const struct heap_root root = heap__root(heap, place);

	if (root.level == HEAP_ROOT_KIND)
		return true;
	return root.level == HEAP_ROOT_CONTAINER && root.type != GCTRACE_C_RT_THREAD &&
	       !heap_root__is_frame(root.type) && root.type != GCTRACE_C_STATIC &&
	       (root.id1 == 0 || root.id1 == EVENT_UNKNOWN);
}

/* Frames and containers without a root are not worth a line. */
static int add_root(struct walk *walk, uint32_t place, uint32_t depth)
{
	const struct outline_line line = line_of(walk, place, depth);

	return line.roots ? vec__push(&walk->children, line) : 0;
}

static int list_roots(struct walk *walk, uint32_t place, uint32_t depth)
{
	VEC(uint32_t) nodes = VEC_INIT;
	int err = heap__is_node(walk->heap, place) ? vec__push(&nodes, place) : 0;

	while (!err && nodes.count) {
		const uint32_t node = nodes.items[--nodes.count];
		struct heap_references references = heap__references(walk->heap, node);
		struct heap_reference next;

		if (heap__root(walk->heap, node).level == HEAP_ROOT_REFERENCE)
			continue;
		while (!err && heap_references__next(&references, &next)) {
			if (is_passed_through(walk->heap, next.to))
				err = vec__push(&nodes, next.to);
			else
				err = add_root(walk, next.to, depth);
		}
	}
	vec__free(&nodes);
	return err;
}

/* Nodes of the roots are passed through: what lies below them stands where they do. */
static int list_objects(struct walk *walk, uint32_t place, uint32_t depth)
{
	const struct heap *heap = walk->heap;
	uint32_t child = HEAP_NONE;
	int err = 0;

	while (!err && (child = heap__next_dominated(heap, place, child)) != HEAP_NONE)
		err = vec__push(&walk->children, line_of(walk, child, depth));
	return err;
}

/* At the top: each object whose dominator is a node, of which there are few levels. */
static int list_uppermost(struct walk *walk)
{
	const struct heap *heap = walk->heap;
	VEC(uint32_t) nodes = VEC_INIT;
	int err = vec__push(&nodes, heap__top(heap));

	while (nodes.count && !err) {
		const uint32_t node = nodes.items[--nodes.count];
		uint32_t child = HEAP_NONE;

		while (!err && (child = heap__next_dominated(heap, node, child)) != HEAP_NONE) {
			if (heap__is_node(heap, child))
				err = vec__push(&nodes, child);
			else
				err = vec__push(&walk->children, line_of(walk, child, 0));
		}
	}
	vec__free(&nodes);
	return err;
}

/* The children, the biggest on top of the stack; what is beyond `most` folded. */
static int stack_children(struct walk *walk)
{
	struct waiting *children = &walk->children;
	const uint32_t depth = children->count ? children->items[0].depth : 0;
	struct outline_line rest = { .place = HEAP_NONE, .depth = depth, .last = true };
	size_t shown = children->count;
	int err = 0;

	vec__sort(children, by_bytes);
	if (walk->most && shown > walk->most)
		shown = walk->most;
	while (walk->most && shown && children->items[shown - 1].bytes < walk->least)
		shown--;
	if (shown + 1 == children->count)
		shown++; /* its line takes no more room than one that says how much it is */
	for (size_t i = shown; i < children->count; i++) {
		rest.folded++;
		rest.bytes += children->items[i].bytes;
		rest.objects += children->items[i].objects;
		rest.roots += children->items[i].roots;
	}
	if (rest.folded)
		err = vec__push(&walk->stack, rest);
	for (size_t i = shown; i-- > 0 && !err;) {
		children->items[i].last = i == shown - 1 && !rest.folded;
		err = vec__push(&walk->stack, children->items[i]);
	}
	vec__reset(children);
	return err;
}

static int unfold(struct walk *walk)
{
	int err = stack_children(walk);

	while (!err && walk->stack.count) {
		const struct outline_line line = walk->stack.items[--walk->stack.count];

		err = vec__push(walk->outline, line);
		if (err || line.folded || line.depth + 1 >= walk->depth)
			continue;
		if (walk->of_roots)
			err = list_roots(walk, line.place, line.depth + 1);
		else
			err = list_objects(walk, line.place, line.depth + 1);
		if (!err)
			err = stack_children(walk);
	}
	vec__free(&walk->children);
	vec__free(&walk->stack);
	return err;
}

int outline__roots(const struct heap *heap, uint64_t depth, uint64_t most,
		   struct outline *outline)
{
	struct walk walk = { .heap = heap, .of_roots = true, .most = most, .depth = depth,
			     .least = 1, .children = VEC_INIT, .stack = VEC_INIT,
			     .outline = outline };
	int err = list_roots(&walk, heap__top(heap), 0);
	int also = unfold(&walk);

	return err ? err : also;
}

int outline__objects(const struct heap *heap, uint64_t depth, uint64_t most,
		     struct outline *outline)
{
	struct walk walk = { .heap = heap, .most = most, .depth = depth,
			     .least = heap__facts(heap)->reached_bytes / OUTLINE_SHARE,
			     .children = VEC_INIT, .stack = VEC_INIT, .outline = outline };
	int err = list_uppermost(&walk);
	int also = unfold(&walk);

	return err ? err : also;
}
