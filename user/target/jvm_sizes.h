/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How large the objects of a HotSpot JVM are, as it says itself: its switches say how heads,
 * references and alignment are, and each class how large its instances are, with what is hidden in
 * them. Its dumps (hprof) have nothing of that. Classes lie outside of the heap, where no
 * collection moves them. Source: share/oops/klass.hpp, share/classfile/classLoaderData.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_SIZES_H
#define GCTRACE_TARGET_JVM_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct jvm_sizes;
struct maps;
struct process;

struct jvm_object_layout {
	uint32_t head, array, reference; /* bytes; of an array with its length */
	uint32_t alignment;
};

/*
 * feature: the release, 25, or 0. NULL with the reason in why, a sentence's end: not this build, or
 * its memory cannot be read.
 */
struct jvm_sizes *jvm_sizes__open(const struct process *process, const struct maps *maps,
				  unsigned int feature, struct buf *why);
void jvm_sizes__close(struct jvm_sizes *sizes); /* NULL is legal */

const struct jvm_object_layout *jvm_sizes__layout(const struct jvm_sizes *sizes);

/*
 * Bytes of an instance of the class of this name, with slashes; 0: there is none, or there are
 * several, of different sizes. The classes are read at the first call: those of that moment.
 */
uint64_t jvm_sizes__of(struct jvm_sizes *sizes, const char *name, size_t bytes);

#endif
