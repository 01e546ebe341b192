/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dominator tree, merged by type: what would be freed with what, for flame graphs.
 *
 *	dominator tree                       type tree             objects  bytes
 *
 *	static Cache.instance                static Cache.instance
 *	  Cache                                Cache                     1     16
 *	    Entry[]                              Entry[]                 1    816
 *	      Entry                                Entry               100  3,200
 *	        Text                                 Text              100  6,400
 *	      Entry
 *	        Text        ...
 *
 * Each object stands at one node, and below the node of what dominates it. So the bytes at a node
 * are the shallow sizes of its objects, and those at and below it what they retain: no byte is
 * counted twice, and all of them together are the heap.
 *
 * Nodes of one type in a row are one (a linked list, a tree of entries). Of the roots' nodes those
 * are here that tell something: kinds, threads, methods, classes with their statics. Beside them
 * stand what only several kinds of roots together keep, and what no root reaches. Below
 * TYPE_TREE_DEPTH a path is shortened in its middle: TYPE_TREE_DEEPER, and what ends there.
 */
#ifndef MODEL_TYPE_TREE_H
#define MODEL_TYPE_TREE_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "heap.h"
#include "memory.h"

#define TYPE_TREE_NONE UINT32_MAX
#define TYPE_TREE_DEPTH 500u

enum type_tree_kind {
	TYPE_TREE_TYPE,	     /* id: of heap_types__at() */
	TYPE_TREE_ROOT,	     /* place: a node of the roots (one of them, where ids are the same) */
	TYPE_TREE_SEVERAL,   /* dominated by nothing but all roots */
	TYPE_TREE_DEEPER,    /* so many steps that are left out */
	TYPE_TREE_UNREACHED, /* by no root */
};

struct type_tree_node {
	enum type_tree_kind kind;
	uint32_t parent; /* TYPE_TREE_NONE: none */
	uint32_t depth;	 /* from 0 */
	uint32_t place;
	uint64_t id; /* tells it from others of its kind below the same parent */
	uint64_t objects, bytes; /* that stand here; shallow */
};

struct type_tree {
	VEC(struct type_tree_node) nodes; /* parents before their children */
	struct memory memory;
	struct hash_slots slots;
	uint64_t deeper_objects, deeper_bytes; /* below TYPE_TREE_DEEPER */
};

/*
 * All zero to begin with. 0, -ENOMEM or -EDQUOT: it takes more than the graph leaves of its limit.
 * type_tree__free() is due in any case.
 */
int type_tree__build(struct type_tree *tree, const struct heap *heap);
void type_tree__free(struct type_tree *tree);

#endif
