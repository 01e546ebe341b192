/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lives of the objects in a heap dump: which ids they have, and how many collections each is
 * known to have survived, by what the trace told before the dump (replay.h).
 *
 *	lives = heap_lives__new();
 *	for each event of the trace, from its beginning on:
 *		if (the wanted dump begins with it)
 *			heap_lives__await(lives, event->target);
 *		heap_lives__event(lives, event);
 *	until heap_lives__stand(lives), or the trace ends
 *	... heap_lives__of(lives, address, &life) ...
 *
 * The dump itself is an anchor: an object that is not known from before gets its id by it. Ids are
 * those that gctrace follow gives to the objects of the same recording.
 */
#ifndef MODEL_HEAP_LIVES_H
#define MODEL_HEAP_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/event.h"

struct heap_lives;

struct heap_life {
	uint64_t id;
	uint32_t age; /* collections survived; OBJECT_COUNT_MOST: that many or more */
	bool born;    /* its birth was observed: the age is exact, else at least that */
};

struct heap_lives *heap_lives__new(void); /* NULL: no memory */
void heap_lives__free(struct heap_lives *lives); /* NULL is legal */

/*
 * All that this target tells is heard from this time on (assembler.h). All of these: 0 or -ENOMEM,
 * after which heap_lives__free() is all that is left to do.
 */
int heap_lives__whole_from(struct heap_lives *lives, uint32_t target, uint64_t ns);

/* Does nothing any more once they stand. */
int heap_lives__event(struct heap_lives *lives, const struct event *event);

/* The dump that begins next in this target is the one. */
void heap_lives__await(struct heap_lives *lives, uint32_t target);

/* The dump was matched with what was known: from here on it can be asked. */
bool heap_lives__stand(const struct heap_lives *lives);

/* It never will be: a further dump has begun, or the target has ended. */
bool heap_lives__are_missed(const struct heap_lives *lives);

/* ---------------------------------------------------------------------------------------------
 * Once they stand.
 */

/* The object at this address. False: it is not known, or several were told there. */
bool heap_lives__of(const struct heap_lives *lives, uint64_t address, struct heap_life *life);

/* The same of an id: *address; false: no object that is alive has it. 0 or -ENOMEM in *err. */
bool heap_lives__find(const struct heap_lives *lives, uint64_t id, uint64_t *address, int *err);

/* Collections that were applied to objects of the target: where 0, no age is above 0. */
uint64_t heap_lives__collections(const struct heap_lives *lives);
uint64_t heap_lives__ids(const struct heap_lives *lives); /* given so far */
bool heap_lives__in_doubt(const struct heap_lives *lives); /* see struct identity_view */

/* Bytes of memory, at any time: without malloc's own, and without what is on its way. */
uint64_t heap_lives__memory(const struct heap_lives *lives);

#endif
