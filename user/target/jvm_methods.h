/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Java methods by the address of the JVM's Method: a number for each, its name, and where its
 * bytecodes are. An address is believed to be a Method's only if all that hangs on it fits: its
 * ConstMethod, its constant pool, in which name and signature are texts, a signature that looks
 * like one, and the class that the pool belongs to. Source: share/oops/{method,constMethod,
 * constantPool,symbol}.hpp.
 *
 * A number stands for one method for good: when other data is found at an address (classes are
 * unloaded, and their memory is used again), it gets a new one.
 */
#ifndef GCTRACE_TARGET_JVM_METHODS_H
#define GCTRACE_TARGET_JVM_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"

struct jvm_layout;
struct jvm_memory;
struct jvm_methods;

struct jvm_method {
	uint64_t number;	  /* never 0 */
	uint64_t code, code_size; /* its bytecodes; size 0: it has none */
	bool is_native;
	bool is_loader;		  /* loads classes: java.lang.ClassLoader.loadClass and its like */
};

/* What is handed in outlives the methods. NULL: no memory. */
struct jvm_methods *jvm_methods__new(struct jvm_memory *memory, const struct jvm_layout *layout);
void jvm_methods__free(struct jvm_methods *methods);

/* A new sweep: what is known is looked at again before it is believed. */
void jvm_methods__forget(struct jvm_methods *methods);

/* 0; -ENOENT: there is no method at this address; -ENOMEM. */
int jvm_methods__find(struct jvm_methods *methods, uint64_t address, struct jvm_method *method);

/* A number for a text that is no method's, the name of a stub. 0: no memory. */
uint64_t jvm_methods__number(struct jvm_methods *methods, const char *text);

/*
 * "java.util.HashMap.get(Ljava/lang/Object;)Ljava/lang/Object;", as the JVM writes it but for the
 * class, which has dots. Appended, unescaped. 0 or -ENOENT.
 */
int jvm_methods__name(const struct jvm_methods *methods, uint64_t number, struct buf *name);

#endif
