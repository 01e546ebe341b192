/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that Java threads have, out of their java.lang.Thread: objects of the heap, which a
 * collection may move while they are read. So an object is believed only if its class is the one
 * that it has to be, and what was read only if it hangs together as before when that is over; else
 * there is no name this time.
 *
 * Source: share/oops/{oop,markWord,compressedOops,compressedKlass}.hpp, share/gc/z/zAddress.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_OBJECTS_H
#define GCTRACE_TARGET_JVM_OBJECTS_H

#include <stdint.h>

#include "../base/buf.h"

struct jvm_layout;
struct jvm_memory;
struct jvm_objects;

/* The longest name that is read, in bytes of the String's. */
#define JVM_NAME_MOST ((uint32_t)65536)

/* What is handed in outlives the objects. NULL: no memory. */
struct jvm_objects *jvm_objects__new(struct jvm_memory *memory, const struct jvm_layout *layout);
void jvm_objects__free(struct jvm_objects *objects);

/*
 * Append the name of the thread that the JVM has a JavaThread for at this address: valid UTF-8,
 * unescaped. 0; -ENOENT: it has none, or it could not be had; -ENOMEM; -ESRCH.
 */
int jvm_objects__thread_name(struct jvm_objects *objects, uint64_t java_thread, struct buf *name);

#endif
