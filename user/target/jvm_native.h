/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a Java thread does that is outside of generated code. It may be in native code that Java
 * called, or in the JVM, which may be called from there as well, and calls libraries itself: to
 * load a class it reads it by libzip, and copies it by libc. Which of the two, its state tells; but
 * that is the state when it is read, and the thread may have run since. What its stack tells are
 * the return addresses into libjvm.so between its sp and where it left Java code:
 *
 *	state      return addresses      it is in
 *	native     none                  native code, for certain
 *	native     some                  native code, if it stood still
 *	another    of what loads         LOADER, a guess
 *	another                          NATIVE, a guess
 *
 * Addresses that calls have left there, and that nothing has written over, are found as well.
 */
#ifndef GCTRACE_TARGET_JVM_NATIVE_H
#define GCTRACE_TARGET_JVM_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

struct caught_thread;
struct maps;
struct remote;
struct symbols;
struct walk;

struct jvm_native {
	struct symbols *symbols; /* these two are the caller's */
	struct remote *memory;
	uint64_t start, end; /* of libjvm.so's code */
};

/* Where libjvm.so is by these mappings, which are those of symbols. */
void jvm_native__use(struct jvm_native *native, const struct maps *maps);

/*
 * Of a walk from where the thread left Java code that said no more than NATIVE, a guess unless its
 * state is native: what it is.
 */
void jvm_native__place(const struct jvm_native *native, const struct caught_thread *thread,
		       struct walk *walk);

/* A function of libjvm's that loads or links classes, by a part of its linker name. */
bool jvm_native__loads(const char *function);

#endif
