/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's classes: numbered and looked at by JVMTI, and told. Never in a pause. */
#ifndef GCTRACE_HOTSPOT_CLASSES_H
#define GCTRACE_HOTSPOT_CLASSES_H

#include <gctrace/probes.h>

#include "types.h"
#include "vm.h"

/*
 * All that are loaded now; they have handles from now on, which the walk is not to tell and which
 * go with the visit. False: the JVM has not told them.
 */
bool classes__learn(struct visit *visit);

/* Tells those that classes__learn() has learnt. */
void classes__tell(struct gctrace_writer *writer);

/* Behind the pause: learns and tells those that have come meanwhile. */
void classes__tell_late(struct visit *visit, struct gctrace_writer *writer);

/*
 * PLACES IN CLASS OBJECTS. Behind the fields that java.lang.Class itself has come these; a class
 * that may be unloaded has its statics there too, told as fields of java.lang.Class under their
 * whole names. Those of the others are roots.
 */
enum class_place {
	CLASS_PLACE_SUPER,
	CLASS_PLACE_LOADER,
	CLASS_PLACE_SIGNERS,
	CLASS_PLACE_DOMAIN,
	CLASS_PLACE_INTERFACE,
	CLASS_PLACE_CONSTANT,
	CLASS_PLACE_OTHER,
	CLASS_PLACES
};
#define CLASS_STATIC_SHIFT 20

static inline uint64_t classes__place(enum class_place place)
{
	return types__at(types.classes)->references + (uint64_t)place;
}

/* index: the JVM's own of the field. */
static inline uint64_t classes__static_place(uint64_t number, uint32_t index)
{
	return number << CLASS_STATIC_SHIFT | index;
}

#endif
