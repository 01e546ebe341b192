/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of classes and methods, whole, in UTF-8, made of what the runtime's metadata says:
 *
 *	System.Collections.Generic.Dictionary<System.String, My.App.Node>+Entry[]
 *	My.App.Program.Main
 *
 * with the namespace, the classes around a nested one (+), generic arguments where they belong,
 * and the dimensions of arrays, the innermost first.
 *
 * Legal in a stopped world once modules__open() has been: nothing is allocated. One thread at a
 * time.
 */
#ifndef GCTRACE_DOTNET_NAMES_H
#define GCTRACE_DOTNET_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* What stands until the next call. */
struct name {
	const char *at;
	size_t bytes; /* 0: it is not known */
};

struct name names__class(uintptr_t class_);

/* With its class in front. */
struct name names__method(uintptr_t function);

/* The module that a class is of. */
struct name names__module(uintptr_t class_);

#endif
