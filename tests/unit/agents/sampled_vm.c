/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampled_vm.h"
#include "../random.h"
#include "fake_method.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTER_FRAMES 3	 /* of each stack, below its site */
#define DEEP_FRAMES 1000 /* of the deepest one */
#define POISON UINT64_C(0xbad0bad0bad0)

/* What a handle of an object or a class points to. */
struct class_ {
	const char *signature, *name;
	jlong tag;
	unsigned edition; /* redefined so often */
};

/* One of an object is its place in the table; one of a class stands in this one. */
static struct class_ classes[SAMPLED_CLASSES];
static struct class_ places[SAMPLED_SITES]; /* of methods */

struct method {
	struct class_ *of;
	bool is_gone;
};

/* Of each place the one that is there now; an id is never used again. */
static struct method methods[SAMPLED_OBJECTS];
static struct method *method_of[SAMPLED_SITES];
static uint32_t method_count;

struct word {
	uint64_t address; /* as the JVM has it: what a handle points to */
	uint32_t object;
	uint32_t next; /* of the free, + 1 */
};

struct sampled_vm sampled_vm;

static struct {
	struct word words[SAMPLED_OBJECTS];
	uint32_t used, free; /* free: the first, + 1 */
	jvmtiEventCallbacks callbacks;
	bool is_on[JVMTI_MAX_EVENT_TYPE_VAL - JVMTI_MIN_EVENT_TYPE_VAL + 1];
	uint64_t next_address;
} vm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all tables */
static pthread_rwlock_t world;	/* a pause has it; who calls the JVM shares it */
static _Thread_local unsigned site; /* that is at work */
static _Thread_local uint32_t distance_by; /* the interval; 0: not drawn yet */

/* ---- Handles ---- */

static jobject handle_of(uint32_t object)
{
	return (jobject)(void *)&sampled_vm.objects[object];
}

static uint32_t object_of(jobject handle)
{
	return (uint32_t)((struct sampled_object *)(void *)handle - sampled_vm.objects);
}

static jclass handle_of_class(struct class_ *class_)
{
	return (jclass)(void *)class_;
}

static struct class_ *class_of(jclass handle)
{
	return (struct class_ *)(void *)handle;
}

static struct word *get_word(void)
{
	struct word *word;

	if (!vm.free)
		return vm.used < SAMPLED_OBJECTS ? &vm.words[vm.used++] : NULL;
	word = &vm.words[vm.free - 1];
	vm.free = word->next;
	return word;
}

/* Calls of the JVM wait for the end of a pause. */
static void enter(void)
{
	pthread_rwlock_rdlock(&world);
	pthread_mutex_lock(&lock);
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
	pthread_rwlock_unlock(&world);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object)
{
	struct word *word;

	(void)env;
	enter();
	word = sampled_vm.has_no_handles ? NULL : get_word();
	if (word) {
		word->object = object_of(object);
		word->address = sampled_vm.objects[word->object].address;
		if (++sampled_vm.handles > sampled_vm.most_handles)
			sampled_vm.most_handles = sampled_vm.handles;
	}
	leave();
	return word ? (jweak)(void *)((char *)word + 1) : NULL;
}

static struct word *word_of(jobject handle)
{
	return (struct word *)((uintptr_t)handle - 1);
}

/* What is given back twice, or never was one, is counted. */
static void JNICALL delete_weak(JNIEnv *env, jweak handle)
{
	struct word *word = word_of(handle);

	(void)env;
	enter();
	sampled_vm.wrong_calls += word->address == POISON || !sampled_vm.handles;
	word->address = POISON;
	word->next = vm.free;
	vm.free = (uint32_t)(word - vm.words) + 1;
	sampled_vm.handles--;
	leave();
}

static jboolean JNICALL is_same(JNIEnv *env, jobject handle, jobject null)
{
	(void)env;
	enter();
	sampled_vm.wrong_calls += null != NULL || word_of(handle)->address == POISON;
	sampled_vm.looked_at++;
	leave();
	return JNI_FALSE;
}

static void JNICALL delete_local(JNIEnv *env, jobject local)
{
	(void)env;
	(void)local;
}

