/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that are alike, counted: those of one thread, with one stack, at one location, doing the
 * same, as exact. What an export is made of: as long as there are stacks, not samples.
 */
#ifndef MODEL_STACK_COUNTS_H
#define MODEL_STACK_COUNTS_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "sighting.h"

struct stack_count {
	uint32_t pid, tid;
	uint32_t stack;		   /* number in call_stacks; 0: not known, */
	uint32_t function, method; /* but these two, inside out; 0: nor these */
	enum place place;	   /* PLACE_UNKNOWN also where it was not asked for */
	enum accuracy accuracy;	   /* of the stack, or else of the method */
	struct sighting_doing doing;
	uint64_t samples;
};

struct stack_counts {
	VEC(struct stack_count) of; /* in the order in which they came */
	struct hash_slots slots;
	struct memory memory; /* without a limit */
};

/* All zero before. 0 or -ENOMEM. */
int stack_counts__add(struct stack_counts *counts, const struct sighting *sighting);
void stack_counts__free(struct stack_counts *counts);

#endif
