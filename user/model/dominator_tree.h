/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dominator tree of a heap graph, laid out in preorder: what a row dominates stands right
 * behind it.
 *
 *	number   0     1     2     3     4     5    6
 *	tree     root  a     b     c     d     e    f       root -> a, d; a -> b, c; d -> e; e -> f
 *	span     7     3     1     1     3     2    1       rows in its subtree
 *	parent   -     0     1     1     0     4    5
 *	before   0     0     4     7     9    ...             bytes of all with a lower number
 *
 * So the subtree of n is [n, n + span), what n retains is a difference of two sums, its first
 * child is n + 1, and the next child of a parent stands where the subtree of the one before ends.
 * The number of a row stands in the row (ROW_NUMBER).
 */
#ifndef MODEL_DOMINATOR_TREE_H
#define MODEL_DOMINATOR_TREE_H

#include "heap_rows.h"
#include "memory.h"

struct dominator_tree {
	uint32_t count; /* rows that the roots reach, nodes of the roots included */
	uint32_t room;	/* entries that there is memory for */
	uint32_t *row;	/* place */
	uint32_t *parent;
	uint32_t *span;
	uint64_t *before; /* count + 1 */
};

/* Rows without numbers get theirs. 0, -ENOMEM or -EDQUOT. */
int dominator_tree__grow(struct dominator_tree *tree, struct heap_rows *rows,
			 struct memory *memory);
void dominator_tree__free(struct dominator_tree *tree, struct memory *memory);

/* Bytes that would go with it, its own included. */
static inline uint64_t dominator_tree__retained(const struct dominator_tree *tree, uint32_t number)
{
	return tree->before[number + tree->span[number]] - tree->before[number];
}

#endif
