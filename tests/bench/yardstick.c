/* SPDX-License-Identifier: BSD-2-Clause */
#include "yardstick.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct work {
	uint64_t *first; /* predecessors, in the same way */
	uint32_t *predecessor;
	uint32_t *number, *vertex, *parent, *semi, *label, *ancestor, *stack;
	uint64_t *next;
};

static void *get(uint64_t count, size_t size)
{
	void *at = calloc(count + 1, size);

	if (!at)
		abort();
	return at;
}

void yardstick__init(struct yardstick *yardstick, uint32_t nodes, uint64_t edges)
{
	*yardstick = (struct yardstick){ .nodes = nodes, .edges = edges };
	yardstick->first = get(nodes + UINT64_C(1), sizeof(uint64_t));
	yardstick->successor = get(edges, sizeof(uint32_t));
	yardstick->size = get(nodes, sizeof(uint64_t));
	yardstick->idom = get(nodes, sizeof(uint32_t));
	yardstick->retained = get(nodes, sizeof(uint64_t));
}

void yardstick__free(struct yardstick *yardstick)
{
	free(yardstick->first);
	free(yardstick->successor);
	free(yardstick->size);
	free(yardstick->idom);
	free(yardstick->retained);
}

static void find_predecessors(const struct yardstick *graph, struct work *work)
{
	for (uint64_t e = 0; e < graph->edges; e++)
		work->first[graph->successor[e] + 1]++;
	for (uint32_t v = 0; v < graph->nodes; v++)
		work->first[v + 1] += work->first[v];
	memcpy(work->next, work->first, graph->nodes * sizeof(*work->next));
	for (uint32_t v = 0; v < graph->nodes; v++)
		for (uint64_t e = graph->first[v]; e < graph->first[v + 1]; e++)
			work->predecessor[work->next[graph->successor[e]]++] = v;
}

static uint32_t depth_first(const struct yardstick *graph, struct work *work)
{
	uint32_t count = 0, top = 0;

	memset(work->number, 0xff, graph->nodes * sizeof(*work->number));
	memcpy(work->next, graph->first, graph->nodes * sizeof(*work->next));
	work->number[graph->root] = 0;
	work->vertex[count++] = graph->root;
	work->stack[top++] = graph->root;
	while (top) {
		const uint32_t v = work->stack[top - 1];
		uint32_t to;

		if (work->next[v] == graph->first[v + 1]) {
			top--;
			continue;
		}
		to = graph->successor[work->next[v]++];
		if (work->number[to] != NONE)
			continue;
		work->parent[count] = work->number[v];
		work->number[to] = count;
		work->vertex[count++] = to;
		work->stack[top++] = to;
	}
	return count;
}

/* Path compression: the path is put on the stack first. */
static uint32_t eval(struct work *work, uint32_t v, uint32_t last)
{
	uint32_t top = 0;

	if (v < last)
		return work->label[v];
	while (work->ancestor[v] >= last) {
		work->stack[top++] = v;
		v = work->ancestor[v];
	}
	while (top) {
		const uint32_t above = v;

		v = work->stack[--top];
		if (work->label[above] < work->label[v])
			work->label[v] = work->label[above];
		work->ancestor[v] = work->ancestor[above];
	}
	return work->label[v];
}

static void dominators(struct work *work, uint32_t count)
{
	for (uint32_t w = 0; w < count; w++) {
		work->semi[w] = work->label[w] = w;
		work->ancestor[w] = work->parent[w];
	}
	for (uint32_t w = count; w-- > 1;) {
		const uint32_t v = work->vertex[w];

		work->semi[w] = work->parent[w];
		for (uint64_t e = work->first[v]; e < work->first[v + 1]; e++) {
			const uint32_t from = work->number[work->predecessor[e]];
			uint32_t found;

			if (from == NONE)
				continue;
			found = eval(work, from, w + 1);
			if (found < work->semi[w])
				work->semi[w] = found;
		}
		work->label[w] = work->semi[w];
	}
	for (uint32_t w = 1; w < count; w++)
		while (work->parent[w] > work->semi[w])
			work->parent[w] = work->parent[work->parent[w]];
}

void yardstick__run(struct yardstick *graph)
{
	struct work work = {
		.first = get(graph->nodes + UINT64_C(1), sizeof(uint64_t)),
		.predecessor = get(graph->edges, sizeof(uint32_t)),
		.number = get(graph->nodes, sizeof(uint32_t)),
		.vertex = get(graph->nodes, sizeof(uint32_t)),
		.parent = get(graph->nodes, sizeof(uint32_t)),
		.semi = get(graph->nodes, sizeof(uint32_t)),
		.label = get(graph->nodes, sizeof(uint32_t)),
		.ancestor = get(graph->nodes, sizeof(uint32_t)),
		.stack = get(graph->nodes, sizeof(uint32_t)),
		.next = get(graph->nodes, sizeof(uint64_t)),
	};

	find_predecessors(graph, &work);
	graph->reached = depth_first(graph, &work);
	dominators(&work, graph->reached);
	memset(graph->idom, 0xff, graph->nodes * sizeof(*graph->idom));
	for (uint32_t w = 0; w < graph->reached; w++) {
		const uint32_t v = work.vertex[w];

		graph->retained[v] = graph->size[v];
		if (w)
			graph->idom[v] = work.vertex[work.parent[w]];
	}
	for (uint32_t w = graph->reached; w-- > 1;)
		graph->retained[graph->idom[work.vertex[w]]] += graph->retained[work.vertex[w]];
	free(work.first);
	free(work.predecessor);
	free(work.number);
	free(work.vertex);
	free(work.parent);
	free(work.semi);
	free(work.label);
	free(work.ancestor);
	free(work.stack);
	free(work.next);
}
