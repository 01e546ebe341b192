/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The roots of a heap dump, as a tree of nodes above the objects:
 *
 *	                         all
 *	           .--------------+----------------.
 *	        threads        statics          handles          a node for each type of container
 *	        /     \           |                |
 *	    thread 7   ...     of a class       handles          one for each container; the frames
 *	     /    \               |             /     \          of a thread below it
 *	  frame  frame          static      strong   pinned      one for each kind of root in it
 *	    |      |             /  \          |       |
 *	  local  local       position  ...  handle   handle      the root itself
 *	    |      |             |             |       |
 *	  object object        object       object   object
 *
 * Each has a row in the graph. So dominators and retained sizes tell without further ado what
 * each root, frame, thread and kind of root alone keeps alive, and the way to a root leads through
 * what it is. Weak roots stand in the tree, but no reference leads from them to their objects;
 * the same holds for dependent handles, whose values their keys refer to.
 */
#ifndef MODEL_HEAP_ROOTS_H
#define MODEL_HEAP_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hash_slots.h"
#include "heap_rows.h"
#include "memory.h"
#include "stream/event.h"

enum heap_root_level {
	HEAP_ROOT_ALL,
	HEAP_ROOT_TYPE,	     /* of container */
	HEAP_ROOT_CONTAINER, /* id1 and id2 hold */
	HEAP_ROOT_KIND,	     /* of root, in a container: `kind` holds too */
	HEAP_ROOT_REFERENCE  /* a root: all hold */
};

/* What is known of a node. */
struct heap_root {
	enum heap_root_level level;
	uint32_t place;	 /* of its row */
	uint32_t parent; /* place of the node above; ROW_NONE above all */
	uint64_t type, id1, id2; /* of the container */
	uint64_t kind, id;	 /* enum gctrace_root_kind; EVENT_UNKNOWN */
	uint32_t flags;		 /* enum gctrace_reference_flags */
	bool weak;		 /* kept, not followed */
	bool dependent;		 /* the same: id1 of the container refers to the object instead */
	uint64_t address;	 /* of the object */
	uint32_t object;	 /* its place; ROW_NOWHERE: no such object was told */
	uint32_t below;		 /* how many nodes and roots stand below it */
};

/* Is this type of container one of frames? They stand below their thread. */
bool heap_root__is_frame(uint64_t container_type);

struct heap_roots {
	struct memory *memory;
	struct pile nodes; /* struct root_node: all but the roots themselves */
	struct pile leaves; /* struct root_leaf: those */
	struct hash_slots by_name;
	uint32_t thread;	    /* the node of the one that was begun last, or ROW_NONE */
	uint32_t container;	    /* the node last asked for, or ROW_NONE */
	uint32_t kind;		    /* the same */
	uint64_t nulls, weak, dependent, dangling;
};

struct root_node {
	enum heap_root_level level;
	uint32_t parent; /* node */
	uint64_t type, id1, id2, kind;
	uint32_t row;
	uint32_t children;
	uint32_t below; /* nodes and leaves in all */
};

struct root_leaf {
	uint64_t to, id;
	uint32_t node;
	uint32_t flags;
	uint32_t object;
	uint32_t row;
};

#define ROOT_INDEX_NODE ROW_HIGH /* in a row's index: of nodes, else of leaves */

/* 0, -ENOMEM, -EDQUOT or -EOVERFLOW, as all here. */
int heap_roots__init(struct heap_roots *roots, struct memory *memory);
void heap_roots__free(struct heap_roots *roots);

/* EVENT_CONTAINER and EVENT_ROOTS. Null roots are counted and forgotten. */
int heap_roots__begin(struct heap_roots *roots, const struct event *container);
int heap_roots__add(struct heap_roots *roots, const struct event *event);

/* Something was lost: whose the next frames are is not known. */
void heap_roots__lost(struct heap_roots *roots);

/* Put the rows of all nodes behind those of the objects. `object` of all leaves is known. */
int heap_roots__append(struct heap_roots *roots, struct heap_rows *rows);

/* How many rows it will append. */
uint64_t heap_roots__rows(const struct heap_roots *roots);

uint32_t heap_roots__leaves(const struct heap_roots *roots);
uint32_t heap_roots__nodes(const struct heap_roots *roots);
struct root_leaf *heap_roots__leaf(const struct heap_roots *roots, uint32_t index);
bool heap_roots__is_weak(const struct heap_roots *roots, const struct root_leaf *leaf);
bool heap_roots__is_dependent(const struct heap_roots *roots, const struct root_leaf *leaf);

/* id1 of the container that a leaf stands in. */
uint64_t heap_roots__id1(const struct heap_roots *roots, const struct root_leaf *leaf);

/* By what stands in a row. */
struct heap_root heap_roots__at(const struct heap_roots *roots, uint32_t row_index);

#endif
