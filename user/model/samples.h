/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of one target that live: a table by their numbers.
 *
 *	index     0        1        2        3        ...      count - 1
 *	        +--------+--------+--------+--------+--------+--------+
 *	of      | 41     | 7      | 1004   | 38     |        |        |   in no order, 56 bytes each
 *	        +--------+--------+--------+--------+--------+--------+
 *	slots     where a number is: open addressing, 4 bytes a slot, at least half of them free
 *
 * One that dies leaves its place to the last one. A million of them take less than 120 MB.
 */
#ifndef MODEL_SAMPLES_H
#define MODEL_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum sample_flags {
	SAMPLE_LISTED = 1,   /* by the list that is being told */
	SAMPLE_REACHED_OLD = 2,
	SAMPLE_BEFORE = 4,   /* its allocation was not observed: it was there before us */
};

#define SAMPLE_NOWHERE 255 /* the generation that it lies in was not told */

struct living {
	uint64_t number;
	uint64_t address;
	uint64_t size, weight; /* bytes */
	uint64_t gc; /* of collections that had ended when it was allocated */
	uint64_t told_ns; /* when it was reported first: not before it was allocated */
	uint32_t spot; /* sites.h */
	uint8_t generation; /* 0: young, 1: old, SAMPLE_NOWHERE */
	uint8_t flags;
	uint16_t reserved;
};

struct samples {
	VEC(struct living) of;
	uint32_t *slots; /* index + 1; 0: free */
	uint32_t slot_count;
};

/* All zero is an empty table. Pointers are valid until the next call that is not a look-up. */

/* NULL: there is none of this number. */
struct living *samples__find(const struct samples *samples, uint64_t number);

/* One that is not there yet. 0 or -ENOMEM. */
int samples__add(struct samples *samples, const struct living *sample);

void samples__remove(struct samples *samples, struct living *sample);

/* What it takes, in bytes. */
uint64_t samples__bytes(const struct samples *samples);

void samples__free(struct samples *samples);

#endif
