/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Semi-NCA as papers and textbooks write it: successors and predecessors in compressed rows, a
 * stack of nodes, path compression. What gctrace's own is measured against, and checked with.
 */
#ifndef BENCH_YARDSTICK_H
#define BENCH_YARDSTICK_H

#include <stdint.h>

struct yardstick {
	uint32_t nodes, root;
	uint64_t edges;
	uint64_t *first;     /* of nodes + 1: where a node's successors begin */
	uint32_t *successor; /* of edges */
	uint64_t *size;
	uint32_t reached;    /* from here on: what yardstick__run() finds */
	uint32_t *idom;	     /* node; UINT32_MAX: not reached, or the root */
	uint64_t *retained;
};

/* Room for so many, or it aborts; whoever fills it in fills first[] and successor[] in order. */
void yardstick__init(struct yardstick *yardstick, uint32_t nodes, uint64_t edges);
void yardstick__run(struct yardstick *yardstick);
void yardstick__free(struct yardstick *yardstick);

#endif
