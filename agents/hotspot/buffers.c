/* SPDX-License-Identifier: BSD-2-Clause */
#include "buffers.h"
#include "addresses.h"
#include "memory.h"
#include "vmstructs.h"

#include <stddef.h>
#include <string.h>

#define FIRST_GOOD 25	     /* version of Java that counts right */
#define THREADS_MOST 100000u /* that are looked at */
#define THREAD_BYTES_MOST 8192u

static struct {
	bool are_known;
	size_t buffer_at, start_at, top_at; /* in a thread, in its buffer */
	uint64_t jni_at; /* of its JNIEnv, in a thread */
} buffers;

static uint64_t word_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

static bool learn_layout(void)
{
	return vmstructs__offset("Thread", "_tlab", &buffers.buffer_at) &&
	       vmstructs__offset("ThreadLocalAllocBuffer", "_start", &buffers.start_at) &&
	       vmstructs__offset("ThreadLocalAllocBuffer", "_top", &buffers.top_at);
}

/* Is this the thread that has the JNIEnv and has just allocated the object? */
static bool is_ours(uint64_t thread, uint64_t jni, uint64_t object)
{
	const uint64_t buffer = thread + buffers.buffer_at;
	uint64_t start, top;

	return thread < jni && jni - thread < THREAD_BYTES_MOST &&
	       memory__read(buffer + buffers.start_at, &start, sizeof(start)) &&
	       memory__read(buffer + buffers.top_at, &top, sizeof(top)) && start &&
	       start <= object && object < top;
}

/* The list of threads may be replaced meanwhile: then there is nothing where it was. */
static bool find_thread(uint64_t jni, uint64_t object)
{
	const uint64_t *list = vmstructs__static("ThreadsSMRSupport", "_java_thread_list");
	size_t length_at, threads_at;
	uint64_t threads, thread;
	uint32_t length;

	if (!list || !vmstructs__offset("ThreadsList", "_length", &length_at) ||
	    !vmstructs__offset("ThreadsList", "_threads", &threads_at) ||
	    !memory__read(*list + length_at, &length, sizeof(length)) ||
	    !memory__read(*list + threads_at, &threads, sizeof(threads)))
		return false;
	for (uint32_t i = 0; i < length && i < THREADS_MOST; i++) {
		if (!memory__read(threads + i * sizeof(thread), &thread, sizeof(thread)))
			return false;
		if (!is_ours(thread, jni, object))
			continue;
		buffers.jni_at = jni - thread;
		return true;
	}
	return false;
}

void buffers__find(struct visit *visit)
{
	jobject object;

	/* Where it is does not change while the JVM runs. */
	if (buffers.are_known || vm__version() >= FIRST_GOOD || !learn_layout())
		return;
	object = VM_CALL(visit->jni, NewStringUTF, "");
	if (!object)
		return;
	buffers.are_known = find_thread((uintptr_t)visit->jni, addresses__of(object));
	VM_CALL(visit->jni, DeleteLocalRef, object);
}

bool buffers__begin_with(JNIEnv *jni, jobject object)
{
	const uint64_t thread = (uintptr_t)jni - buffers.jni_at;

	return buffers.are_known && addresses__of(object) ==
	       word_at(thread + buffers.buffer_at + buffers.start_at);
}
