/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What class objects refer to by their own fields: names, caches of reflection, ClassValues. The
 * JVM's walk tells statics, but not these (Java 17 to 25); so what only they hold would be missing.
 *
 * Before the pause each gets a handle of the dump's thread. The walk then comes to it by that
 * handle, which is told to nobody. Where the object is the handle says, but only in the pause: it
 * may move as soon as that is over. Its tag, which it gets in the walk, can be asked for only then.
 */
#ifndef GCTRACE_HOTSPOT_HELD_H
#define GCTRACE_HOTSPOT_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"
#include "vm.h"

/* Once, outside of a pause. False: no address space. */
bool held__init(void);
/* The handles go with the visit. */
void held__empty(void);

/* The fields of java.lang.Class are known: takes handles of what one class object refers to. */
void held__take(struct visit *visit, jclass class_, struct type *mirrored);

struct held {
	jobject handle;
	uint64_t id;	   /* 0: not known, or it has none */
	uint32_t position; /* among the reference fields of java.lang.Class */
};

/* What all are named by: in the pause by addresses, behind it by tags. */
void held__note_addresses(void);
void held__note_tags(struct visit *visit);

/* Those of a class object; how many. */
uint32_t held__of(const struct type *mirrored, const struct held **first);

#endif
