/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds: at a collection's end all handles are looked at, and what has changed is written down:
 * who is dead, who is elsewhere, who is in another generation.
 *
 * Where the world stands still while objects move, that is done in the pause, at JVMTI's
 * GarbageCollectionFinish: nothing is allocated, no lock taken, and nothing of the JVM's called;
 * the memory for what is written down has been touched before. Collectors that work beside the
 * program have no such moment: there our own thread goes round some time later, and has the JVM
 * look at each handle first (IsSameObject), which brings it up to date and keeps nothing alive.
 *
 *	a pause (or our own thread)                       our own thread
 *	  rounds: gc, time, how far  ----> 256 rounds ---->  SAMPLES, one for each
 *	  fates: who, what, where    ----> as many as there
 *	                                   are samples
 *
 * When there is no room for all of a round, what is left of it is not told by it (`missed`): then a
 * list of all that live is told, which heals everything but when somebody died.
 */
#ifndef GCTRACE_HOTSPOT_ROUNDS_H
#define GCTRACE_HOTSPOT_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

struct fate {
	uint64_t number, address;
	uint32_t place;
	uint16_t bits; /* set of enum gctrace_sample_bits */
	uint16_t is_old;
};

struct round {
	uint64_t gc, time_ns;
	uint64_t begin, end; /* of its fates, for rounds__fate() */
	bool in_doubt; /* some of its fates had no room, or those of another are among them */
};

/* Behind spaces__find(), when nobody looks yet. False: no memory. */
bool rounds__begin(JNIEnv *jni);
/* Nobody looks any more. */
void rounds__end(void);

/* JVMTI's events of pauses, on the JVM's own thread. */
void rounds__pause_begins(void);
void rounds__pause_ends(void);

/* Collections that have ended. Any thread of the JVM's, in no pause. */
uint64_t rounds__collections(JNIEnv *jni);

/* Changes whenever a pause begins or ends; odd in a pause. */
uint64_t rounds__pauses(void);

/*
 * Where this handle's object is, if no pause comes between: into `seen` unless that is set. Where
 * objects move beside the program that is for our own thread alone.
 */
void rounds__see_first(uint32_t place);

/* ---- By our own thread ---- */

/* The same of a new one, whatever the collector. */
void rounds__see_new(JNIEnv *jni, uint32_t place);

/* A round beside the program, where the collector works so and there may be something to see. */
void rounds__go_round(JNIEnv *jni);

/* How many rounds are there to be told, from 0 to COUNT - 1. */
uint32_t rounds__ready(void);
const struct round *rounds__at(uint32_t index);
const struct fate *rounds__fate(uint64_t at);
/* So many were told. */
void rounds__drop(uint32_t count);

/* Is the room for fates half full? Any thread. */
bool rounds__are_urgent(void);
/* Was there something that no round tells? Asked once. */
bool rounds__missed(void);

/* Makes the room as large as a round of all samples needs. */
void rounds__fit(void);

#endif
