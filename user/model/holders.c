/* SPDX-License-Identifier: BSD-2-Clause */
#include "holders.h"

#include <string.h>

#include "owner.h"

/* Where a way to a root begins that names it: at the static of a class object, or the root. */
static struct holder holder_of(const struct heap *heap, const struct heap_paths *paths,
			       uint32_t from, uint32_t place)
{
	struct holder holder = { .next = place, .length = 1 };
	uint32_t at = from;
	struct heap_root root;

	while (!heap__is_node(heap, at)) {
		const uint32_t before = heap_paths__before(paths, at);

		if (owner__is_static(heap, at, holder.next)) {
			holder.root = at;
			holder.rank = HEAP_RANK_STATIC;
			return holder;
		}
		if (before == HEAP_NONE)
			break;
		holder.next = at;
		holder.length++;
		at = before;
	}
	holder.root = at;
	if (heap__is_node(heap, at)) {
		root = heap__root(heap, at);
		holder.rank = heap_root__rank(root.type, root.kind);
	} else {
		holder.rank = HEAP_RANK_OTHER;
	}
	return holder;
}

static bool is_better(const struct holder *a, const struct holder *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->length != b->length)
		return a->length < b->length;
	return a->root != b->root ? a->root < b->root : a->next < b->next;
}

static bool is_same(const struct heap *heap, const struct holder *a, const struct holder *b)
{
	if (a->root != b->root)
		return false;
	/* The statics of a class are roots of their own. */
	return heap__is_node(heap, a->root) || a->next == b->next;
}

static void take(struct holders *holders, const struct heap *heap, const struct holder *holder)
{
	size_t at = 0;

	for (size_t i = 0; i < holders->count; i++) {
		if (!is_same(heap, &holders->of[i], holder))
			continue;
		if (!is_better(holder, &holders->of[i]))
			return;
		holders->count--;
		memmove(&holders->of[i], &holders->of[i + 1],
			(holders->count - i) * sizeof(holders->of[0]));
		break;
	}
	while (at < holders->count && !is_better(holder, &holders->of[at]))
		at++;
	if (holders->count == HOLDERS_MOST)
		holders->more++;
	else
		holders->count++;
	for (size_t i = holders->count - 1; i > at; i--)
		holders->of[i] = holders->of[i - 1];
	if (at < holders->count)
		holders->of[at] = *holder;
}

static void look_from(const struct heap *heap, const struct heap_paths *paths, uint32_t from,
		      const struct held *held, size_t count)
{
	struct heap_references references = heap__references(heap, from);
	struct heap_reference next;
	struct holder holder;

	while (heap_references__next(&references, &next)) {
		for (size_t i = 0; i < count; i++) {
			if (next.to != held[i].place || next.to == HEAP_NOWHERE ||
			    heap__dominates(heap, next.to, from))
				continue;
			holder = holder_of(heap, paths, from, next.to);
			take(held[i].holders, heap, &holder);
		}
	}
}

void holders__find(const struct heap *heap, const struct heap_paths *paths,
		   const struct held *held, size_t count)
{
	if (!count)
		return;
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p))
		if (heap_paths__length(paths, p) != HEAP_NONE)
			look_from(heap, paths, p, held, count);
}
