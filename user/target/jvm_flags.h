/* SPDX-License-Identifier: BSD-2-Clause */
/* A JVM's switches (-XX:+Name), as they are set. Source: share/runtime/flags/jvmFlag.hpp. */
#ifndef GCTRACE_TARGET_JVM_FLAGS_H
#define GCTRACE_TARGET_JVM_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvm_layout;
struct jvm_memory;

/* The value of -XX:Name=, of so many bytes (8 at most). False: this JVM has no such switch. */
bool jvm_flags__number(struct jvm_memory *memory, const struct jvm_layout *layout,
		       const char *name, size_t bytes, uint64_t *number);

/* otherwise: what it is where this JVM has no such switch. */
bool jvm_flags__is_set(struct jvm_memory *memory, const struct jvm_layout *layout,
		       const char *name, bool otherwise);

#endif
