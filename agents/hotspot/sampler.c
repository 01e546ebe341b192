/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler.h"
#include "beans.h"
#include "buffers.h"
#include "distance.h"
#include "frames.h"
#include "handles.h"
#include "kinds.h"
#include "rounds.h"
#include "samples.h"
#include "spaces.h"
#include "stacks.h"
#include "vmstructs.h"
#include "weight.h"

#include <gctrace/wire.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define SEEDS_BITS 12
#define SEEDS (1u << SEEDS_BITS)

static struct {
	jvmtiEnv *jvmti;
	_Atomic uint32_t wanted, interval; /* what is asked for, and what the JVM heeds */
	atomic_bool is_on;
	_Atomic uint32_t inside; /* calls of ours that are under way */
	_Atomic uint32_t lost;
	_Atomic uintptr_t seeds[SEEDS]; /* threads that began, by their addresses */
	_Atomic uint64_t taken, repeats;
} sampler = { .wanted = SAMPLER_INTERVAL };

/* ---- On threads of the program ---- */

/* False: nothing is to be done, and leave() not called. */
static bool enter(void)
{
	sampler.inside++;
	if (sampler.is_on)
		return true;
	sampler.inside--;
	return false;
}

static void leave(void)
{
	sampler.inside--;
}

static void keep(JNIEnv *jni, const struct sample *sample, jobject object)
{
	jweak handle = handles.keep_alive ? NULL : VM_CALL(jni, NewWeakGlobalRef, object);
	uint32_t place = SAMPLES_NONE;

	if (handles.keep_alive)
		place = samples__add(sample, SAMPLES_UNHELD);
	else if (handle)
		place = samples__add(sample, (uintptr_t)handle);
	if (place != SAMPLES_NONE) {
		rounds__see_first(place);
		return;
	}
	sampler.lost++;
	if (handle)
		VM_CALL(jni, DeleteWeakGlobalRef, handle);
}

/*
 * By which interval the sample was drawn that comes now; the next one is drawn anew. The first one
 * of who was there before was drawn by the JVM's own.
 */
static struct distance draw(void)
{
	return distance__draw(sampler.interval, SAMPLER_INTERVAL, rounds__pauses());
}

/*
 * Taken only because a collection took away its thread's buffer (buffers.h)? It may be right all
 * the same, with the chance that each object of its size has: then it stays.
 */
static bool is_extra(JNIEnv *jni, jobject object, uint64_t bytes, uint64_t weight)
{
	static _Atomic uint64_t chances; /* of them all, in 2^32nds */
	uint64_t chance, before;

	if (!buffers__begin_with(jni, object))
		return false;
	chance = (uint64_t)((double)bytes / (double)weight * 0x1p32);
	before = atomic_fetch_add(&chances, chance);
	return before >> 32 == (before + chance) >> 32;
}

static void take(jvmtiEnv *jvmti, JNIEnv *jni, jobject object, jclass class_, jlong size)
{
	const struct distance distance = draw();
	struct sample sample = {
		.gc = rounds__collections(jni),
		.size = (uint64_t)size,
		.weight = weight__of((uint64_t)size, distance.interval),
	};

	if (distance.is_first && is_extra(jni, object, sample.size, sample.weight))
		return;
	sampler.taken++;
	sample.class_ = kinds__of(jvmti, class_);
	sample.stack = stacks__of_caller(jvmti);
	keep(jni, &sample, object);
	stacks__let_go(sample.stack);
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
			      jclass class_, jlong size)
{
	(void)thread;
	if (!enter())
		return;
	take(jvmti, jni, object, class_, size);
	leave();
}

/*
 * The JVM seeds its one random state, of all threads, by the address of each new thread. One that
 * comes where another one was brings the same numbers again.
 */
static void note_seed(JNIEnv *jni)
{
	const uintptr_t seed = (uintptr_t)jni;
	const uint64_t slot = seed * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SEEDS_BITS);

	if (atomic_exchange(&sampler.seeds[slot], seed) == seed)
		sampler.repeats++;
}

/* On the thread that does; its first distance has been drawn when it was made. */
static void JNICALL thread_begins(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	note_seed(jni);
	draw();
}

/* A class is loaded, or, where there is one already, redefined. */
static void JNICALL defined(jvmtiEnv *jvmti, JNIEnv *jni, jclass before, jobject loader,
			    const char *name, jobject domain, jint count,
			    const unsigned char *bytes, jint *new_count, unsigned char **new_bytes)
{
	(void)jvmti;
	(void)jni;
	(void)loader;
	(void)name;
	(void)domain;
	(void)count;
	(void)bytes;
	(void)new_count;
	(void)new_bytes;
	if (before)
		stacks__begin_edition();
}

static void JNICALL pause_begins(jvmtiEnv *jvmti)
{
	(void)jvmti;
	if (!enter())
		return;
	rounds__pause_begins();
	leave();
}

static void JNICALL pause_ends(jvmtiEnv *jvmti)
{
	(void)jvmti;
	if (!enter())
		return;
	rounds__pause_ends();
	leave();
}

/* ---- By our own thread ---- */

/* For good; or nothing at all is taken from a program that has little address space. */
static bool reserve(void)
{
	static bool is_reserved;

	if (is_reserved)
		return true;
	is_reserved = samples__init() && stacks__init() && frames__init() && kinds__init();
	if (is_reserved)
		return true;
	samples__release();
	stacks__release();
	frames__release();
	kinds__release();
	return false;
}

