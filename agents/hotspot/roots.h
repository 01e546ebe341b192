/* SPDX-License-Identifier: BSD-2-Clause */
/* The roots of a dump. */
#ifndef GCTRACE_HOTSPOT_ROOTS_H
#define GCTRACE_HOTSPOT_ROOTS_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/totals.h"
#include "vm.h"

/* enum gctrace_root_kind: our own. */
enum root_kind {
	ROOT_KIND_JNI_GLOBAL = GCTRACE_ROOT_OWN,
	ROOT_KIND_JNI_LOCAL,
	ROOT_KIND_SYSTEM_CLASS,
	ROOT_KIND_LASTING_CLASS
};

/* Once, outside of a pause. False: no address space. */
bool roots__init(void);
void roots__empty(void);

/* A dump begins: the names of our own kinds. */
void roots__begin(struct gctrace_writer *writer);

/* The handles of this thread are the dump's own, and are not told. */
void roots__leave_out(jlong thread_tag);

/* The handle by which we keep a class: neither a root nor a way to it. number: the object's tag. */
bool roots__is_ours(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		    uint64_t number);

/*
 * One that the JVM tells. flags: enum gctrace_reference_flags. tag: of the object; a thread that
 * has none gets one.
 */
void roots__tell(struct gctrace_writer *writer, jvmtiHeapReferenceKind kind,
		 const jvmtiHeapReferenceInfo *info, uint64_t object, uint32_t flags, jlong *tag,
		 struct totals *totals);

/* index: the JVM's own of the field. */
void roots__static(struct gctrace_writer *writer, uint64_t class_, uint32_t index, uint64_t object,
		   uint32_t flags, struct totals *totals);

/* The class object of a class that is never unloaded. */
void roots__class(struct gctrace_writer *writer, uint64_t object, struct totals *totals);

/* Nothing of the stacks is to come: a thread without frames is told. */
void roots__settle(struct gctrace_writer *writer);

/* Behind the pause: the names of the methods whose frames were told. */
void roots__tell_methods(struct visit *visit, struct gctrace_writer *writer);

#endif
