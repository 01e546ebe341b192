/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_histogram.h"

#include <errno.h>
#include <stdlib.h>

#include "heap_private.h"

#define AHEAD 32

static void add_shallow(const struct heap *heap, struct heap_type_sums *sums)
{
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint32_t *row = rows__at(&heap->rows, p);
		struct heap_type_sums *sum = &sums[row[ROW_TYPE] & ROW_TYPE_MASK];
		const uint64_t size = rows__size(&heap->rows, row);
		const bool reached = row[ROW_NUMBER] != ROW_NONE;

		if (row[ROW_TYPE] & (ROW_IS_NODE | ROW_DEAD))
			continue;
		sum->objects++;
		sum->bytes += size;
		sum->reached_objects += reached;
		sum->reached_bytes += reached ? size : 0;
	}
}

/*
 * In preorder subtrees are intervals, and they come in order: an object lies below another of its
 * type when it comes before the end of the last subtree that was counted for the type.
 */
static void add_retained(const struct heap *heap, struct heap_type_sums *sums, uint32_t *ends)
{
	const struct dominator_tree *tree = &heap->tree;

	for (uint32_t n = 0; n < tree->count; n++) {
		const uint32_t *row = rows__at(&heap->rows, tree->row[n]);
		const uint32_t type = row[ROW_TYPE] & ROW_TYPE_MASK;

		if (n + AHEAD < tree->count)
			__builtin_prefetch(rows__at(&heap->rows, tree->row[n + AHEAD]));
		if (row[ROW_TYPE] & ROW_IS_NODE || n < ends[type])
			continue;
		ends[type] = n + tree->span[n];
		sums[type].retained += dominator_tree__retained(tree, n);
	}
}

int heap__histogram(const struct heap *heap, struct heap_type_sums **result)
{
	struct heap_type_sums *sums = calloc(heap->types.count, sizeof(*sums));
	uint32_t *ends = calloc(heap->types.count, sizeof(*ends));

	if (!sums || !ends) {
		free(sums);
		free(ends);
		return -ENOMEM;
	}
	add_shallow(heap, sums);
	add_retained(heap, sums, ends);
	free(ends);
	*result = sums;
	return 0;
}