static const char *get_capabilities(void)
{
	const jvmtiCapabilities usual = { .can_tag_objects = 1,
					  .can_get_line_numbers = 1,
					  .can_get_source_file_name = 1,
					  .can_generate_garbage_collection_events = 1 };
	/* Who cannot retransform is not told when others do (JvmtiClassFileLoadHookPoster). */
	const jvmtiCapabilities hook = { .can_generate_all_class_hook_events = 1,
					 .can_retransform_classes = 1 };
	const jvmtiCapabilities only_one = { .can_generate_sampled_object_alloc_events = 1 };

	if (VM_CALL(sampler.jvmti, AddCapabilities, &usual))
		return "this JVM does not tell its collections to agents";
	if (VM_CALL(sampler.jvmti, AddCapabilities, &only_one))
		return "another agent in this process has the JVM's only sampler of allocations";
	VM_CALL(sampler.jvmti, AddCapabilities, &hook); /* all but that can do without it */
	return NULL;
}

static bool set_event(jvmtiEventMode mode, jvmtiEvent event)
{
	return !VM_CALL(sampler.jvmti, SetEventNotificationMode, mode, event, NULL);
}

static bool set_interval(uint32_t bytes)
{
	if (VM_CALL(sampler.jvmti, SetHeapSamplingInterval, (jint)bytes))
		return false;
	sampler.interval = bytes;
	return true;
}

/*
 * Collections first: no sample is to be there when the first one is not looked at; and threads
 * before the interval by which theirs is drawn. Redefinitions may be denied.
 */
static bool enable(void)
{
	const jvmtiEventCallbacks callbacks = {
		.SampledObjectAlloc = allocated,
		.ThreadStart = thread_begins,
		.GarbageCollectionStart = pause_begins,
		.GarbageCollectionFinish = pause_ends,
		.ClassFileLoadHook = defined,
	};

	if (VM_CALL(sampler.jvmti, SetEventCallbacks, &callbacks, (jint)sizeof(callbacks)))
		return false;
	set_event(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
	return set_event(JVMTI_ENABLE, JVMTI_EVENT_THREAD_START) &&
	       set_interval(sampler.wanted) &&
	       set_event(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH) &&
	       set_event(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START) &&
	       set_event(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
}

static const char *begin(struct visit *visit)
{
	const char *why = get_capabilities();

	if (why)
		return why;
	if (!vmstructs__find(NULL) || !spaces__find())
		return "this JVM does not say where it counts its collections";
	if (!handles__find(visit))
		return "what this JVM's handles hold are not addresses as gctrace knows them";
	if (spaces__are_concurrent() && !beans__find(visit->jni))
		return "this JVM has no java.lang.management, which alone counts its collections";
	if (!reserve() || !rounds__begin(visit->jni))
		return "there is no memory for samples";
	distance__init();
	buffers__find(visit);
	sampler.is_on = true;
	return enable() ? NULL : "this JVM does not tell sampled allocations";
}

const char *sampler__start(struct visit *visit)
{
	const char *why;

	if (!vm__get_environment(&sampler.jvmti))
		return "the JVM ends, or has no memory";
	visit->jvmti = sampler.jvmti;
	sampler.lost = 0;
	sampler.taken = sampler.repeats = 0;
	for (unsigned i = 0; i < SEEDS; i++)
		sampler.seeds[i] = 0;
	why = begin(visit);
	if (why)
		sampler__stop(visit);
	return why;
}

/* Calls that are under way: at most until the end of a pause. */
static void wait_for_calls(void)
{
	const struct timespec some = { .tv_nsec = 1000000 };

	while (sampler.inside)
		nanosleep(&some, NULL);
}

static void delete_handles(JNIEnv *jni)
{
	const uint32_t used = samples__used();

	for (uint32_t place = 0; place < used; place++) {
		const uint64_t handle = samples__place(place)->handle;

		if (handle && handle != SAMPLES_UNHELD)
			VM_CALL(jni, DeleteWeakGlobalRef, (jweak)(uintptr_t)handle);
	}
}

void sampler__stop(struct visit *visit)
{
	set_event(JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
	set_interval(SAMPLER_INTERVAL); /* for threads that begin unheard */
	set_event(JVMTI_DISABLE, JVMTI_EVENT_THREAD_START);
	set_event(JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
	set_event(JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START);
	set_event(JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
	sampler.is_on = false;
	wait_for_calls();
	delete_handles(visit->jni);
	beans__let_go(visit->jni);
	VM_CALL(sampler.jvmti, DisposeEnvironment);
	sampler.jvmti = NULL;
	rounds__end();
	samples__empty();
	stacks__empty();
	frames__empty();
	kinds__empty();
}

bool sampler__is_on(void)
{
	return sampler.is_on;
}

jvmtiEnv *sampler__environment(void)
{
	return sampler.jvmti;
}

uint32_t sampler__lost(void)
{
	return atomic_exchange(&sampler.lost, 0);
}

void sampler__set_interval(uint32_t bytes)
{
	sampler.wanted = bytes;
}

void sampler__heed_interval(void)
{
	if (sampler.wanted != sampler.interval)
		set_interval(sampler.wanted);
}

uint32_t sampler__interval(void)
{
	return sampler.interval;
}

unsigned sampler__repeats(void)
{
	const uint64_t repeats = sampler.repeats, taken = sampler.taken;
	unsigned k = repeats ? 1 : 0;

	while (k && k < 15 && repeats << GCTRACE_SAMPLES_REPEATS_ONE > taken << k)
		k++;
	return k;
}
