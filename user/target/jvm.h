/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads and code of a HotSpot JVM, from outside, as a walker has them: see walker.h.
 *
 *	libjvm.so's exported tables (jvm_structs)
 *	  └ what is used of them, by name (jvm_layout)
 *	      ├ which thread is which, and its anchor (jvm_threads)
 *	      ├ what an address in generated code belongs to (jvm_code)
 *	      ├ which scopes (jvm_scopes) and methods (jvm_methods) it has
 *	      ├ the walk (jvm_frames)
 *	      └ objects of the heap: names of threads (jvm_objects, jvm_fields, jvm_flags)
 */
#ifndef GCTRACE_TARGET_JVM_H
#define GCTRACE_TARGET_JVM_H

#include <stdint.h>
#include <sys/types.h>

#include "../base/buf.h"
#include "jvm_structs.h"

struct caught_thread;
struct jvm;
struct remote;
struct walk;
struct walk_pause;

/*
 * remote outlives it; exports: the addresses of the variables. 0, -ENOMEM, or -ENOTSUP: why gets
 * what is missing or makes no sense, as a sentence's end.
 */
int jvm__open(struct remote *remote, const uint64_t exports[JVM_EXPORTS], struct jvm **out,
	      struct buf *why);
void jvm__close(struct jvm *jvm);

/* These as struct walker has them. */
int jvm__refresh(struct jvm *jvm);
int jvm__pause(struct jvm *jvm, struct walk_pause *pause);
void jvm__foresee(struct jvm *jvm, pid_t inner_tid);
int jvm__walk(struct jvm *jvm, const struct caught_thread *caught, struct walk *walk);
int jvm__name(const struct jvm *jvm, uint64_t method, struct buf *name);
int jvm__thread_name(struct jvm *jvm, pid_t inner_tid, struct buf *name);

#endif
