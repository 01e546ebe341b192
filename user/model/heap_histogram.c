/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_histogram.h"

#include <errno.h>
#include <stdlib.h>

#include "heap_private.h"

#define AHEAD 32

/* Where an object counts; HEAP_NO_GROUP: nowhere. */
static uint32_t group_of(const struct heap_selection *selection, const uint32_t *row,
			 uint32_t place)
{
	uint32_t group;

	if (row[ROW_TYPE] & (ROW_IS_NODE | ROW_DEAD))
		return HEAP_NO_GROUP;
	group = row[ROW_TYPE] & ROW_TYPE_MASK;
	if (selection->groups)
		group = selection->groups[group];
	if (group != HEAP_NO_GROUP && selection->has && !selection->has(selection->context, place))
		return HEAP_NO_GROUP;
	return group;
}

static void add_shallow(const struct heap *heap, const struct heap_selection *selection,
			struct heap_type_sums *sums)
{
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint32_t *row = rows__at(&heap->rows, p);
		const uint32_t group = group_of(selection, row, p);
		const uint64_t size = rows__size(&heap->rows, row);
		const bool reached = row[ROW_NUMBER] != ROW_NONE;

		if (group == HEAP_NO_GROUP)
			continue;
		sums[group].objects++;
		sums[group].bytes += size;
		sums[group].reached_objects += reached;
		sums[group].reached_bytes += reached ? size : 0;
	}
}

static void add_counts(const struct heap *heap, const struct heap_selection *selection,
		       struct heap_type_sums *sums)
{
	const struct heap_count *counts = (const struct heap_count *)(const void *)heap->counts.at;

	for (uint32_t i = 0; i < heap->counts.used / sizeof(*counts); i++) {
		const uint32_t group = selection->groups ? selection->groups[i] : i;

		if (group == HEAP_NO_GROUP)
			continue;
		sums[group].objects += counts[i].objects;
		sums[group].bytes += counts[i].bytes;
	}
}

/*
 * In preorder subtrees are intervals, and they come in order: an object lies below another of its
 * group when it comes before the end of the last subtree that was counted for the group.
 */
static void add_retained(const struct heap *heap, const struct heap_selection *selection,
			 struct heap_type_sums *sums, uint32_t *ends)
{
	const struct dominator_tree *tree = &heap->tree;

	for (uint32_t n = 0; n < tree->count; n++) {
		const uint32_t *row = rows__at(&heap->rows, tree->row[n]);
		uint32_t group;

		if (n + AHEAD < tree->count)
			__builtin_prefetch(rows__at(&heap->rows, tree->row[n + AHEAD]));
		group = group_of(selection, row, tree->row[n]);
		if (group == HEAP_NO_GROUP || n < ends[group])
			continue;
		ends[group] = n + tree->span[n];
		sums[group].retained += dominator_tree__retained(tree, n);
	}
}

int heap__histogram_of(const struct heap *heap, const struct heap_selection *selection,
		       struct heap_type_sums **result)
{
	struct heap_type_sums *sums = calloc(selection->count, sizeof(*sums));
	uint32_t *ends = calloc(selection->count, sizeof(*ends));

	if (!sums || !ends) {
		free(sums);
		free(ends);
		return -ENOMEM;
	}
	if (heap->has_graph) {
		add_shallow(heap, selection, sums);
		add_retained(heap, selection, sums, ends);
	} else {
		add_counts(heap, selection, sums);
	}
	free(ends);
	*result = sums;
	return 0;
}

int heap__histogram(const struct heap *heap, struct heap_type_sums **result)
{
	const struct heap_selection all = { .count = heap->types.count };

	return heap__histogram_of(heap, &all, result);
}
