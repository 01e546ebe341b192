/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a weak global handle refers to, read without the JVM: a handle is the address of a word of
 * its own (OopStorage), with its kind in the low bits, and the word holds the object's address, or
 * 0 when the object is dead. ZGC colours the word by bits above the address.
 *
 * Generational ZGC takes every weak handle for a root of its young collections
 * (ZRootsIteratorAllColored of zRootsIterator.cpp): with a handle a sampled object, and all that it
 * refers to, lives until a major collection, which such handles cost more of. There none is made.
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
	bool keep_alive; /* weak ones do: nothing else of this is known, for none is made */
	uint64_t mask;	 /* of the address in the word */
	uint64_t view;	 /* added to it: where it can be read */
};

extern struct handles handles;

/* Behind vmstructs__find(). False: handles are not as they should be. */
bool handles__find(struct visit *visit);

static inline uint64_t handles__address(uint64_t word)
{
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
