/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What code that a runtime made is called, from its perf map: methods by a number that is the same
 * whatever a method's code is and how often it was compiled; and which of it belongs to none.
 */
#ifndef GCTRACE_TARGET_CODE_NAMES_H
#define GCTRACE_TARGET_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct code_names;
struct process;

/* How the lines of a runtime's perf map are to be read. */
enum code_style {
	/* "int32 [App] Program::Main()[OptimizedTier1]", "stub Kind<Of>" */
	CODE_DOTNET,
	/* "JS:*name /app/main.js:1:2": ~ interpreted, ^ + * compiled; "Builtin:ArrayMap", ... */
	CODE_NODE,
};

/* The part of a line's name that names the method; false: it is no method but a stub. */
bool code_style__method(enum code_style style, const char *name, const char **method, size_t *len);

/*
 * As perf_map__open(). Whatever its error is, but -ENOMEM, *out can be used: there is no map yet,
 * and a later refresh may find one.
 */
int code_names__open(const struct process *process, const char *directory, enum code_style style,
		     struct code_names **out, struct buf *why);
void code_names__free(struct code_names *names);

/*
 * As perf_map__open() and perf_map__refresh(). What was known stays. That the map was cut is told
 * in a warning, once.
 */
int code_names__refresh(struct code_names *names);

struct code_name {
	bool is_stub;
	bool is_doubtful; /* the map was cut: what came behind may be there now */
	uint64_t number; /* of the method, or of the stub's own name; never 0 */
};

/* What is at an address: 1: this; 0: not known; -ENOMEM. */
int code_names__find(struct code_names *names, uint64_t address, struct code_name *code);

/* The text of a number, unescaped; NULL: there is no such. */
const char *code_names__text(const struct code_names *names, uint64_t number);

#endif
