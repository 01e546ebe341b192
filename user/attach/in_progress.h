/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the program stand still for a collection when it has been attached to? No probe reports what
 * has begun before. A JVM's counters say so: they are read when all its probes are attached.
 */
#ifndef ATTACH_IN_PROGRESS_H
#define ATTACH_IN_PROGRESS_H

#include "attach/target.h"

/* Sets target->stop_what and stop_since_ns. The trace of the target begins when this returns. */
void in_progress__look(struct target *target);

#endif
