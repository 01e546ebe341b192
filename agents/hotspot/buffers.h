/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether an object is the first one in its thread's allocation buffer (TLAB).
 *
 * Up to some version between 17 and 25 HotSpot's sampler counts a buffer as allocated up to the
 * place of its next sample as soon as that place is chosen. A collection takes the buffer away, and
 * what was not used of it stays counted: so the first object of the next buffer is sampled, one too
 * many after each collection, for each thread. The distance to the sample after it is drawn anew,
 * and since such distances have no memory all others are as they should be.
 *
 * A thread's structure is found by its JNIEnv, which is a part of it, at a place that is no
 * interface: it is looked for in our own thread, with an object of our own, and what does not come
 * out is not relied on. Then nobody knows, and the samples stay.
 */
#ifndef GCTRACE_HOTSPOT_BUFFERS_H
#define GCTRACE_HOTSPOT_BUFFERS_H

#include <stdbool.h>

#include "vm.h"

/* After vmstructs__find(). It may come to nothing. */
void buffers__find(struct visit *visit);

/* By the thread that has just allocated it. */
bool buffers__begin_with(JNIEnv *jni, jobject object);

#endif
