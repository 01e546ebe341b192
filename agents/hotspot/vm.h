/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM that the library is in, and being a thread of it.
 *
 * A thread may call the JVM only while it is attached, and to be attached when the JVM ends delays
 * that; so the agent's threads are attached for as long as a dump takes. The one that samples stays
 * attached while it is wanted: HotSpot's sampler of allocations has one random state, which the
 * constructor of each thread seeds again, so that attaching four times a second had all threads
 * draw the same numbers again and again. It leaves when the JVM says that it will end.
 */
#ifndef GCTRACE_HOTSPOT_VM_H
#define GCTRACE_HOTSPOT_VM_H

#include <jvmti.h>
#include <stdbool.h>

#define VM_CALL(env, function, ...) ((*(env))->function((env), ##__VA_ARGS__))

/* A thread of the JVM with an environment of its own, in which objects can be tagged. */
struct visit {
	JNIEnv *jni;
	jvmtiEnv *jvmti;
	bool was_attached; /* by us */
	unsigned frames;   /* of local handles */
};

/*
 * Once, when the library is loaded. JNI_OK; JNI_EDETACHED: the JVM is between loading its first
 * agents and its live phase, and takes none in between; else: it has no JVMTI of Java 11.
 */
jint vm__init(JavaVM *vm);
/* Undoes that: the JVM tells nothing any more. */
void vm__end(void);

/* Java 17: 17; 0: not known. */
int vm__version(void);

/* It is initialised, and has not begun to end. Any thread. */
bool vm__is_live(void);
void vm__set_live(bool is_live);

/* What is called when the JVM is initialised, on a thread of it. */
void vm__on_init(void (*call)(void));

/*
 * Call it as a thread of the JVM, with `jni` and no more: for who has an environment that lasts.
 * False: the JVM ends, it was not called. What was thrown meanwhile is forgotten in the end.
 */
bool vm__visit(void (*call)(struct visit *visit));

/* The same, and the thread stays attached until vm__depart() on it. */
bool vm__stay(void (*call)(struct visit *visit));
void vm__depart(void);

/* What is called, on a thread of the JVM, when it will end: calls of the JVM are still answered. */
void vm__on_death(void (*call)(void));

/* An environment of JVMTI without any capability, to be disposed of. False: no memory. */
bool vm__get_environment(jvmtiEnv **jvmti);

/* False: the JVM ends, or has no memory. */
bool vm__enter(struct visit *visit);
/* Disposes of the environment, and with it of all tags. */
void vm__leave(struct visit *visit);

/* Room for VM_LOCALS more local handles, as much as the JVM gives at once. False: no memory. */
bool vm__get_locals(struct visit *visit);
#define VM_LOCALS 60000

/* A text of the JVM's own ("java.vm.version"), to be freed by vm__free(); NULL: none. */
char *vm__property(const char *name);
/* What a JVMTI function has allocated; NULL is legal. */
void vm__free(jvmtiEnv *jvmti, void *memory);

#endif
