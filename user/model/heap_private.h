/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the heap graph share; for everybody else there is heap.h. */
#ifndef MODEL_HEAP_PRIVATE_H
#define MODEL_HEAP_PRIVATE_H

#include "address_index.h"
#include "dominator_tree.h"
#include "heap.h"
#include "heap_roots.h"
#include "heap_rows.h"
#include "heap_types.h"
#include "memory.h"

/* A weak reference. While the heap is built, addresses stand where places are to come. */
struct weak_entry {
	uint64_t from; /* place */
	uint64_t to;   /* address */
	uint64_t place; /* in the object */
	uint32_t flags;
	uint32_t object; /* place of `to`, ROW_NOWHERE: never told */
};

struct heap {
	struct memory memory;
	struct heap_rows rows;
	struct address_index index;
	struct heap_types types;
	struct heap_roots roots;
	struct pile weak; /* struct weak_entry; in the end sorted by from */
	struct heap_facts facts;
	struct dominator_tree tree;
	uint32_t *places; /* of all objects by rank, once somebody asked for it */
	bool has_graph;
	uint64_t sized_by_type; /* while it is built: objects whose size their class tells */
	struct pile counts; /* struct heap_count of each type, where there is no graph */
	uint64_t jumps; /* from word to word of the index, by the heads that were told last */
};

struct heap_count {
	uint64_t objects, bytes;
	uint64_t by_type; /* of those, objects whose size their class tells */
};

/*
 * heap_counts.c: a heap without a graph. Its addresses are kept until all has been told, for an
 * object that comes in several parts, or twice, is one. As those of heap_builder.h.
 */
int heap_counts__add(struct heap *heap, const struct event *heads);
void heap_counts__finish(struct heap *heap);

/* No object is larger than the address space of a process: it would be a lie. */
#define HEAP_SIZE_MOST (UINT64_C(1) << 56)

/*
 * heap_absent.c: of a graph that is made, the references that lead nowhere by the nature of a JVM's
 * own dump; they are a loss no more.
 */
void heap__explain_absent(struct heap *heap);

/* What is to be taken for the size of an object; it is in the heap's from now on. */
static inline uint64_t heap__add_size(struct heap *heap, uint64_t told)
{
	uint64_t sum;

	if (told > HEAP_SIZE_MOST || __builtin_add_overflow(heap->facts.bytes, told, &sum)) {
		heap->facts.odd.sizes++;
		return 0;
	}
	heap->facts.bytes = sum;
	return told;
}

/* The index has a bit for this address. 0, -ENOMEM or -EDQUOT. */
static inline int heap__fit_index(struct heap *heap, uint64_t address)
{
	if (!(address & ((1u << heap->index.shift) - 1)))
		return 0;
	return address_index__refine(&heap->index, address & 3 ? 0 : 2);
}

#define RAW_SIZE_OF_TYPE UINT32_MAX /* in a raw row: its class tells */

/*
 * A row as it is told, before anybody knows where its references lead: addresses in full. It is
 * never smaller than the row that it becomes, so rows are made from front to back in their place.
 * Behind it: the references, u64 each, then the places, padded to 8 bytes.
 */
struct raw_row {
	uint64_t address; /* from heap_resolve() on: index */
	uint32_t size;	  /* as in a row */
	uint32_t type;	  /* as in a row */
	uint32_t references;
	uint32_t place_bytes;
} __attribute__((may_alias)); /* rows are written over it */

typedef uint64_t __attribute__((may_alias)) raw_reference;

static inline raw_reference *raw_row__references(struct raw_row *row)
{
	return (raw_reference *)(row + 1);
}

static inline uint8_t *raw_row__places(struct raw_row *row)
{
	return (uint8_t *)(raw_row__references(row) + row->references);
}

static inline struct raw_row *raw_row__next(struct raw_row *row)
{
	return (struct raw_row *)(void *)(raw_row__places(row) +
					  ((row->place_bytes + UINT64_C(7)) & ~UINT64_C(7)));
}

static inline uint64_t raw_row__final_words(const struct raw_row *row)
{
	return ROW_REFERENCES + (uint64_t)row->references + (row->place_bytes + UINT64_C(3)) / 4;
}

/*
 * heap_parts.c: objects that came in several pieces become one row each, and dependent handles
 * references of their keys; duplicates die. `parts`: how many rows have ROW_PART.
 */
int heap_parts__join(struct heap *heap, uint64_t parts);

/* heap_resolve.c: raw rows become rows; their roots and weak references find their objects. */
int heap_resolve(struct heap *heap);

#endif
