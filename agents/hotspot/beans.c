/* SPDX-License-Identifier: BSD-2-Clause */
#include "beans.h"

#include <stdatomic.h>
#include <string.h>

#define BEANS_MOST 4 /* of cycles: one, or two of generations */

static struct {
	jobject of[BEANS_MOST]; /* global handles */
	unsigned count;
	jmethodID get_count;
	_Atomic uint64_t last; /* sum that was answered */
} beans;

static bool has_failed(JNIEnv *jni)
{
	if (!VM_CALL(jni, ExceptionCheck))
		return false;
	VM_CALL(jni, ExceptionClear);
	return true;
}

static jmethodID method_of(JNIEnv *jni, const char *class_, const char *name, const char *type)
{
	jclass of = VM_CALL(jni, FindClass, class_);
	jmethodID method = of ? VM_CALL(jni, GetMethodID, of, name, type) : NULL;

	return has_failed(jni) ? NULL : method;
}

/* "ZGC Minor Cycles", "Shenandoah Cycles"; pauses are counted beside them. */
static bool counts_cycles(JNIEnv *jni, jobject bean, jmethodID get_name)
{
	static const char cycles[] = "Cycles";
	jstring name = VM_CALL(jni, CallObjectMethod, bean, get_name);
	const char *text = has_failed(jni) || !name
		? NULL : VM_CALL(jni, GetStringUTFChars, name, NULL);
	const size_t bytes = text ? strlen(text) : 0;
	bool does;

	if (!text)
		return false;
	does = bytes >= sizeof(cycles) - 1 && !strcmp(text + bytes - sizeof(cycles) + 1, cycles);
	VM_CALL(jni, ReleaseStringUTFChars, name, text);
	return does;
}

static jobject get_list(JNIEnv *jni)
{
	jclass factory = VM_CALL(jni, FindClass, "java/lang/management/ManagementFactory");
	jmethodID get;
	jobject list;

	if (has_failed(jni) || !factory)
		return NULL;
	get = VM_CALL(jni, GetStaticMethodID, factory, "getGarbageCollectorMXBeans",
		      "()Ljava/util/List;");
	if (has_failed(jni) || !get)
		return NULL;
	list = VM_CALL(jni, CallStaticObjectMethod, factory, get);
	return has_failed(jni) ? NULL : list;
}

static void take_from(JNIEnv *jni, jobject list)
{
	static const char bean_class[] = "java/lang/management/GarbageCollectorMXBean";
	jmethodID size = method_of(jni, "java/util/List", "size", "()I");
	jmethodID at = method_of(jni, "java/util/List", "get", "(I)Ljava/lang/Object;");
	jmethodID get_name = method_of(jni, bean_class, "getName", "()Ljava/lang/String;");
	jint count;

	beans.get_count = method_of(jni, bean_class, "getCollectionCount", "()J");
	if (!size || !at || !get_name || !beans.get_count)
		return;
	count = VM_CALL(jni, CallIntMethod, list, size);
	for (jint i = 0; !has_failed(jni) && i < count && beans.count < BEANS_MOST; i++) {
		jobject bean = VM_CALL(jni, CallObjectMethod, list, at, i);
		jobject kept = NULL;

		if (!has_failed(jni) && bean && counts_cycles(jni, bean, get_name))
			kept = VM_CALL(jni, NewGlobalRef, bean);
		if (kept)
			beans.of[beans.count++] = kept;
	}
}

bool beans__find(JNIEnv *jni)
{
	jobject list;

	if (VM_CALL(jni, PushLocalFrame, 64))
		return false;
	list = get_list(jni);
	if (list)
		take_from(jni, list);
	VM_CALL(jni, PopLocalFrame, NULL);
	return beans.count > 0;
}

void beans__let_go(JNIEnv *jni)
{
	for (unsigned i = 0; i < beans.count; i++)
		VM_CALL(jni, DeleteGlobalRef, beans.of[i]);
	beans.count = 0;
}

/* A thread at the end of its stack cannot call Java: for it the last answer must do. */
uint64_t beans__collections(JNIEnv *jni)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < beans.count; i++) {
		sum += (uint64_t)VM_CALL(jni, CallLongMethod, beans.of[i], beans.get_count);
		if (has_failed(jni))
			return beans.last;
	}
	beans.last = sum;
	return sum;
}
