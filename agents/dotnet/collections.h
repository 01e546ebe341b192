/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collections, from their start to their end.
 *
 * TWO SOURCES. The profiler's callbacks GarbageCollectionStarted and GarbageCollectionFinished come
 * always; they tell the generations and whether the program asked. While a session is open, events
 * tell the reason, the kind and the runtime's number as well. What has started by one source ends
 * by the same one, so that a session may be opened at any time; before one is closed, what started
 * by its events must have ended (collections__await_events()).
 *
 * ORDER, as it was seen with .NET 10, workstation and server:
 *
 *   suspension, callback Started, GC_START, ranges, GLOBAL_HISTORY, HEAP_HISTORY (one a heap),
 *   callback Finished, GC_END, HEAP_STATS, resumption
 *
 *   A background collection has its Started and GC_START in a first pause. Often a collection of
 *   gen0 or gen1 is made in that very pause: with GC_START and GC_END of its own, a callback
 *   Finished, but no callback Started. Then come two more suspensions (the second one only for
 *   SESSION_MOVEMENT), with collections of gen0 and gen1 in between; Finished, GC_END and
 *   HEAP_STATS come from the background thread, in no pause. Two collections never work at once:
 *   one interrupts the other. With server GC the history of a background one comes last of all.
 *
 *   A collection whose GC_START says background may still be made as a blocking one, in that pause
 *   and of all generations; the first background one of a process was seen to.
 *
 * So by callbacks alone, a background collection that begins with another one looks like a blocking
 * one of gen2. SESSION_BACKGROUND tells them apart: BGC_BEGIN comes in the first pause, behind what
 * the other one does in it, and from no blocking collection. So of a gen2 that starts without
 * events nothing is reported before that pause ends; then it is
 *
 *	                Finished came			Finished did not come
 *	BGC_BEGIN       a young one, and a background one	a background one
 *	none            a blocking one			a background one
 *
 * Where that session was not open yet, Finished means one that "may be two".
 */
#ifndef GCTRACE_DOTNET_COLLECTIONS_H
#define GCTRACE_DOTNET_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The callbacks. generations: bit n is generation n. */
void collections__started(uint64_t generations, bool is_induced);
void collections__finished(void);

/* BGC_BEGIN. */
void collections__background_begins(void);

/* GC_START, GC_END, HEAP_STATS, GLOBAL_HISTORY, HEAP_HISTORY. */
void collections__event(uint32_t id, const uint8_t *payload, uint32_t bytes);

/* The pause is about to end: what cannot go on without one is over. */
void collections__pause_ends(void);

/* The number of the collection at work (the inner one, where one interrupts another), 0: none. */
uint64_t collections__now(void);

/* The same, if its ranges are told from its start on, and what it condemns. */
struct ranges_of {
	uint64_t gc; /* 0: they are not */
	uint64_t generations;
};
struct ranges_of collections__with_ranges(void);

/* Does the background collection that is under way tell ranges at its end? */
bool collections__background_has_ranges(void);

/*
 * Waits until nothing is under way that started by events. By the agent's own threads. No other
 * starts so once session__tells() says no. After two seconds it gives up: what is then not told of
 * their ranges shows by session__openings().
 */
void collections__await_events(void);

#endif
