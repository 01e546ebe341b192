/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap graph: what is on the heap, and what keeps it alive.
 *
 *	events ----> heap_builder ----> heap ----> dominator tree, types, paths
 *	             raw rows           rows
 *	             (addresses)        (places)
 *
 * LAYOUT. Everything is in a few flat arrays; at 10 M objects a pointer that is followed costs
 * more than all arithmetic on what it leads to.
 *
 *	address_index   bits by address       address -> rank -> (on demand) place
 *	heap_rows       | row | row | row |   place: number, rank, size, type, references, places
 *	                   ^     |  |   ^
 *	                   '-----'  '---'     references are places of rows
 *	                1......1......1....   starts: a bit for each word
 *	dominator_tree  row, parent, span, sums, by number
 *	heap_types      class numbers -> 0, 1, 2, ...; names
 *	heap_roots      the nodes above the objects, each with a row of its own
 *
 * For n objects and m references: rows 16 n + 4 m and what places need, a 32nd of that for where
 * they start, the index less than 2 n on a heap as they are, the tree 20 n. The peak comes a
 * little earlier, while dominators are found: 16 n for them, 6 for each reference to what was
 * visited already, 4 for each row that waits. Together less than 36 n + 8 m, the type of each
 * object included.
 *
 * PLACES OF REFERENCES. Nulls are not kept. Where a row's references do not stand at 0, 1, 2, ...,
 * it has a list of steps behind them (heap_rows.h): some bytes for a row, none for a field.
 *
 * OBJECTS are known by their place, a number below heap__end() that has no meaning but that. Places
 * hold as long as the heap. A node of the roots has one, too: paths and the dominator tree lead
 * through them (heap__is_node()).
 *
 * WHAT IS FOLLOWED. Weak and phantom references and weak roots are kept, but keep nothing alive;
 * soft ones do, until memory runs out. A dependent handle makes its key refer to its value. What
 * no root reaches is in no tree: it has no dominator and retains nothing that could be known.
 *
 * Texts are bytes from the target: not terminated, hostile until escaped. All sizes are in bytes.
 * EVENT_UNKNOWN stands for numbers that nobody told.
 */
#ifndef MODEL_HEAP_H
#define MODEL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "heap_roots.h"
#include "heap_types.h"
#include "stream/event.h"

#define HEAP_NONE UINT32_MAX
#define HEAP_NOWHERE 0u /* the object that a dangling reference leads to */

/* How the dump went, and what it amounts to. */
struct heap_facts {
	uint64_t dump, collection;
	bool begun, ended; /* C_BEGIN and C_END came */
	uint64_t begun_ns; /* when, CLOCK_MONOTONIC; EVENT_UNKNOWN: never */
	uint64_t status;   /* enum gctrace_dump_status; EVENT_UNKNOWN: never told */
	bool has_heap_container;
	bool is_of_jvm;	   /* the JVM's own dump: heap_builder__is_of_jvm() */
	/*
	 * Objects were found by a walk from the roots, over weak references as well: what is not
	 * reached here are objects that weak references alone lead to; other garbage is unknown.
	 */
	bool reached_only;
	struct {
		uint64_t objects, references, roots, bytes;
	} told; /* by dump_end: to be compared with what came */

	uint64_t objects, bytes;
	uint64_t references; /* to other objects, weak ones not among them */
	uint64_t nulls;
	uint64_t weak_references;
	uint64_t roots, null_roots, weak_roots, dependent_roots;

	uint64_t reached_objects, reached_bytes; /* the rest no root reaches */

	/* What is missing. */
	uint64_t losses;     /* EVENT_LOSS */
	uint64_t unfinished; /* objects whose last part never came */
	uint64_t dangling_references, dangling_weak_references; /* to what was never told */
	uint64_t dangling_roots;
	uint64_t undefined_types; /* with objects, without a definition */

	uint64_t estimated_types; /* with objects, whose sizes are estimates */

	/* References to what a JVM's own dump leaves out by nature (heap_absent.c): no loss. */
	uint64_t absent_classes; /* to class objects without a record */
	uint64_t absent_of_garbage; /* of objects that no root reaches, to what is gone */

	/* What a producer should not have said. */
	struct {
		uint64_t duplicates;	 /* reports of objects that were complete: not used */
		uint64_t classes_differ; /* parts or duplicates of another class: the first holds */
		uint64_t sizes;		 /* beyond all address spaces: taken as 0 */
		uint64_t nameless;	 /* objects with address 0 */
		uint64_t begun_again;	 /* a second C_BEGIN */
		uint64_t types_beyond;	 /* see heap_types.h */
	} odd;
};

struct heap;

void heap__free(struct heap *heap); /* NULL is legal */

const struct heap_facts *heap__facts(const struct heap *heap);

/* The whole dump came, and fits together: no loss, ended by itself, nothing missing. */
bool heap__is_complete(const struct heap *heap);

/*
 * Else only its types are known, and how much there is of each (heap_histogram.h): nothing of
 * roots, references and what is reached, in no function and no figure of this file.
 */
