/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges that moved and survived, while they are subscribed to.
 *
 * A BACKGROUND COLLECTION tells its ranges at its end, by a walk over all that is there then. It
 * has found out long before, in its second pause, who is dead, and sweeps behind that pause, beside
 * the program. So what the walk finds may be newer than the collection, in the very place of one
 * that was freed. Who gets that room, and does it show?
 *
 *	gen2	what younger collections promote: by their ranges
 *	gen1	the same, but what has died there is no part of any ranges
 *	gen0	the program, unseen: its free list is given out as soon as it is swept
 *	LOH	the program, between the sweep's end and the walk; the runtime calls back for each
 *	POH	the same, unseen: that callback is not for us (it wants the main profiler)
 *
 * What is unseen is said (GCTRACE_REUSE): of gen0, gen1 and POH in that second pause, of LOH with
 * each new object from there on. That a region which was freed becomes one of gen0 shows by where
 * the generations lie.
 */
#ifndef GCTRACE_DOTNET_MOVEMENT_H
#define GCTRACE_DOTNET_MOVEMENT_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

/* Opens and closes the session; by the watcher's thread, at each look. */
void movement__want(bool is_wanted);

/* SURVIVING_RANGES, MOVED_RANGES: by several threads of the collector at once. */
void movement__event(uint32_t id, const uint8_t *payload, uint32_t bytes);

/* A background collection stops the program for the last time before it sweeps. */
void movement__sweeps(struct gctrace_writer *writer);

/* Nothing that was swept so is in doubt any more: it has ended, or another one has started. */
void movement__swept(void);

/* There is a new large object. Any thread of the program, which cannot be stopped meanwhile. */
void movement__allocated(uintptr_t object);

#endif
