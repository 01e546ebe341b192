/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether what is told of a young collection is so: by objects of our own, to which the JVM itself
 * keeps handles. Some are held until they are old, others by a weak handle alone, so that they die.
 * What the walk finds of one of them is compared with where its handle says that it is.
 *
 *	young_check__make()	now and then, on a thread of the agent's: new ones for the oldest
 *	young_check__note()	a collection starts: where all of them are
 *	young_check__at(), …	the walk comes by: it says what it finds
 *	young_check__judge()	it has ended: who is elsewhere?
 */
#ifndef GCTRACE_HOTSPOT_YOUNG_CHECK_H
#define GCTRACE_HOTSPOT_YOUNG_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

#define YOUNG_CHECK_OBJECTS 512
#define YOUNG_CHECK_DEAD 0

/* Of a collection. */
struct young_check {
	uint64_t objects; /* that were compared */
	uint64_t wrong;
};

/* A thread of the JVM, outside of any pause. False: the JVM has no memory. */
bool young_check__make(struct visit *visit);
/* Lets go of all. */
void young_check__let_go(struct visit *visit);

/* ---- In a stopped world ---- */

void young_check__note(void);

/* The walk goes on at this address, upwards. Answers the next address that is of interest. */
uint64_t young_check__from(uint64_t address);

/* The object that young_check__from() named lies at `to` now, or is dead (YOUNG_CHECK_DEAD). */
uint64_t young_check__found(uint64_t to);

/* walked: does what lay at this address have to have been found? */
struct young_check young_check__judge(bool (*walked)(uint64_t address));

#endif
