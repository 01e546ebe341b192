/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads.h"
#include "agents/common/region.h"

#include <string.h>

#define MOST_THREADS (1u << 20)

static struct region numbers; /* uint64_t, by tag */
static uint32_t count, known;

static uint64_t *at(jlong tag)
{
	const uint64_t index = (uint64_t)(tag - THREADS_FIRST);

	return index < count ? (uint64_t *)(void *)numbers.at + index : NULL;
}

bool threads__init(void)
{
	return region__reserve(&numbers, MOST_THREADS * sizeof(uint64_t));
}

void threads__empty(void)
{
	region__empty(&numbers);
	count = known = 0;
}

jlong threads__add(void)
{
	uint64_t *number = region__get(&numbers, sizeof(*number));

	if (!number)
		return 0;
	*number = THREADS_UNKNOWN;
	return THREADS_FIRST + count++;
}

uint64_t threads__number(jlong tag)
{
	const uint64_t *number = at(tag);

	return number ? *number : THREADS_UNKNOWN;
}

void threads__note(jlong tag, uint64_t number)
{
	uint64_t *to = at(tag);

	if (to)
		*to = number;
}

static void tell_name(struct visit *visit, struct gctrace_writer *writer, jthread thread,
		      uint64_t number)
{
	jvmtiThreadInfo info = { 0 };

	if (VM_CALL(visit->jvmti, GetThreadInfo, thread, &info))
		return;
	if (info.name)
		gctrace_write_define(writer, GCTRACE_SPACE_THREAD, number, 0, 0, info.name,
				     strlen(info.name));
	vm__free(visit->jvmti, info.name);
	VM_CALL(visit->jni, DeleteLocalRef, info.thread_group);
	VM_CALL(visit->jni, DeleteLocalRef, info.context_class_loader);
}

/* The field `tid` of java.lang.Thread, which a class of its own may be below. */
static jfieldID find_number(struct visit *visit, jthread thread)
{
	jclass class_ = VM_CALL(visit->jni, GetObjectClass, thread);
	jfieldID field = VM_CALL(visit->jni, GetFieldID, class_, "tid", "J");

	if (!field)
		VM_CALL(visit->jni, ExceptionClear);
	VM_CALL(visit->jni, DeleteLocalRef, class_);
	return field;
}

static void tell(struct visit *visit, struct gctrace_writer *writer, jthread thread)
{
	const jfieldID field = find_number(visit, thread);
	const jlong tag = threads__add();

	if (!field || !tag || VM_CALL(visit->jvmti, SetTag, thread, tag))
		return;
	threads__note(tag, (uint64_t)VM_CALL(visit->jni, GetLongField, thread, field));
	tell_name(visit, writer, thread, threads__number(tag));
}

void threads__tell(struct visit *visit, struct gctrace_writer *writer)
{
	jthread *threads = NULL;
	jint n = 0;

	if (VM_CALL(visit->jvmti, GetAllThreads, &n, &threads))
		return;
	for (jint i = 0; i < n; i++) {
		tell(visit, writer, threads[i]);
		VM_CALL(visit->jni, DeleteLocalRef, threads[i]);
	}
	vm__free(visit->jvmti, threads);
	known = count;
}

jlong threads__own(struct visit *visit)
{
	jthread own = NULL;
	jlong tag = 0;

	if (VM_CALL(visit->jvmti, GetCurrentThread, &own) || !own)
		return 0;
	VM_CALL(visit->jvmti, GetTag, own, &tag);
	VM_CALL(visit->jni, DeleteLocalRef, own);
	return tag;
}

void threads__tell_late(struct visit *visit, struct gctrace_writer *writer)
{
	for (uint32_t i = known; i < count; i++) {
		const jlong tag = THREADS_FIRST + i;
		jobject *threads = NULL;
		jint n = 0;

		if (threads__number(tag) == THREADS_UNKNOWN ||
		    VM_CALL(visit->jvmti, GetObjectsWithTags, 1, &tag, &n, &threads, NULL))
			continue;
		if (n)
			tell_name(visit, writer, threads[0], threads__number(tag));
		vm__free(visit->jvmti, threads);
	}
}