/* ---- Tags and names ---- */

static jvmtiError JNICALL get_tag(jvmtiEnv *env, jobject object, jlong *tag)
{
	(void)env;
	enter();
	*tag = class_of(object)->tag;
	leave();
	return 0;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *env, jobject object, jlong tag)
{
	(void)env;
	enter();
	class_of(object)->tag = tag;
	leave();
	return 0;
}

static jvmtiError JNICALL get_signature(jvmtiEnv *env, jclass class_, char **signature,
					char **generic)
{
	(void)env;
	(void)generic;
	if (sampled_vm.has_no_signatures)
		return JVMTI_ERROR_OUT_OF_MEMORY;
	*signature = strdup(class_of(class_)->signature);
	return 0;
}

static jvmtiError JNICALL get_declaring_class(jvmtiEnv *env, jmethodID method, jclass *class_)
{
	const struct method *known = (const void *)method;

	(void)env;
	if (known->is_gone)
		return JVMTI_ERROR_INVALID_METHODID;
	*class_ = handle_of_class(known->of);
	return 0;
}

#define LINES_OF_EDITION 100

/* Line 7 begins at 0, line 9 at 10: told the other way round, as compilers do. */
static jvmtiError JNICALL get_lines(jvmtiEnv *env, jmethodID method, jint *count,
				    jvmtiLineNumberEntry **lines)
{
	const jint more = LINES_OF_EDITION * (jint)((struct method *)(void *)method)->of->edition;
	const jvmtiLineNumberEntry both[] = { { 10, 9 + more }, { 0, 7 + more } };

	(void)env;
	*count = 2;
	*lines = malloc(sizeof(both));
	memcpy(*lines, both, sizeof(both));
	return 0;
}

static jvmtiError JNICALL get_file(jvmtiEnv *env, jclass class_, char **file)
{
	(void)env;
	(void)class_;
	*file = strdup("Place.java");
	return 0;
}

/* ---- Stacks ---- */

static unsigned depth_of(unsigned of)
{
	return of == SAMPLED_DEEP ? DEEP_FRAMES : 1 + OUTER_FRAMES;
}

/* The innermost is the site's own method, at one of its two lines; the others are place 0's. */
static jvmtiFrameInfo frame_of(unsigned of, unsigned i)
{
	return i ? (jvmtiFrameInfo){ (jmethodID)(void *)method_of[0], (jlocation)i % 10 } :
		   (jvmtiFrameInfo){ (jmethodID)(void *)method_of[of], of % 2 ? 12 : 3 };
}

static jvmtiError JNICALL get_stack(jvmtiEnv *env, jthread thread, jint start, jint most,
				    jvmtiFrameInfo *frames, jint *count)
{
	const jint depth = (jint)depth_of(site);

	(void)env;
	enter();
	sampled_vm.wrong_calls += thread || start;
	*count = depth < most ? depth : most;
	for (jint i = 0; i < *count; i++)
		frames[i] = frame_of(site, (unsigned)i);
	leave();
	return 0;
}

/* ---- What an environment is asked for ---- */

static jvmtiError JNICALL add_capabilities(jvmtiEnv *env, const jvmtiCapabilities *wanted)
{
	(void)env;
	return wanted->can_generate_sampled_object_alloc_events && sampled_vm.is_taken ?
		       JVMTI_ERROR_NOT_AVAILABLE :
		       0;
}

static jvmtiError JNICALL set_interval(jvmtiEnv *env, jint interval)
{
	(void)env;
	sampled_vm.interval = (uint32_t)interval;
	return 0;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *env, const jvmtiEventCallbacks *callbacks,
					jint bytes)
{
	(void)env;
	memcpy(&vm.callbacks, callbacks, (size_t)bytes);
	return 0;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event,
				   jthread thread, ...)
{
	(void)env;
	(void)thread;
	vm.is_on[event - JVMTI_MIN_EVENT_TYPE_VAL] = mode == JVMTI_ENABLE;
	return 0;
}

