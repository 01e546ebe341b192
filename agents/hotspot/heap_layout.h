/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a generational HotSpot heap has its objects: the regions of G1, the spaces of Parallel and
 * Serial, as parts that each hold objects without a gap from `start` to `top`.
 *
 *	G1		part i is region i
 *	Parallel, Serial	eden, the two survivor spaces (which change roles), old
 *
 * What the JVM says of its structures (vmstructs.h) is checked when it is looked for, by reads that
 * cannot fault; from then on they are read as the JVM itself reads them, in a stopped world.
 */
#ifndef GCTRACE_HOTSPOT_HEAP_LAYOUT_H
#define GCTRACE_HOTSPOT_HEAP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_kind {
	HEAP_FREE, /* nothing in it */
	HEAP_YOUNG,
	HEAP_OLD,
	HEAP_LARGE, /* an object of its own, or a piece of one: it is never copied */
};

struct heap_part {
	uint64_t start, top;
	enum heap_kind kind;
};

/* How often the JVM says that it has collected. */
struct heap_counts {
	uint32_t collections, full;
};

/*
 * Which collector there is, and where its heap lies. The JVM lives; outside of a pause. NULL: all
 * is known; else why not, in words that go on with "the JVM …".
 */
const char *heap_layout__find(int java);

/* How many parts there are, for as long as the JVM runs. */
size_t heap_layout__count(void);

/* In a stopped world: all parts as they are now. */
void heap_layout__look(struct heap_part *parts);
struct heap_counts heap_layout__counts(void);

/* The part that an address lies in, below its top; NULL: none has it. */
const struct heap_part *heap_layout__at(const struct heap_part *parts, uint64_t address);

/* Is all room that part i had given back, with what lay there still in it? */
bool heap_layout__is_emptied(const struct heap_part *now, size_t i, const struct heap_part *was);

#endif
