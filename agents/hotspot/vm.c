/* SPDX-License-Identifier: BSD-2-Clause */
#include "vm.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define STAY_LOCALS 256

static JavaVM *java;
static jvmtiEnv *lasting; /* for events of the JVM's life; it has no capabilities */
static atomic_bool is_live;
static void (*init_call)(void), (*death_call)(void);

bool vm__is_live(void)
{
	return atomic_load(&is_live);
}

void vm__set_live(bool now)
{
	atomic_store(&is_live, now);
}

static void JNICALL initialised(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)jni;
	(void)thread;
	vm__set_live(true);
	if (init_call)
		init_call();
}

static void JNICALL dies(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	if (death_call)
		death_call();
	vm__set_live(false);
}

static bool enable(jvmtiEvent event)
{
	return !VM_CALL(lasting, SetEventNotificationMode, JVMTI_ENABLE, event, NULL);
}

jint vm__init(JavaVM *vm)
{
	const jvmtiEventCallbacks callbacks = { .VMInit = initialised, .VMDeath = dies };
	jint err;

	java = vm;
	err = VM_CALL(java, GetEnv, (void **)&lasting, JVMTI_VERSION_11);
	if (err)
		return err;
	if (!VM_CALL(lasting, SetEventCallbacks, &callbacks, (jint)sizeof(callbacks)) &&
	    enable(JVMTI_EVENT_VM_INIT) && enable(JVMTI_EVENT_VM_DEATH))
		return JNI_OK;
	vm__end();
	return JNI_ERR;
}

void vm__end(void)
{
	vm__set_live(false);
	init_call = death_call = NULL;
	VM_CALL(lasting, DisposeEnvironment);
	lasting = NULL;
}

void vm__on_init(void (*call)(void))
{
	init_call = call;
}

void vm__on_death(void (*call)(void))
{
	death_call = call;
}

int vm__version(void)
{
	jint version = 0;

	VM_CALL(lasting, GetVersionNumber, &version);
	return (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

char *vm__property(const char *name)
{
	char *value = NULL;

	if (VM_CALL(lasting, GetSystemProperty, name, &value))
		return NULL;
	return value;
}

void vm__free(jvmtiEnv *jvmti, void *memory)
{
	VM_CALL(jvmti ? jvmti : lasting, Deallocate, memory);
}

static bool attach(struct visit *visit)
{
	static char name[] = "gctrace";
	JavaVMAttachArgs arguments = { .version = JNI_VERSION_1_6, .name = name };

	if (!vm__is_live())
		return false;
	if (!VM_CALL(java, GetEnv, (void **)&visit->jni, JNI_VERSION_1_6))
		return true;
	visit->was_attached = true;
	return !VM_CALL(java, AttachCurrentThreadAsDaemon, (void **)&visit->jni, &arguments);
}

bool vm__get_locals(struct visit *visit)
{
	if (VM_CALL(visit->jni, PushLocalFrame, VM_LOCALS))
		return false;
	visit->frames++;
	return true;
}

bool vm__get_environment(jvmtiEnv **jvmti)
{
	return !VM_CALL(java, GetEnv, (void **)jvmti, JVMTI_VERSION_11);
}

static bool get_environment(struct visit *visit)
{
	const jvmtiCapabilities wanted = { .can_tag_objects = 1 };

	if (!vm__get_environment(&visit->jvmti))
		return false;
	if (!VM_CALL(visit->jvmti, AddCapabilities, &wanted) && vm__get_locals(visit))
		return true;
	VM_CALL(visit->jvmti, DisposeEnvironment);
	return false;
}

static void detach(struct visit *visit)
{
	VM_CALL(visit->jni, ExceptionClear);
	if (visit->was_attached && vm__is_live())
		VM_CALL(java, DetachCurrentThread);
}

bool vm__visit(void (*call)(struct visit *visit))
{
	struct visit visit = { 0 };

	if (!attach(&visit))
		return false;
	call(&visit);
	detach(&visit);
	return true;
}

bool vm__stay(void (*call)(struct visit *visit))
{
	struct visit visit = { 0 };

	if (!attach(&visit))
		return false;
	/* Local handles of a thread that stays would add up. */
	if (!VM_CALL(visit.jni, PushLocalFrame, STAY_LOCALS)) {
		call(&visit);
		VM_CALL(visit.jni, ExceptionClear);
		VM_CALL(visit.jni, PopLocalFrame, NULL);
	}
	VM_CALL(visit.jni, ExceptionClear);
	return true;
}

void vm__depart(void)
{
	JNIEnv *jni;

	if (vm__is_live() && !VM_CALL(java, GetEnv, (void **)&jni, JNI_VERSION_1_6))
		VM_CALL(java, DetachCurrentThread);
}

bool vm__enter(struct visit *visit)
{
	*visit = (struct visit){ 0 };
	if (!attach(visit))
		return false;
	if (get_environment(visit))
		return true;
	detach(visit);
	return false;
}

void vm__leave(struct visit *visit)
{
	VM_CALL(visit->jni, ExceptionClear);
	for (; visit->frames; visit->frames--)
		VM_CALL(visit->jni, PopLocalFrame, NULL);
	VM_CALL(visit->jvmti, DisposeEnvironment);
	detach(visit);
}