static bool is_on(jvmtiEvent event)
{
	return vm.is_on[event - JVMTI_MIN_EVENT_TYPE_VAL];
}

/* With it go its tags. */
static jvmtiError JNICALL dispose(jvmtiEnv *env)
{
	(void)env;
	sampled_vm.environments--;
	memset(vm.is_on, 0, sizeof(vm.is_on));
	for (unsigned i = 0; i < SAMPLED_CLASSES; i++)
		classes[i].tag = 0;
	return 0;
}

/* ---- */

static const struct jvmtiInterface_1_ jvmti_functions = {
	.AddCapabilities = add_capabilities,
	.DisposeEnvironment = dispose,
	.GetClassSignature = get_signature,
	.GetLineNumberTable = get_lines,
	.GetMethodDeclaringClass = get_declaring_class,
	.GetMethodName = fake_method__name,
	.GetSourceFileName = get_file,
	.GetStackTrace = get_stack,
	.GetTag = get_tag,
	.SetEventCallbacks = set_callbacks,
	.SetEventNotificationMode = set_mode,
	.SetHeapSamplingInterval = set_interval,
	.SetTag = set_tag,
};

static const struct JNINativeInterface_ jni_functions = {
	.DeleteLocalRef = delete_local,
	.DeleteWeakGlobalRef = delete_weak,
	.IsSameObject = is_same,
	.NewWeakGlobalRef = new_weak,
};

static jvmtiEnv jvmti = &jvmti_functions;
static JNIEnv jni = &jni_functions;

jvmtiEnv *sampled_vm__environment(void)
{
	sampled_vm.environments++;
	return &jvmti;
}

JNIEnv *sampled_vm__jni(void)
{
	return &jni;
}

/* A pause does not wait for ever for threads that call without a break. */
static void begin_world(void)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&world, &attributes);
	pthread_rwlockattr_destroy(&attributes);
}

static void add_method(unsigned of)
{
	method_of[of] = &methods[method_count++];
	*method_of[of] = (struct method){ .of = &places[of] };
}

void sampled_vm__begin(void)
{
	static const struct class_ known[SAMPLED_CLASSES] = {
		{ .signature = "Lshop/Item;", .name = "shop.Item" },
		{ .signature = "Lshop/Order$Line;", .name = "shop.Order$Line" },
		{ .signature = "[B", .name = "byte[]" },
		{ .signature = "[[Lshop/Item;", .name = "shop.Item[][]" },
		{ .signature = "Ljava/lang/String;", .name = "java.lang.String" },
		{ .signature = "Lshop/Load$$Lambda.0x4a0;", .name = "shop.Load$$Lambda/0x4a0" },
	};
	static char signatures[SAMPLED_SITES][16];
	static bool is_begun;

	if (!is_begun)
		begin_world();
	is_begun = true;
	memset(&sampled_vm, 0, sizeof(sampled_vm));
	sampled_vm.interval = SAMPLED_INTERVAL;
	memset(&vm, 0, sizeof(vm));
	memcpy(classes, known, sizeof(classes));
	method_count = 0;
	for (unsigned i = 0; i < SAMPLED_SITES; i++) {
		add_method(i);
		snprintf(signatures[i], sizeof(signatures[i]), "LPlace%u;", i);
		places[i] = (struct class_){ .signature = signatures[i] };
	}
	vm.next_address = 0x10000;
}

/* ---- What happens in it ---- */

static uint64_t new_address(bool is_old)
{
	return (vm.next_address += 16) | (is_old ? SAMPLED_OLD : 0);
}

static uint32_t make(unsigned class_, unsigned of)
{
	uint32_t object;

	enter();
	object = sampled_vm.count++;
	if (!distance_by)
		distance_by = SAMPLED_INTERVAL;
	sampled_vm.objects[object] = (struct sampled_object){
		.address = new_address(false),
		.size = 16 + 8 * (uint64_t)object,
		.gc = sampled_vm.collections,
		.class_ = class_,
		.site = of,
		.edition = places[of].edition,
		.interval = distance_by,
		.is_held = true,
	};
	leave();
	return object;
}

