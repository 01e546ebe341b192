/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a frame of a stack is called: "java.util.HashMap.resize(HashMap.java:702)". The JVM is asked
 * once for each place in each method, on our own thread, and the answer is kept: a method may be
 * unloaded later. One that was unloaded before is told as such, by an id which the JVM never uses
 * again (it clears it and keeps it).
 *
 * One that is redefined keeps its id, and the same place in it may be of another line from then on:
 * so places are told from each other by their edition, too (stacks.h), and the JVM is asked again.
 */
#ifndef GCTRACE_HOTSPOT_FRAMES_H
#define GCTRACE_HOTSPOT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm.h"

/* Outside of a pause, once. False: no address space; what there was is to be released. */
bool frames__init(void);
void frames__release(void);
/* Gives all pages back. */
void frames__empty(void);

/* Between the two those are named that are kept; the others are forgotten. */
void frames__begin_sweep(void);
void frames__keep(const jvmtiFrameInfo *frame, uint32_t edition);
void frames__end_sweep(void);

/*
 * The frame's line, with its line feed, valid until it is forgotten. *bytes: its length. NULL:
 * there is no room for more.
 */
const char *frames__text(const struct visit *visit, const jvmtiFrameInfo *frame, uint32_t edition,
			 size_t *bytes);

#endif