bool heap__has_graph(const struct heap *heap);

uint64_t heap__memory(const struct heap *heap);	      /* bytes at present */
uint64_t heap__memory_peak(const struct heap *heap);

uint64_t heap__memory_limit(const struct heap *heap); /* 0: none */

/* For what is made of the graph: its limit is what the graph leaves of its own. */
struct memory heap__memory_left(const struct heap *heap);

/* Types, and names of threads, methods, statics, kinds of roots and containers. */
const struct heap_types *heap__types(const struct heap *heap);

/* ---------------------------------------------------------------------------------------------
 * Objects
 */

/* All places, objects first: for (p = heap__first(h); p < heap__end(h); p = heap__next(h, p)) */
uint32_t heap__first(const struct heap *heap);
uint32_t heap__next(const struct heap *heap, uint32_t place);
uint32_t heap__end(const struct heap *heap);

struct heap_object {
	uint64_t address, size;
	uint32_t type; /* of heap_types__at() */
	bool reached;
	bool unfinished; /* some of its references may be missing */
	bool pinned, finalizable;
	bool has_weak; /* heap__weak() has something */
	uint64_t retained; /* EVENT_UNKNOWN: no root reaches it */
	uint64_t dominates; /* objects, itself included; EVENT_UNKNOWN */
};

/* Not for nodes. */
struct heap_object heap__object(const struct heap *heap, uint32_t place);

/* Some of that alone, for walks over all of them: to work out an address takes longest. */
uint32_t heap__type(const struct heap *heap, uint32_t place);
uint64_t heap__size(const struct heap *heap, uint32_t place);
bool heap__is_reached(const struct heap *heap, uint32_t place); /* nodes always are */

bool heap__is_node(const struct heap *heap, uint32_t place);

/* Of a node. */
struct heap_root heap__root(const struct heap *heap, uint32_t place);

/* The node above all. */
uint32_t heap__top(const struct heap *heap);

/*
 * The object at this address: its place, or HEAP_NONE. The first call makes a table of 4 bytes
 * an object. 0, -ENOMEM or -EDQUOT.
 */
int heap__find(struct heap *heap, uint64_t address, uint32_t *place);

/* ---------------------------------------------------------------------------------------------
 * References
 */

struct heap_reference {
	uint32_t to;	/* HEAP_NOWHERE: to what was never told */
	uint64_t place; /* EVENT_UNKNOWN; PLACE_DEPENDENT: by a dependent handle, in no field */
};

/* Over the references of an object or node in the order of the report. */
struct heap_references {
	struct row_cursor cursor;
};
struct heap_references heap__references(const struct heap *heap, uint32_t place);
bool heap_references__next(struct heap_references *references, struct heap_reference *next);

/* What the places of this object's references are: enum gctrace_object_bits. */
unsigned int heap__place_kind(const struct heap *heap, uint32_t place);

/* What a place in an object is. */
struct heap_place heap__place(const struct heap *heap, uint32_t from, uint64_t place);

/*
 * Where in `from` stands the first reference to `to`? False: there is none. *at is EVENT_UNKNOWN
 * where it was not told, PLACE_DEPENDENT where it is a dependent handle.
 */
bool heap__field(const struct heap *heap, uint32_t from, uint32_t to, uint64_t *at);

struct heap_weak {
	uint64_t address; /* of what it refers to */
	uint32_t to;	  /* HEAP_NOWHERE */
	uint32_t flags;	  /* enum gctrace_reference_flags: which strength */
	uint64_t place;
};

/* The nth weak reference of an object, from 0; false: there are no more. */
bool heap__weak(const struct heap *heap, uint32_t place, uint64_t n, struct heap_weak *weak);

/* ---------------------------------------------------------------------------------------------
 * The dominator tree. The roots' nodes are the upper part of it: what one retains is what it alone
 * keeps alive.
 */

/* The one that it would go with: an object or a node. HEAP_NONE: above all, or not reached. */
uint32_t heap__dominator(const struct heap *heap, uint32_t place);

/* Does every way from the roots to `to` lead over `place`, or are both the same? */
bool heap__dominates(const struct heap *heap, uint32_t place, uint32_t to);

/* Bytes that would go with it (of a node: with it alone). EVENT_UNKNOWN: not reached. */
uint64_t heap__retained(const struct heap *heap, uint32_t place);

/* The same in objects. */
uint64_t heap__retained_objects(const struct heap *heap, uint32_t place);

/* What it dominates directly, one after the other: HEAP_NONE first, HEAP_NONE when done. */
uint32_t heap__next_dominated(const struct heap *heap, uint32_t place, uint32_t child);

/* Everything that it dominates, in preorder, itself first, *depth counted from it; the same. */
struct heap_subtree {
	uint32_t at, end, top, last;
	uint32_t depth; /* of the last one that was handed out */
};
struct heap_subtree heap__subtree(const struct heap *heap, uint32_t place);
uint32_t heap_subtree__next(struct heap_subtree *subtree, const struct heap *heap);

/* For the files of the heap only: when it has been built. */
void heap__count_up(struct heap *heap);

#endif
