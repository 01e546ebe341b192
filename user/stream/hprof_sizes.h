/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How large objects are, which hprof does not say. Two sorts of files:
 *
 *	stated    java.lang.Object has a size: so do all classes, as the runtime counted it. Arrays
 *		  have 4 bytes more than an Object, then their elements; references have what
 *		  Object has more than an id. (Other readers take it so: VisualVM's heap library.)
 *	summed    a class's size is the sum of its fields, references counted as ids. To it come a
 *		  head, and references of 4 bytes where the runtime compresses them: HotSpot's.
 *
 * Which heads and references those are, and how objects are aligned, a JVM that runs says itself.
 * In a file the addresses show it: those of the first objects, sorted, for ZGC writes them in
 * another order. No array reaches into the next object, and many end where that begins. One layout
 * alone fits, or the sizes are a guess (`certain`).
 *
 * An instance has at least the sum of its fields, and at most the distance to the next object.
 * Where there is no room for an object between the two, the distance is the size. Otherwise
 * something may be hidden in it, or lie between: the size is an estimate, unless the JVM says it.
 */
#ifndef STREAM_HPROF_SIZES_H
#define STREAM_HPROF_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hprof_input;

struct hprof_layout_of {
	uint32_t head;	    /* of an instance */
	uint32_t array;	    /* of an array, its length included */
	uint32_t reference; /* bytes of one */
};

/* Of a JVM that runs, what it says itself. */
struct hprof_known {
	struct hprof_layout_of layout;
	uint32_t alignment;
	/* Bytes of an instance of a class by its name in the file; 0: not known, or of several. */
	uint64_t (*size_of)(void *context, const char *name, size_t bytes);
	void *context;
};

struct hprof_sizes {
	struct hprof_layout_of layout;
	uint32_t alignment; /* of objects */
	bool stated;	    /* sizes of instances are those of their classes */
	bool measured;	    /* most objects lie next to the one before: distances are sizes */
	bool certain;	    /* layout and alignment; else they are a guess */
	const struct hprof_known *known; /* NULL: of a file */
};

/*
 * Look at the objects that come next, as many as there are in the next MiB, without taking them.
 * left: bytes of the entries in this record. object_size: stated of java.lang.Object, or 0.
 * known: NULL of a file. 0 or -ENOMEM.
 */
int hprof_sizes__find(struct hprof_sizes *sizes, struct hprof_input *input, uint64_t left,
		      uint32_t object_size, const struct hprof_known *known);

/* Of an array of so many elements of so many bytes. */
uint64_t hprof_sizes__array(const struct hprof_sizes *sizes, uint64_t count, uint32_t element);

static inline uint64_t hprof__align(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) & ~(to - 1);
}

#endif
