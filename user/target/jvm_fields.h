/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a field is in the objects of a Java class, by its name and signature. Until 20 a class has
 * a table of its fields, since 21 a stream of numbers. Source: share/oops/{instanceKlass,
 * fieldInfo}.hpp, share/utilities/unsigned5.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_FIELDS_H
#define GCTRACE_TARGET_JVM_FIELDS_H

#include <stdint.h>

struct jvm_layout;
struct jvm_memory;

#define JVM_FIELD_MOST 65536 /* an object's first bytes, where a field that is used has to be */

/*
 * klass: the class that declares it. 0; -ENOENT: it declares no such field, or its tables make no
 * sense, and *offset stays as it is.
 */
int jvm_fields__find(struct jvm_memory *memory, const struct jvm_layout *layout, uint64_t klass,
		     const char *name, const char *signature, uint32_t *offset);

#endif
