/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Was the program standing still for a collection when it was attached to? No probe reports what
 * has begun before. A JVM's counters say so: they are read before its probes are attached, and
 * again when all are; what is in progress at both, and is the same, has been all the time between.
 */
#ifndef ATTACH_IN_PROGRESS_H
#define ATTACH_IN_PROGRESS_H

#include "attach/target.h"

/* Before its probes are attached for the first time, and when they are. */
void in_progress__before(struct target *target);
void in_progress__after(struct target *target);

#endif
