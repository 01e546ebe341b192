/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two heaps, type by type: what there was, what there is, and (fates.h) what became of what there
 * was.
 *
 *	struct heap_diff diff = { .one_trace = ... };
 *	heap_diff__add(&diff, DIFF_WAS, heap_a, wanted_a);
 *	... heap_a may be freed ...
 *	heap_diff__add(&diff, DIFF_IS, heap_b, wanted_b);
 *	heap_diff__fates(&diff, &fates, types);	    in one trace, if identity holds
 *
 * Keeps no heap: there need not be two of them in memory. Types of one trace are the same where
 * their class numbers are; those of two traces, where their names are. Then several classes of one
 * name are one line, of which nobody knows what they retain together, and those without a name are
 * one line, too.
 */
#ifndef MODEL_HEAP_DIFF_H
#define MODEL_HEAP_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "fates.h"
#include "hash_slots.h"
#include "heap.h"
#include "heap_histogram.h"
#include "memory.h"
#include "types.h"

enum { DIFF_WAS, DIFF_IS, DIFF_SIDES };

struct diff_type {
	uint64_t class_;  /* the producer's number; EVENT_UNKNOWN: two traces */
	uint64_t name_at; /* in heap_diff.texts */
	size_t name_bytes;
	struct heap_type_sums side[DIFF_SIDES];
	struct fate fate;
};

struct heap_diff {
	bool one_trace;
	bool has_fates;
	VEC(struct diff_type) types; /* with objects on a side */
	struct memory memory;
	struct pile texts;
	struct hash_slots slots;
};

void heap_diff__free(struct heap_diff *diff);

/* wanted: for each type of the heap. 0, -ENOMEM or -EDQUOT, as all here. */
int heap_diff__add(struct heap_diff *diff, unsigned int side, const struct heap *heap,
		   const bool *wanted);

/*
 * Of a diff of one trace. False: they are not those of the two heaps, whose sums they do not give
 * for each type; then the diff has no fates.
 */
bool heap_diff__fates(struct heap_diff *diff, const struct fates *fates,
		      const struct types *types);

/* Empty: it has no name. */
struct text heap_diff__name(const struct heap_diff *diff, const struct diff_type *type);

/* The sum of all types; `retained` means nothing in it. */
struct diff_type heap_diff__total(const struct heap_diff *diff);

/* What it was, is; a difference that does not fit is the nearest that does. */
int64_t diff__change(uint64_t was, uint64_t is);

#endif
