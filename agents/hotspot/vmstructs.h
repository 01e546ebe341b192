/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What HotSpot says of itself: where the fields of its structures stand, its constants and flags.
 * libjvm exports it as tables for debuggers (vmStructs.cpp, gHotSpotVMStructs and others), which
 * are read in the process that they describe. How an entry is laid out is exported beside them.
 *
 * The tables are the JVM's, and are no interface that is promised to anybody: an entry that is not
 * there is an answer, to be asked for before it is relied on.
 */
#ifndef GCTRACE_HOTSPOT_VMSTRUCTS_H
#define GCTRACE_HOTSPOT_VMSTRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Address of what libjvm exports by this name; NULL: nothing. */
typedef void *vmstructs_symbol(const char *name);

/*
 * Finds the tables. Outside of a pause. False: they are not exported, or make no sense. find: NULL:
 * in this process's libjvm.
 */
bool vmstructs__find(vmstructs_symbol *find);

/* A field of an object, from its start. False: this JVM has none of that name. */
bool vmstructs__offset(const char *type, const char *field, size_t *offset);

/* A field of no object; NULL: there is none. */
void *vmstructs__static(const char *type, const char *field);

bool vmstructs__constant(const char *name, int *value);

/* A flag of the command line (-XX:); `otherwise` where this JVM has none of that name. */
bool vmstructs__flag(const char *name, bool otherwise);
/* One that is an int, or wider: of that the lower half. */
int vmstructs__number(const char *name, int otherwise);

#endif
