/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods that a place in compiled code belongs to: the compiler copies small methods into
 * their callers, and writes down, for the places where a thread may be stopped, which method's
 * bytecode this is, which called it, and so on outwards. Source: share/code/{pcDesc,scopeDesc,
 * debugInfo}.{hpp,cpp}, share/utilities/unsigned5.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_SCOPES_H
#define GCTRACE_TARGET_JVM_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvm_blob;
struct jvm_layout;
struct jvm_memory;

struct jvm_scope {
	uint64_t method; /* Method* */
	int32_t bci;	 /* negative: before the first bytecode, or not known */
};

/* Compilers do not inline as deep. */
#define JVM_SCOPES_MOST 64

struct jvm_scopes {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
};

/*
 * Innermost first; the last is the compiled method itself, which is checked. How many; 0: this
 * place is not described, or not so that it makes sense. nearest: the first described place at or
 * behind pc will do, which is a guess; else pc itself must be one, as every return address is.
 */
size_t jvm_scopes__at(const struct jvm_scopes *scopes, const struct jvm_blob *blob, uint64_t pc,
		      bool nearest, struct jvm_scope out[JVM_SCOPES_MOST]);

#endif
