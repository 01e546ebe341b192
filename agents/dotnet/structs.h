/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of structs that stand in objects: "StateMachine.held". What the struct is, a field's
 * signature says by a token, whose class is asked for when the program runs again: it is loaded,
 * for the class that it stands in is. Structs in structs are followed too.
 *
 * Not known are those of other modules, of modules that may be unloaded, and generic ones: of them
 * the field in the object alone has a name.
 */
#ifndef GCTRACE_DOTNET_STRUCTS_H
#define GCTRACE_DOTNET_STRUCTS_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "layout.h"

/* Once, outside of a pause. False: no address space. */
bool structs__init(void);

/* In the pause: a field of a class that is told. Nothing where it is no struct. */
void structs__note(uint64_t class_, const struct layout_field *field);

/* Tells the fields of all that were noted; after the pause, on a thread not of the runtime's. */
void structs__tell(struct gctrace_writer *writer);

void structs__empty(void);

#endif
