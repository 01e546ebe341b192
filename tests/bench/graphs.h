/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large graphs of known shapes, made object by object so that nothing of them is held: the
 * references of object i are a function of i.
 *
 * HEAP-LIKE is made after two heaps of a Java compiler at work (2.5 M objects each, collected by
 * the serial collector and by G1, read from their heap dumps), and has what was counted there:
 *
 *	                                               serial     G1   heap-like
 *	references an object                             2.16   2.25        2.17
 *	objects with one reference to them               87 %   86 %        81 %
 *	  with none from them                             6 %    6 %        12 %
 *	references to one at most 16 objects away        25 %   45 %        47 %
 *	  at most 1,024 away                             51 %   49 %        51 %
 *	  more than 8,192 away (far)                     46 %   50 %        49 %
 *	  far, to one with at most 4 references to it   3.7 %  5.2 %       5.8 %
 *	  far, to one with more than 1,024               29 %   29 %        28 %
 *	of the far ones: to what one of the 1,024
 *	  objects before refers to, too                  83 %   80 %        88 %
 *	  to the same 64 objects as one of those         95 %   94 %        95 %
 *
 * So: trees in the order of a depth first copy; shared objects of which a few are known to all and
 * most to hardly anybody; each structure knows the same few; a root for ten structures. It is the
 * hardest of the three: depth first through it takes gctrace twice as long as through the others.
 *
 * TANGLED is harder still, and no heap that was looked at is like it: in a structure anything
 * refers to anything, and one reference of 28 leads to any object at all.
 */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include <stdint.h>

#define GRAPH_DEGREE_MOST 64u
#define GRAPH_CHUNK 2048u /* references in an event, as the decoder makes them */

enum graph_shape {
	GRAPH_HEAP_LIKE,
	GRAPH_TANGLED,
	GRAPH_RANDOM, /* three references each, anywhere */
	GRAPH_LIST,
	GRAPH_LIST_SHUFFLED,
	GRAPH_ARRAY, /* one array of everything else */
	GRAPH_TREE,  /* complete, binary */
	GRAPH_DOUBLY, /* linked list */
	GRAPH_LADDER, /* two lists with rungs: what makes fix-point algorithms slow */
	GRAPH_SHAPES
};

struct graph {
	enum graph_shape shape;
	uint64_t objects;
};

const char *graph__name(enum graph_shape shape);

/* Of object i: what it refers to (numbers of objects), at most GRAPH_DEGREE_MOST. */
uint32_t graph__references(const struct graph *graph, uint64_t i, uint64_t *to);

/* Objects lie in memory in their order. */
uint64_t graph__address(const struct graph *graph, uint64_t i);
uint64_t graph__size(const struct graph *graph, uint64_t i);

/* How many roots there are, and which object the nth one refers to. */
uint64_t graph__roots(const struct graph *graph);
uint64_t graph__root(const struct graph *graph, uint64_t n);

#endif
