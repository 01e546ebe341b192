/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a weak global handle refers to, read without the JVM: a handle is the address of a word of
 * its own (OopStorage), with its kind in the low bits, and the word holds the object's address, or
 * 0 when the object is dead. ZGC colours the word: before Java 21 by bits above the address, in
 * generational ZGC by bits below it.
 *
 * None of that is an interface: it is tried with an object of which we have a handle of each kind,
 * and nothing is sampled where it does not come out.
 */
#ifndef GCTRACE_HOTSPOT_HANDLES_H
#define GCTRACE_HOTSPOT_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

struct handles {
	bool are_shifted; /* the colour stands below the address, 4 bits of it say how far */
	uint64_t mask;	  /* of the address in the word */
	uint64_t view;	  /* added to it: where it can be read */
};

extern struct handles handles;

/* Behind vmstructs__find(). False: handles are not as they should be. */
bool handles__find(struct visit *visit);

static inline uint64_t handles__address(uint64_t word)
{
	const unsigned colour = word >> 12 & 15;

	if (handles.are_shifted)
		return colour ? word >> (13 + __builtin_ctz(colour)) : 0;
	word &= handles.mask;
	return word ? word | handles.view : 0;
}

/* Where the object is now; 0: it is dead. By whoever knows that it is not being moved. */
static inline uint64_t handles__object(uint64_t handle)
{
	const uint64_t *word = (const uint64_t *)(uintptr_t)(handle & ~UINT64_C(7));

	return handles__address(__atomic_load_n(word, __ATOMIC_RELAXED));
}

#endif
