/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of a dump that are told in parts, of which more are to come: other objects may be told
 * between two parts of one (a VM meets a class, and comes to what its statics hold much later). For
 * who takes each object once. All zero is an empty one.
 */
#ifndef MODEL_UNFINISHED_H
#define MODEL_UNFINISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "memory.h"

struct unfinished {
	struct unfinished_objects VEC_OF(struct unfinished_object {
		uint64_t id;
		bool is_open;
	}) of; /* also those that were finished since: a slot is not taken out */
	struct hash_slots by_id;
	struct memory memory;
};

/* An object is told, and whether more of it follows. Is it more of one? 1, 0 or -ENOMEM. */
int unfinished__told(struct unfinished *unfinished, uint64_t id, bool more);

/* Forget all, and give the memory back. */
void unfinished__free(struct unfinished *unfinished);

#endif
