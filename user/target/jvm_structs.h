/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a HotSpot JVM exports about its own data: where each field is in its type, how large types
 * are, where static fields and what constants are. The tables are for debuggers (the
 * serviceability agent); they are of the very build that runs, so that no layout has to be known
 * beforehand. Source: share/runtime/vmStructs.{hpp,cpp}.
 *
 * What the tables say is the target's word: an offset is believed only as far as what is found by
 * it makes sense.
 */
#ifndef GCTRACE_TARGET_JVM_STRUCTS_H
#define GCTRACE_TARGET_JVM_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct jvm_memory;
struct jvm_structs;
struct maps;
struct process;

/* The variables by which the tables are found: those of one table follow each other. */
enum jvm_export {
	JVM_FIELDS,
	JVM_FIELD_STRIDE,
	JVM_FIELD_TYPE,
	JVM_FIELD_NAME,
	JVM_FIELD_IS_STATIC,
	JVM_FIELD_OFFSET,
	JVM_FIELD_ADDRESS,
	JVM_TYPES,
	JVM_TYPE_STRIDE,
	JVM_TYPE_NAME,
	JVM_TYPE_SIZE,
	JVM_INTS,
	JVM_INT_STRIDE,
	JVM_INT_NAME,
	JVM_INT_VALUE,
	JVM_LONGS,
	JVM_LONG_STRIDE,
	JVM_LONG_NAME,
	JVM_LONG_VALUE,
	JVM_EXPORTS
};

/* As libjvm.so calls them. */
extern const char *const jvm_export__names[JVM_EXPORTS];

/*
 * Where a process that has libjvm.so mapped has these variables. 0; -ESRCH; -ENOMEM; or -ENOTSUP:
 * why (may be NULL) gets the reason as a sentence's end.
 */
int jvm_structs__find_exports(const struct process *process, const struct maps *maps,
			      uint64_t exports[JVM_EXPORTS], struct buf *why);

/*
 * Read all tables; exports: the addresses of the variables. 0, -ENOMEM, or -EINVAL: they make no
 * sense, and why (may be NULL) gets the reason as a sentence's end.
 */
int jvm_structs__read(struct jvm_memory *memory, const uint64_t exports[JVM_EXPORTS],
		      struct jvm_structs **out, struct buf *why);
void jvm_structs__free(struct jvm_structs *structs);

/* By name, "Method::_constMethod": the offset in its type. False: there is none. */
bool jvm_structs__offset(const struct jvm_structs *structs, const char *name, uint64_t *offset);
/* The same of a static field: its address. */
bool jvm_structs__address(const struct jvm_structs *structs, const char *name, uint64_t *address);
/* The size of a type. */
bool jvm_structs__size(const struct jvm_structs *structs, const char *name, uint64_t *size);
/* A constant; negative ones are as they are in 64 bits. */
bool jvm_structs__constant(const struct jvm_structs *structs, const char *name, uint64_t *value);

/* How many entries there are, of all tables. */
size_t jvm_structs__count(const struct jvm_structs *structs);

#endif
