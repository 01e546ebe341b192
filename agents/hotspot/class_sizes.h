/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How large an object is, by the class that its second word names. A dead object's class may be
 * gone, and its word name nothing, or something else by now: so a class is read by memory__read(),
 * and what it said is kept, since a heap has few classes and many objects. It is kept until classes
 * may have been unloaded.
 */
#ifndef GCTRACE_HOTSPOT_CLASS_SIZES_H
#define GCTRACE_HOTSPOT_CLASS_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* Outside of a pause, behind heap_layout__find(). NULL: all is known; else why not, as there. */
const char *class_sizes__find(void);

/*
 * In a stopped world, once before the others: class objects of java.lang.Class, and of
 * jdk.internal.vm.StackChunk (0: this Java has none). False: they do not look like such.
 */
bool class_sizes__learn(uint64_t class_, uint64_t chunk);

/* Classes may have been unloaded since. */
void class_sizes__forget(void);

/*
 * Of the object at this address, which is of the class of this word; 0: it is not known. It has 16
 * bytes at least; beyond `end` nothing of it is looked at.
 */
uint64_t class_sizes__of(uint32_t word, uint64_t object, uint64_t end);

#endif
