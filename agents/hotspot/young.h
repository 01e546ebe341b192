/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All moves of young collections, exact: a diagnostic that is asked for by request__moves while
 * somebody listens to moves. It costs the program, in each pause, what a look at every object of
 * the young generation costs, the dead included (15 ns or so each).
 *
 *	GarbageCollectionStart	  where young objects lie, and how often was collected so far
 *	   the JVM collects	  and leaves, in the room that it has emptied, where they went
 *	GarbageCollectionFinish	  a walk over that room (young_walk.h); it is told
 *
 * WHAT IS NOT KNOWN IS NOT TOLD. A collection is told as untold (GCTRACE_BESIDE_UNTOLD), so that
 * what it condemned is withdrawn, unless
 *   - the JVM's count of collections grew by exactly one, and that of full ones did not
 *   - all room that young objects had is empty now: none failed to be evacuated, or was pinned
 *   - the walk came through all of that room, each copy where it should be
 * Pauses that collect nothing (G1's remark and cleanup) are told as such. Of old objects: a mixed
 * collection of G1 leaves the same in old regions that it has emptied, which are walked too; what a
 * region held that was given back in any other way is withdrawn (REUSE).
 *
 * OFF AT THE FIRST SIGN that the JVM is not as expected: objects of our own are not where the walk
 * says (young_check.h). Then all is withdrawn, and the reason said for as long as the JVM runs.
 */
#ifndef GCTRACE_HOTSPOT_YOUNG_H
#define GCTRACE_HOTSPOT_YOUNG_H

#include <stdbool.h>

/* At each look of the watcher's, by its thread. */
void young__want(bool is_wanted);

/*
 * Why moves are not told though they were asked for, in words that go on with "the JVM …"; NULL:
 * they are, or nobody has asked.
 */
const char *young__why_not(void);

#endif
