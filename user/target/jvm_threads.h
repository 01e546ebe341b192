/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that a JVM knows, those that may run Java code: which kernel thread each is, in what
 * state, and the frame anchor, which a thread sets when it leaves Java code and clears when it
 * comes back. Source: share/runtime/{threadSMR,javaThread,javaFrameAnchor}.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_THREADS_H
#define GCTRACE_TARGET_JVM_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jvm_layout;
struct jvm_memory;
struct jvm_threads;

/* Where a walk begins: the frame that the thread left Java code from. sp 0: there is none. */
struct jvm_anchor {
	uint64_t sp, fp, pc;
};

enum jvm_state {
	JVM_STATE_OTHER, /* new, or on its way from one to another */
	JVM_STATE_NATIVE,
	JVM_STATE_VM,
	JVM_STATE_JAVA,
	JVM_STATE_BLOCKED,
};

struct jvm_thread {
	enum jvm_state state;
	struct jvm_anchor anchor;
	uint64_t stack_low, stack_high; /* low < high; high is where the stack begins */
};

/* What is handed in outlives the threads. NULL: no memory. */
struct jvm_threads *jvm_threads__new(struct jvm_memory *memory, const struct jvm_layout *layout);
void jvm_threads__free(struct jvm_threads *threads);

/*
 * Read the list anew. 0 or negative errno: -EINVAL, it makes no sense (in this instant: it is
 * replaced while the JVM runs), and the old list is kept; -ESRCH, -ENOMEM.
 */
int jvm_threads__refresh(struct jvm_threads *threads);
size_t jvm_threads__count(const struct jvm_threads *threads);

/*
 * Where the JVM has a thread (its JavaThread), by the number that the JVM's own pid namespace has
 * for it, as the list was. 0: the list does not have it.
 */
uint64_t jvm_threads__address(const struct jvm_threads *threads, pid_t inner_tid);

/* Foresee what the next function reads of a thread (remote.h). */
void jvm_threads__foresee(struct jvm_threads *threads, pid_t inner_tid);

/*
 * A thread as it is now, by the number that the JVM's own pid namespace has for it. 0; -ENOENT: the
 * list does not have it; -EINVAL: what is there makes no sense.
 */
int jvm_threads__look(struct jvm_threads *threads, pid_t inner_tid, struct jvm_thread *thread);

#endif
