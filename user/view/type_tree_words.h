/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the nodes of a type tree are called where no tree is drawn around them, in flame graphs and
 * profiles: names of roots say what they are, so that none is taken for a type.
 */
#ifndef GCTRACE_VIEW_TYPE_TREE_WORDS_H
#define GCTRACE_VIEW_TYPE_TREE_WORDS_H

#include "../model/type_tree.h"

struct buf;

/* "shop.Order", "static shop.Cache.instance", "frame Session.serve": the target's bytes. */
void type_tree_words__add(struct buf *out, const struct heap *heap,
			  const struct type_tree_node *node);

/* Says so, if paths had to be shortened. */
void type_tree_words__tell(const struct type_tree *tree);

#endif
