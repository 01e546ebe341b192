/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The remembered set: every slot outside the nursery that refers into it, once. A byte for each
 * 8 bytes outside says that a slot is in it already; two mutators that store into one slot at the
 * same time may both add it, which does no harm.
 */
#ifndef MINIVM_REMSET_H
#define MINIVM_REMSET_H

#include "heap.h"

extern struct list remset;	/* of struct object ** */
extern uint8_t *remset_noted;	/* by slot: (address - heap.old) / 8 */

void remset__init(void);
void remset__clear(void);

static inline uint8_t *remset__byte(struct object **slot)
{
	return &remset_noted[((uint64_t)(uintptr_t)slot - heap.old) >> 3];
}

static inline bool remset__has(struct object **slot)
{
	return __atomic_load_n(remset__byte(slot), __ATOMIC_RELAXED);
}

/* Adds a slot to a thread's own list, which is appended to remset in a stopped world. */
static inline void remset__note(struct list *list, struct object **slot)
{
	uint8_t *noted = remset__byte(slot);

	if (__atomic_load_n(noted, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(noted, 1, __ATOMIC_RELAXED);
	list__push(list, slot);
}

static inline void remset__forget(struct object **slot)
{
	__atomic_store_n(remset__byte(slot), 0, __ATOMIC_RELAXED);
}

#endif
