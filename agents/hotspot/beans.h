/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many collections there were where the JVM's structures do not say it: the collectors that
 * work beside the program count their cycles for java.lang.management alone. Its beans are asked
 * for once; what they are asked then is a native method of theirs, which allocates nothing.
 */
#ifndef GCTRACE_HOTSPOT_BEANS_H
#define GCTRACE_HOTSPOT_BEANS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

/* Runs code of the JVM's library. False: this JVM has no such beans. */
bool beans__find(JNIEnv *jni);
void beans__let_go(JNIEnv *jni);

/* Cycles that have ended. Any thread of the JVM's, in no pause. */
uint64_t beans__collections(JNIEnv *jni);

#endif
