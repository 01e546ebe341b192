/* SPDX-License-Identifier: BSD-2-Clause */
#include "graphs.h"

#define CLUSTER 1023u /* objects of one structure, heap-like: a complete tree */
#define CHAIN 10u     /* structures that one root leads to */
#define GROUP 64u     /* how far back an object refers to one near it */
#define KNOWN 32u     /* shared objects that a structure refers to */
#define AREAS 4u     /* and areas */
#define TANGLE 1000u  /* objects of one structure, tangled */
#define ADDRESS UINT64_C(0x700000000000)
#define STEP UINT64_C(4294967291)
#define BYTES 56u /* each object has the room of so many */

static const char *const names[GRAPH_SHAPES] = {
	[GRAPH_HEAP_LIKE] = "heap-like",
	[GRAPH_TANGLED] = "tangled structures",
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

/* How many objects the subtree of this one has; a structure lies in memory in preorder. */
static uint64_t subtree(uint64_t within)
{
	uint64_t size = CLUSTER;

	while (within) {
		const uint64_t half = size / 2;

		within = within > half ? within - half - 1 : within - 1;
		size = half;
	}
	return size;
}

/*
 * One that is shared: it is one of all objects, or of half of them, a quarter, ... A few are so
 * referred to very often, and most hardly ever.
 */
static uint64_t shared(const struct graph *graph, uint64_t key)
{
	const uint64_t bits = hash(key);
	const uint32_t a = (bits & 0xfff) * 24 >> 12, b = (bits >> 12 & 0xfff) * 24 >> 12;
	const uint32_t halved = bits >> 24 & 3 && b > a ? b : a;
	const uint64_t which = (bits >> 32) * ((graph->objects >> halved) + 1) >> 32;

	return below(which * 17, graph->objects);
}

/* Far away: mostly what the structure knows, else near something that it knows, else anything. */
static uint64_t far(const struct graph *graph, uint64_t i, uint64_t key)
{
	const uint64_t structure = i / CLUSTER, bits = hash(key);

	if ((bits & 63) >= 7)
		return shared(graph, structure * KNOWN + (bits >> 8) % KNOWN);
	if (bits & 63)
		return (below(structure * AREAS + (bits >> 8) % AREAS + 1, graph->objects) +
			(bits >> 16) % GROUP) % graph->objects;
	return below(key * 19, graph->objects);
}

/* The right child; one leaf of 30 is the same one of another structure, far away. */
static uint64_t right_child(const struct graph *graph, uint64_t i, uint64_t size)
{
	const uint64_t whole = graph->objects / CLUSTER, child = i + 1 + size / 2;
	const uint64_t within = child % CLUSTER, structure = child / CLUSTER;

	if (size > 3 || within % 15 >= 2 || structure >= whole)
		return child;
	return (structure + hash(within / 256)) % whole * CLUSTER + within;
}

static uint32_t heap_like(const struct graph *graph, uint64_t i, uint64_t *to)
{
	const uint64_t within = i % CLUSTER, size = subtree(within), bits = hash(i);
	uint64_t near[3];
	uint32_t nears = 0, count = 0;

	if (size > 1) {
		near[nears++] = i + 1;
		near[nears++] = right_child(graph, i, size);
	} else if (bits % 8 == 0) {
		return 0; /* a string's bytes, a number */
	}
	if (within == CLUSTER - 1 && (i + 1) / CLUSTER % CHAIN)
		near[nears++] = i + 1;
	for (uint32_t n = 0; n < nears; n++)
		if (near[n] < graph->objects)
			to[count++] = near[n];
	if (bits >> 8 & 3)
		to[count++] = far(graph, i, i * 2);
	if ((bits >> 10 & 7) < 3)
		to[count++] = far(graph, i, i * 2 + 1);
	if ((bits >> 13 & 7) == 0)
		to[count++] = i - (bits >> 16) % (within % GROUP + 1);
	return count;
}

/*
 * Each structure has a root, is a tree whose lower half are leaves, of which a quarter refer to
 * something after all, and is a tangle: whoever refers to anything refers to any object of its
 * structure once or twice; one in eight to any object at all, and one in four to what all share.
 */
static uint32_t tangled(const struct graph *graph, uint64_t i, uint64_t *to)
{
	const uint64_t base = i - i % TANGLE, within = i % TANGLE;
	const uint64_t size = graph->objects - base < TANGLE ? graph->objects - base : TANGLE;
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
		to[count++] = below(i * 13, 100) * TANGLE % graph->objects; /* what all share */
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
	case GRAPH_TANGLED:
		return tangled(graph, i, to);
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
		return graph->objects / (CLUSTER * CHAIN) + 1;
	case GRAPH_TANGLED:
		return graph->objects / TANGLE + 1;
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
	case GRAPH_HEAP_LIKE: /* each chain once, in no order */
		return n * 7919 % graph__roots(graph) * CLUSTER * CHAIN % graph->objects;
	case GRAPH_TANGLED:
		return n * TANGLE % graph->objects;
	case GRAPH_RANDOM:
		return below(n * 5 + 1, graph->objects);
	default:
		return n % graph->objects;
	}
}
