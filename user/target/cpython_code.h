/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPython's code objects: which function an interpreter's frame runs. An object counts as one only
 * if its type is the interpreter's own type of code objects, and what is said of it fits.
 */
#ifndef GCTRACE_TARGET_CPYTHON_CODE_H
#define GCTRACE_TARGET_CPYTHON_CODE_H

#include <stdint.h>

#include "cpython_layout.h"

struct cpython_codes;
struct remote;

struct cpython_code {
	uint64_t number;      /* of its name; 0: it has none that makes sense */
	uint64_t start, size; /* of its bytecode, in the target's memory */
};

/* type: the address of PyCode_Type. NULL: no memory. */
struct cpython_codes *cpython_codes__new(const struct cpython_layout *layout, uint64_t type,
					 struct remote *memory);
void cpython_codes__free(struct cpython_codes *codes);

/*
 * 0; -ENOENT: there is no code object at the address; -ENOMEM; -ESRCH. The name is read when a code
 * object is first seen, and again when it is another one.
 */
int cpython_codes__find(struct cpython_codes *codes, uint64_t address, struct cpython_code *code);

/* "Class.method (/app/main.py:12)": by its qualified name and where it begins; NULL: none. */
const char *cpython_codes__name(const struct cpython_codes *codes, uint64_t number);

#endif
