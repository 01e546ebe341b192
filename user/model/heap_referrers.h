/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who refers to an object: the references of a heap the other way round. Made on demand, because
 * it costs 4 bytes a reference and 4 a row, and two passes over all of them.
 *
 * Only what the roots reach refers here, and only by references that keep alive.
 */
#ifndef MODEL_HEAP_REFERRERS_H
#define MODEL_HEAP_REFERRERS_H

#include <stdint.h>

#include "heap.h"

struct heap_referrers;

/* Counted against the heap's limit. 0, -ENOMEM or -EDQUOT. The heap must outlive it. */
int heap_referrers__new(struct heap *heap, struct heap_referrers **referrers);
void heap_referrers__free(struct heap_referrers *referrers); /* NULL is legal */

/*
 * The places of all objects and nodes that refer to this one, in the order of their places; one
 * that does so several times is there as often. *count of them; 0 for what is not reached.
 */
const uint32_t *heap_referrers__of(const struct heap_referrers *referrers, uint32_t place,
				   uint64_t *count);

#endif
