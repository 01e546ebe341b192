/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampled objects that live, as far as we know: a weak handle of each, where it was seen last,
 * and what is to be told of it.
 *
 * WHO TOUCHES WHAT. An entry is filled by the thread that allocated the object and handed over by
 * its handle, which is stored last; from then on the thread that looks (rounds.h) owns `seen`, but
 * for its first value, and our own thread all else. An entry is given back by our own thread, which
 * takes the handle out before it has the JVM delete it: that waits while a pause lasts, so a pause
 * may look at any handle that it finds.
 *
 * There is one lock, of those who add and give back. It is held for some instructions, and by
 * nobody who looks: a pause takes none.
 */
#ifndef GCTRACE_HOTSPOT_SAMPLES_H
#define GCTRACE_HOTSPOT_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SAMPLES_MOST (1u << 21) /* at once: those that find no room are counted, and told as lost */
#define SAMPLES_NONE UINT32_MAX
#define SAMPLES_UNHELD 1 /* in place of a handle where none is made (handles.h) */

/* In the low bits of `seen`, whose others are the address; 0: not seen yet. */
#define SEEN_OLD 1u	   /* its generation */
#define SEEN_DEAD 2u	   /* the address is its last one */
#define SEEN_GENERATION 4u /* its generation was told */
#define SEEN_BITS 7u

/* What a look at all of them reads. */
struct sample_place {
	_Atomic uint64_t handle; /* 0: the entry is free */
	_Atomic uint64_t seen;
};

struct sample {
	uint64_t number; /* from 1, growing, never used again */
	uint64_t size, weight;
	uint64_t gc; /* collections before it */
	uint32_t class_, stack;
	uint32_t next; /* of the new, or of the free */
	bool is_told;
	bool was_dead; /* when the list of all began that is being told */
};

/* Outside of a pause, once. False: no address space; what there was is to be released. */
bool samples__init(void);
void samples__release(void);

/* Gives all pages back; numbers go on. Nobody adds or looks any more. */
void samples__empty(void);

/* By the thread that allocated it. Its place; SAMPLES_NONE: no room. Sets number and next. */
uint32_t samples__add(const struct sample *sample, uint64_t handle);

/* Places that are in use or were: those below. */
uint32_t samples__used(void);
/* How many are in use. */
uint32_t samples__count(void);
struct sample_place *samples__place(uint32_t place);
struct sample *samples__at(uint32_t place);

/*
 * By our own thread. The first of those added since, from which `next` leads in the order of their
 * numbers; SAMPLES_NONE: none.
 */
uint32_t samples__take_new(void);

/* Gives an entry back; the handle is the caller's to delete. */
uint64_t samples__remove(uint32_t place);

#endif
