/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of C++ functions out of what the linker calls them (Itanium C++ ABI): namespaces,
 * classes and the function, without parameters and template arguments. "_ZN5State3DFAEiPK4Node" is
 * "State::DFA". What is anything else, or has parts that this does not know, stays as it is.
 */
#ifndef GCTRACE_TARGET_DEMANGLE_H
#define GCTRACE_TARGET_DEMANGLE_H

struct buf;

/* Appends; a symbol's version ("@GLIBC_2.2.5") is left out. The name may hold any bytes. */
void demangle__add(struct buf *out, const char *name);

#endif
