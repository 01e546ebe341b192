/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which roots hold an object that several of them reach: up to HOLDERS_MOST, those first that
 * explain best why it stays (enum heap_root_rank), and then those that are nearer.
 *
 * Each object that refers to it has a way to a root (heap_paths.h); what the object itself holds
 * does not count. A class object of Java on that way whose static leads on is as good as a root.
 */
#ifndef MODEL_HOLDERS_H
#define MODEL_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap.h"
#include "heap_paths.h"

#define HOLDERS_MOST 3

struct holder {
	uint32_t root; /* a node of the roots, or a class object */
	uint32_t next; /* what it refers to, on the way */
	enum heap_root_rank rank;
	uint32_t length; /* references from it */
};

struct holders {
	struct holder of[HOLDERS_MOST];
	size_t count;
	uint64_t more; /* ways from others */
};

/* One object, or some: those whose holders are looked for together. */
struct held {
	uint32_t place;
	struct holders *holders; /* found so far; the same for several objects is fine */
};

/* Passes over all references of the heap once. */
void holders__find(const struct heap *heap, const struct heap_paths *paths,
		   const struct held *held, size_t count);

#endif
