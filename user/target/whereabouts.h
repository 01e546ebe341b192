/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's location (S5): judged by what was caught of it, what the runtime's walker says, what
 * the code at its ip is called, and the name that the runtime gave the thread.
 *
 *	it sleeps in the kernel                       BLOCKING
 *	its ip is in managed code (the walker's word) JIT
 *	its ip is in libjdwp.so                       DEBUGGER
 *	a thread of the runtime's own, by its name    GC, COMPILER, DEBUGGER, PROFILER; HotSpot's
 *	                                              VM Thread: GC in a pause; a guess:
 *	                                              NATIVE where there is none, GC where that
 *	                                              is not known
 *	the walker's word
 *	a function of the runtime's that loads        LOADER, a guess
 *	code of the runtime's, which has no walker    GC, JIT, ... by the function, a guess
 *	code of a file                                NATIVE
 *	code without a file                           JIT, a guess
 *
 * Sleeping comes first, also for threads of the collector's: one that waits for work does not
 * collect. SECURITY is never claimed.
 */
#ifndef GCTRACE_TARGET_WHEREABOUTS_H
#define GCTRACE_TARGET_WHEREABOUTS_H

#include <stdbool.h>

#include "place.h"
#include "runtime.h"

struct caught_thread;
struct symbol_found;
struct walk;

/* Has a collection the program stopped? */
enum paused {
	PAUSED_PERHAPS,
	PAUSED_NOT,
	PAUSED_SURELY,
};

struct whereabouts {
	enum place place;
	enum accuracy accuracy;
};

struct whereabouts_of {
	enum runtime_kind runtime;
	const char *comm;
	const struct caught_thread *thread;
	const struct symbol_found *code; /* at its ip */
	const struct walk *walk;	 /* NULL: there is no walker */
	bool is_sharp;	 /* its registers are those of the moment */
	bool is_still;	 /* it has not run until after the walk */
	enum paused paused;
};

struct whereabouts whereabouts__judge(const struct whereabouts_of *of);

/*
 * The location that a thread's name stands for, and how certain that is; PLACE_UNKNOWN: it is
 * nobody's in particular.
 */
struct whereabouts whereabouts__by_name(enum runtime_kind runtime, const char *comm,
					enum paused paused);

#endif
