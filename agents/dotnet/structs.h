/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of structs that stand in objects and in elements of arrays: "StateMachine.held",
 * "[3].value.Key". What the struct is, a field's signature says (signature.h), which is looked at
 * when the program runs again. Structs in structs are followed too.
 *
 * Not known are structs of classes that may be unloaded until then, or whose parameters may, and
 * those of which the signature does not say what they are: of them the field around them alone has
 * a name, and how many bytes behind its beginning a reference is.
 */
#ifndef GCTRACE_DOTNET_STRUCTS_H
#define GCTRACE_DOTNET_STRUCTS_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "layout.h"

/* Once, outside of a pause. False: no address space. */
bool structs__init(void);

/*
 * In the pause: a field of a class that is told, of an array: of its elements (types.h says how
 * their fields are counted). Nothing where it is no struct.
 */
void structs__note(uint64_t class_, bool of_element, const struct layout_field *field);

/*
 * Tells the fields of all that were noted; after the pause, on the thread that forced the
 * collection (dump.h).
 */
void structs__tell(struct gctrace_writer *writer);

void structs__empty(void);

#endif
