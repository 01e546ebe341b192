/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads of the program come here at any time, also behind the end of a dump: one may have been on
 * its way for long. So handles stand in a list that is closed when the dump ends; who finds it
 * closed gives its handle back itself, and the list is opened again only when nobody is on its way.
 */
#include "newcomers.h"
#include "types.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct newcomer {
	struct newcomer *next;
	jobject handle; /* a global one */
};

static struct newcomer closed; /* its address stands for the list that takes none */
static _Atomic(struct newcomer *) newcomers = &closed;
static atomic_uint on_their_way; /* threads */

static bool add(struct newcomer *newcomer)
{
	newcomer->next = atomic_load(&newcomers);
	do {
		if (newcomer->next == &closed)
			return false;
	} while (!atomic_compare_exchange_weak(&newcomers, &newcomer->next, newcomer));
	return true;
}

static void give_back(JNIEnv *jni, struct newcomer *newcomer)
{
	if (newcomer->handle)
		VM_CALL(jni, DeleteGlobalRef, newcomer->handle);
	free(newcomer);
}

/* 0: it has one, or the dump is over. */
static uint32_t give_number(jvmtiEnv *jvmti, jclass class_)
{
	uint32_t number;
	jlong tag = 0;

	if (VM_CALL(jvmti, GetTag, class_, &tag) || tag)
		return 0;
	number = types__add();
	return number && !VM_CALL(jvmti, SetTag, class_, number) ? number : 0;
}

/* The handle is announced before the walk can meet it. */
static void keep(struct newcomer *newcomer, JNIEnv *jni, jclass class_, uint32_t number)
{
	types__at(number)->kept_by = JVMTI_HEAP_REFERENCE_JNI_GLOBAL;
	newcomer->handle = VM_CALL(jni, NewGlobalRef, class_);
	if (!newcomer->handle || !add(newcomer))
		give_back(jni, newcomer);
}

static void meet(jvmtiEnv *jvmti, JNIEnv *jni, jclass class_)
{
	const uint32_t number = give_number(jvmti, class_);
	struct newcomer *newcomer = number ? malloc(sizeof(*newcomer)) : NULL;

	if (newcomer)
		keep(newcomer, jni, class_, number);
}

static void JNICALL loaded(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class_)
{
	(void)thread;
	atomic_fetch_add(&on_their_way, 1);
	if (atomic_load(&newcomers) != &closed)
		meet(jvmti, jni, class_);
	atomic_fetch_sub(&on_their_way, 1);
}

static void set_mode(struct visit *visit, jvmtiEventMode mode)
{
	VM_CALL(visit->jvmti, SetEventNotificationMode, mode, JVMTI_EVENT_CLASS_LOAD, NULL);
}

void newcomers__await(struct visit *visit)
{
	const jvmtiEventCallbacks callbacks = { .ClassLoad = loaded };

	if (atomic_load(&on_their_way))
		return; /* a debugger has stopped one there: this dump does without */
	atomic_store(&newcomers, NULL);
	VM_CALL(visit->jvmti, SetEventCallbacks, &callbacks, (jint)sizeof(callbacks));
	set_mode(visit, JVMTI_ENABLE);
}

void newcomers__let_go(struct visit *visit)
{
	struct newcomer *newcomer, *next;

	set_mode(visit, JVMTI_DISABLE);
	newcomer = atomic_exchange(&newcomers, &closed);
	for (; newcomer && newcomer != &closed; newcomer = next) {
		next = newcomer->next;
		give_back(visit->jni, newcomer);
	}
}
