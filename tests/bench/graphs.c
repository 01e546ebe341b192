/* SPDX-License-Identifier: BSD-2-Clause */
#include "graphs.h"

#define CLUSTER 1000u /* objects of one structure, heap-like */
#define ADDRESS UINT64_C(0x700000000000)
#define STEP UINT64_C(4294967291)
#define BYTES 56u /* each object has the room of so many */

static const char *const names[GRAPH_SHAPES] = {
	[GRAPH_HEAP_LIKE] = "heap-like",
	[GRAPH_RANDOM] = "uniformly random",
	[GRAPH_LIST] = "list in address order",
	[GRAPH_LIST_SHUFFLED] = "list, shuffled",
	[GRAPH_ARRAY] = "one array",
	[GRAPH_TREE] = "complete tree",
	[GRAPH_DOUBLY] = "doubly linked list",
	[GRAPH_LADDER] = "ladder",
};

const char *graph__name(enum graph_shape shape)
{
	return names[shape];
}

static uint64_t hash(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static uint64_t below(uint64_t key, uint64_t n)
{
	return (uint64_t)((unsigned __int128)hash(key) * n >> 64);
}

/*
 * Structures of a thousand objects, one after the other: in each a tree, half of it leaves
 * (strings, numbers) of which a quarter refer to something after all. The others refer back into
 * their structure once or twice, one in eight to any object at all, and one in four to what all
 * share. Each structure has a root. Two references an object.
 */
static uint32_t heap_like(const struct graph *graph, uint64_t i, uint64_t *to)
{
	const uint64_t base = i - i % CLUSTER, within = i % CLUSTER;
	const uint64_t size = graph->objects - base < CLUSTER ? graph->objects - base : CLUSTER;
	uint32_t count = 0;

	for (uint64_t child = 2 * within + 1; child <= 2 * within + 2; child++)
		if (child < size)
			to[count++] = base + child;
	if (within >= size / 2 && hash(i) % 4)
		return 0; /* a string, a number */
	for (uint32_t k = 0; k <= hash(i * 3) % 2; k++)
		to[count++] = base + below(i * 4 + k, size);
	if (hash(i * 7) % 8 == 0)
		to[count++] = below(i * 11, graph->objects);
	else if (hash(i * 7) % 8 < 3)
		to[count++] = below(i * 13, 100) * CLUSTER % graph->objects; /* what all share */
	return count;
}

static uint32_t tree(const struct graph *graph, uint64_t i, uint64_t *to)
{
	uint32_t count = 0;

	for (uint64_t child = 2 * i + 1; child <= 2 * i + 2; child++)
		if (child < graph->objects)
			to[count++] = child;
	return count;
}

static uint32_t ladder(const struct graph *graph, uint64_t i, uint64_t *to)
{
	uint32_t count = 0;

	if (i + 2 < graph->objects)
		to[count++] = i + 2;
	to[count++] = i ^ 1;
	if (i % 16 == 0)
		to[count++] = below(i, i + 1);
	return count;
}

uint32_t graph__references(const struct graph *graph, uint64_t i, uint64_t *to)
{
	uint32_t count = 0;

	switch (graph->shape) {
	case GRAPH_HEAP_LIKE:
		return heap_like(graph, i, to);
	case GRAPH_RANDOM:
		for (; count < 3; count++)
			to[count] = below(i * 3 + count, graph->objects);
		return count;
	case GRAPH_TREE:
		return tree(graph, i, to);
	case GRAPH_LADDER:
		return ladder(graph, i, to);
	case GRAPH_ARRAY: /* the array itself has more than fit here: its maker knows */
		return 0;
	case GRAPH_LIST_SHUFFLED: /* steps of a prime: each object once */
		to[0] = (i + STEP) % graph->objects;
		return to[0] != 0;
	case GRAPH_DOUBLY:
		if (i)
			to[count++] = i - 1;
		/* fall through */
	default:
		if (i + 1 < graph->objects)
			to[count++] = i + 1;
		return count;
	}
}

uint64_t graph__address(const struct graph *graph, uint64_t i)
{
	(void)graph;
	return ADDRESS + i * BYTES;
}

uint64_t graph__size(const struct graph *graph, uint64_t i)
{
	(void)graph;
	return 16 + 8 * (hash(i) % 5);
}

uint64_t graph__roots(const struct graph *graph)
{
	switch (graph->shape) {
	case GRAPH_HEAP_LIKE:
		return graph->objects / CLUSTER + 1;
	case GRAPH_RANDOM:
		return 1000;
	case GRAPH_LADDER:
		return 2;
	default:
		return 1;
	}
}

uint64_t graph__root(const struct graph *graph, uint64_t n)
{
	switch (graph->shape) {
	case GRAPH_HEAP_LIKE:
		return n * CLUSTER % graph->objects;
	case GRAPH_RANDOM:
		return below(n * 5 + 1, graph->objects);
	default:
		return n % graph->objects;
	}
}
