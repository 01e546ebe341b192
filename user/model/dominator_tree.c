/* SPDX-License-Identifier: BSD-2-Clause */
#include "dominator_tree.h"

#include <errno.h>

#include "dominators.h"

#define AHEAD 32

/* How many rows each dominates, itself included. */
static void count_spans(const struct dominators *from, uint32_t *span)
{
	for (uint32_t w = 0; w < from->count; w++)
		span[w] = 1;
	for (uint32_t w = from->count; w-- > 1;)
		span[from->idom[w]] += span[w];
}

/* Numbers in preorder; next[w] is first where the next child of w goes. */
static void number(const struct dominators *from, const uint32_t *span, uint32_t *next)
{
	next[0] = 1;
	for (uint32_t w = 1; w < from->count; w++) {
		const uint32_t at = next[from->idom[w]];

		next[from->idom[w]] = at + span[w];
		next[w] = at + 1;
	}
	for (uint32_t w = 0; w < from->count; w++)
		next[w] -= span[w];
}

static void number_rows(struct heap_rows *rows, const uint32_t *numbers, uint32_t *row_of)
{
	struct row_walk walk = rows__walk(rows);

	while (row_walk__next(&walk)) {
		uint32_t *row = rows__at(rows, walk.place);

		if (row[ROW_NUMBER] == ROW_NONE)
			continue;
		row[ROW_NUMBER] = numbers[row[ROW_NUMBER]];
		row_of[row[ROW_NUMBER]] = walk.place;
	}
}

static void add_up(struct dominator_tree *tree, const struct heap_rows *rows)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < tree->count; n++) {
		if (n + AHEAD < tree->count)
			__builtin_prefetch(rows__at(rows, tree->row[n + AHEAD]) + ROW_SIZE);
		tree->before[n] = sum;
		sum += rows__size(rows, rows__at(rows, tree->row[n]));
	}
	tree->before[tree->count] = sum;
}

/*
 * Each area is used again as soon as what stood in it is not needed any more:
 *
 *	idom     dominators               -> row
 *	narrow   spans by the old number  -> parent
 *	wide     lower half: spans        -> span;   upper half: new number of each old one
 */
int dominator_tree__grow(struct dominator_tree *tree, struct heap_rows *rows,
			 struct memory *memory)
{
	struct dominators from;
	uint32_t *spans, *numbers;
	int err = dominators__find(&from, rows, memory);

	if (err)
		goto out;
	*tree = (struct dominator_tree){ .count = from.count, .room = from.room };
	spans = from.narrow;
	tree->span = (uint32_t *)from.wide;
	numbers = tree->span + from.room;
	count_spans(&from, spans);
	number(&from, spans, numbers);
	for (uint32_t w = 0; w < from.count; w++)
		tree->span[numbers[w]] = spans[w];
	tree->parent = from.narrow;
	for (uint32_t w = 0; w < from.count; w++)
		tree->parent[numbers[w]] = numbers[from.idom[w]];
	tree->row = from.idom;
	number_rows(rows, numbers, tree->row);
	tree->span = memory__resize(memory, tree->span, (uint64_t)tree->room * 8,
				    (uint64_t)tree->room * 4);
	if (tree->span)
		tree->before = memory__take(memory, (tree->count + UINT64_C(1)) * 8);
	else
		tree->span = (uint32_t *)from.wide;
	if (!tree->before) {
		dominator_tree__free(tree, memory);
		err = memory__error(memory);
		goto out;
	}
	add_up(tree, rows);
out:
	memory__release(memory);
	return err;
}

void dominator_tree__free(struct dominator_tree *tree, struct memory *memory)
{
	memory__put(memory, tree->row, (uint64_t)tree->room * 4);
	memory__put(memory, tree->parent, (uint64_t)tree->room * 4);
	memory__put(memory, tree->span, (uint64_t)tree->room * 4);
	memory__put(memory, tree->before, (tree->count + UINT64_C(1)) * 8);
	*tree = (struct dominator_tree){ 0 };
}
