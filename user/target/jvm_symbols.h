/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM's texts: Symbols, and those that a constant pool has. Source: share/oops/{symbol,
 * constantPool}.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_SYMBOLS_H
#define GCTRACE_TARGET_JVM_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_layout;
struct jvm_memory;

/* The address of the text that a constant pool has under an index. False: it has none there. */
bool jvm_symbols__in_pool(struct jvm_memory *memory, const struct jvm_layout *layout,
			  uint64_t pool, uint32_t index, uint64_t *symbol);

/* It is this very text. */
bool jvm_symbols__is(struct jvm_memory *memory, const struct jvm_layout *layout, uint64_t symbol,
		     const char *text);

#endif
