/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A JVM's memory by pages: its tables are a few pages that every thread's walk reads again, so each
 * page is read once a sweep. Within a sweep a page is as it was when it was first read; what must
 * be fresh (a thread's state, its stack) goes by remote.h.
 *
 * Nothing that is read is to be trusted: addresses may be any, and fail when nothing is there.
 */
#ifndef GCTRACE_TARGET_JVM_MEMORY_H
#define GCTRACE_TARGET_JVM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvm_memory;
struct remote;

/* remote is the caller's, and outlives it. NULL: no memory. */
struct jvm_memory *jvm_memory__new(struct remote *remote);
void jvm_memory__free(struct jvm_memory *memory);

struct remote *jvm_memory__remote(const struct jvm_memory *memory);

/* A new sweep: no page is known any more. */
void jvm_memory__forget(struct jvm_memory *memory);

/* False: not all of it could be read; to is then unspecified. */
bool jvm_memory__read(struct jvm_memory *memory, uint64_t address, void *to, size_t size);

/* Single values; false leaves *value as it was. */
bool jvm_memory__u8(struct jvm_memory *memory, uint64_t address, uint8_t *value);
bool jvm_memory__u16(struct jvm_memory *memory, uint64_t address, uint16_t *value);
bool jvm_memory__u32(struct jvm_memory *memory, uint64_t address, uint32_t *value);
bool jvm_memory__u64(struct jvm_memory *memory, uint64_t address, uint64_t *value);

/*
 * A text with its closing 0 into to. Its length, or -1: it cannot be read, or does not end within
 * size.
 */
int jvm_memory__text(struct jvm_memory *memory, uint64_t address, char *to, size_t size);

#endif