void sampled_vm__begin_thread(void)
{
	distance_by = sampled_vm.interval;
	if (is_on(JVMTI_EVENT_THREAD_START))
		vm.callbacks.ThreadStart(&jvmti, &jni, NULL);
}

uint32_t sampled_vm__allocate(unsigned class_, unsigned of)
{
	const uint32_t object = make(class_, of);

	site = of;
	if (is_on(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC)) {
		distance_by = sampled_vm.interval;
		vm.callbacks.SampledObjectAlloc(&jvmti, &jni, NULL, handle_of(object),
						handle_of_class(&classes[class_]),
						(jlong)sampled_vm.objects[object].size);
	}
	enter();
	sampled_vm.objects[object].is_held = false;
	if (sampled_vm.objects[object].gc != sampled_vm.collections)
		sampled_vm.objects[object].gc = UINT64_MAX;
	leave();
	return object;
}

static void move_or_kill(uint64_t *seed, struct sampled_object *object, unsigned dying,
			 unsigned moving)
{
	const bool is_old = object->address >= SAMPLED_OLD;

	if (!object->is_held && random__chance(seed, dying))
		object->address = 0;
	else if (random__chance(seed, moving))
		object->address = new_address(is_old || random__chance(seed, 30));
}

static void collect(uint64_t *seed, unsigned dying, unsigned moving)
{
	for (uint32_t i = 0; i < sampled_vm.count; i++) {
		if (sampled_vm.objects[i].address)
			move_or_kill(seed, &sampled_vm.objects[i], dying, moving);
	}
	for (uint32_t i = 0; i < vm.used; i++) {
		if (vm.words[i].address && vm.words[i].address != POISON)
			vm.words[i].address = sampled_vm.objects[vm.words[i].object].address;
	}
	sampled_vm.collections++;
}

void sampled_vm__collect(uint64_t *seed, unsigned dying, unsigned moving)
{
	pthread_rwlock_wrlock(&world);
	if (is_on(JVMTI_EVENT_GARBAGE_COLLECTION_START))
		vm.callbacks.GarbageCollectionStart(&jvmti);
	collect(seed, dying, moving);
	if (is_on(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH))
		vm.callbacks.GarbageCollectionFinish(&jvmti);
	pthread_rwlock_unlock(&world);
}

void sampled_vm__load_again(unsigned class_)
{
	classes[class_].tag = 0;
}

/* It is told before it happens. */
void sampled_vm__redefine(unsigned of)
{
	const jclass class_ = handle_of_class(&places[of]);

	if (is_on(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK))
		vm.callbacks.ClassFileLoadHook(&jvmti, &jni, class_, NULL, NULL, NULL, 0, NULL,
					       NULL, NULL);
	places[of].edition++;
}

void sampled_vm__unload(unsigned of)
{
	method_of[of]->is_gone = true;
	add_method(of);
}

void sampled_vm__load_beside(unsigned of)
{
	enter();
	add_method(of);
	leave();
}

/* ---- The truth ---- */

const char *sampled_vm__class_name(unsigned class_)
{
	return classes[class_].name;
}

const char *sampled_vm__stack(unsigned of, unsigned edition)
{
	static char text[300 * 40];
	const unsigned depth = depth_of(of), told = depth < 256 ? depth : 256;
	const int line = (of % 2 ? 9 : 7) + LINES_OF_EDITION * (int)edition;
	size_t used = 0;

	for (unsigned i = 0; i < told; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "Place%u." FAKE_METHOD "(Place.java:%d)\n", i ? 0 : of,
					 i ? 7 : line);
	if (told < depth)
		snprintf(text + used, sizeof(text) - used, "[outer frames left out]\n");
	return text;
}

uint32_t sampled_vm__living(void)
{
	uint32_t living = 0;

	for (uint32_t i = 0; i < sampled_vm.count; i++)
		living += sampled_vm.objects[i].address != 0;
	return living;
}

const struct sampled_object *sampled_vm__object(uint64_t size)
{
	const uint64_t index = (size - 16) / 8;

	return index < sampled_vm.count ? &sampled_vm.objects[index] : NULL;
}
