/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes that are loaded while a dump is made: between the look at all that are loaded and the
 * pause. The JVM tells each when it is loaded, which is before there can be an object of it, on the
 * thread that loads it. There it gets its number and a handle, so that it can't be unloaded behind
 * the pause before it has been asked for its name; what is an array of it can't, either.
 *
 * The handle is a root, which the walk is not to tell: types.h, `kept_by`.
 */
#ifndef GCTRACE_HOTSPOT_NEWCOMERS_H
#define GCTRACE_HOTSPOT_NEWCOMERS_H

#include "vm.h"

/* From now on; before classes are asked for. One dump at a time. */
void newcomers__await(struct visit *visit);

/* No more, and they may go. Legal where none were awaited. */
void newcomers__let_go(struct visit *visit);

#endif
