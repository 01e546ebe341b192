/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static fields as roots. The runtime tells in the pause where each stands, what it refers to and
 * its name, but not its class. That is found when the program runs again: a class that is loaded
 * is asked where its fields of that name stand. Nothing is loaded for that: a class is had by one
 * of its methods, which is looked up only. Only where a root is left, those classes with a field of
 * its name that have no methods are had by their own names, which might load one.
 *
 * Of modules that may be unloaded the class is found in the pause: afterwards it may be gone. Whose
 * class is not found is told without one. Of generic classes the runtime tells no statics, nor
 * where they stand (GetAppDomainStaticAddress looks whether the class without its arguments is
 * initialised, which it never is): they are elements of the array below.
 *
 * The runtime keeps most static fields in arrays of objects that handles hold. What stands in such
 * an array is told once, as the static that it is, and not as an element of the array too: else
 * each of them would be held by two roots, and nothing by one of them alone.
 */
#ifndef GCTRACE_DOTNET_STATICS_H
#define GCTRACE_DOTNET_STATICS_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "payload.h"
#include "agents/common/totals.h"

/* Once, outside of a pause. False: no address space. */
bool statics__init(void);

/* BULK_STATIC: keeps what it says. */
void statics__event(struct payload *payload);

/* Is this slot, somewhere in an object, that of a static that is or will be told? In the pause. */
bool statics__has(uint64_t slot);

/*
 * In the pause, behind all BULK_STATIC: tells those of modules that may be unloaded, as soon as the
 * program runs again.
 */
void statics__tell_going(struct gctrace_writer *writer, struct totals *totals);

/* What all of them are of, 0: there are none. */
uintptr_t statics__domain(void);

/* Tells the others; after the pause, on the thread that forced the collection. */
void statics__tell(struct gctrace_writer *writer, struct totals *totals);

void statics__empty(void);

#endif
