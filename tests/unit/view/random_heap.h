/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small heaps at random for what exports them: arrays and instances of one size and of several, odd
 * sizes, references in cycles and from nowhere, weak ones, roots that objects refer to as well.
 */
#ifndef TESTS_VIEW_RANDOM_HEAP_H
#define TESTS_VIEW_RANDOM_HEAP_H

#include <stddef.h>

struct heap;

enum { PLAIN = 10, ARRAY, BYTES, SHORTS, MIXED, WEAK, STATICS };

struct heap_builder;
void random_heap__classes(struct heap_builder *builder); /* of those numbers, after C_BEGIN */

struct heap *random_heap(unsigned int seed);

/*
 * For a reader that is no unit test: if EXPORT_FILES names a directory, the file goes there as
 * SEED.FORMAT, and to SEED.want a line for each object, in the order of the graph: its address,
 * and its retained size, or - where no root reaches it.
 */
void random_heap__leave(const struct heap *heap, unsigned int seed, const char *format,
			const char *bytes, size_t count);

#endif
