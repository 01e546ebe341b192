/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the program stand still for a collection when it has been attached to? No probe reports what
 * has begun before. A JVM says so: by its counters, which are read when all its probes are
 * attached, or where it has none by a flag of its heap, which its exported tables lead to. Since
 * when is in the counters, else found by libjvm.so's symbols, if it has any.
 */
#ifndef ATTACH_IN_PROGRESS_H
#define ATTACH_IN_PROGRESS_H

#include "attach/target.h"

struct maps;

/*
 * Sets target->attached_ns, from when on its trace is whole, to when this looked, and stop_what,
 * stop_since_ns and stop_not_visible. 0, or -ENOMEM after an error message.
 */
int in_progress__look(struct target *target, const struct maps *maps);

#endif
