/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of objects, by which a dump names them.
 *
 * JVMTI hands a callback no object, only pointers to its tag and its referrer's. In HotSpot these
 * point into a structure on its stack, in which the objects stand beside their tags. Where, is no
 * interface: it is looked for by objects of which we hold handles, and what is not found there is
 * not relied on: then tags are the names, which costs the program some 70 bytes an object for the
 * dump's time.
 *
 * The referrer's place is found by a walk from an array of ours. A JVM that marks in the objects
 * looks at all of its heap behind such a walk; those (before Java 21) all have the one layout. It
 * is taken, and the dump looks at every referrer whether it can be one.
 */
#ifndef GCTRACE_HOTSPOT_ADDRESSES_H
#define GCTRACE_HOTSPOT_ADDRESSES_H

#include <stdint.h>

#include "vm.h"

/* Words from a tag to its object. */
struct addresses {
	bool are_known;
	int object;   /* of what is referred to, from tag_ptr */
	int referrer; /* from referrer_tag_ptr */
};

extern struct addresses addresses;

/* The JVM lives. What is found is in `addresses`. */
void addresses__find(struct visit *visit);
/* Where nothing came of it before: because there was no memory for what is looked for. */
void addresses__find_once(struct visit *visit);

/*
 * They proved wrong, or are not to be used: they are not looked for any more. That is for good, as
 * where they stand is: the JVM's code says it, which does not change while it runs.
 */
void addresses__give_up(void);

static inline uint64_t addresses__at(const jlong *tag, int words)
{
	return ((const uint64_t *)(const void *)tag)[words];
}

/* Where they are not known an object is named by its tag. */
static inline uint64_t addresses__by_tag(jlong tag)
{
	return (uint64_t)tag << 3;
}

/* A local handle is the address of a word with the object; the low bits say of which kind it is. */
static inline uint64_t addresses__of(jobject handle)
{
	return *(const uint64_t *)((uintptr_t)handle & ~(uintptr_t)7);
}

#endif
