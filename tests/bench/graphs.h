/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large graphs of known shapes, made object by object so that nothing of them is held: the
 * references of object i are a function of i.
 */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include <stdint.h>

#define GRAPH_DEGREE_MOST 64u
#define GRAPH_CHUNK 2048u /* references in an event, as the decoder makes them */

enum graph_shape {
	GRAPH_HEAP_LIKE,
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
