/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's walk over its heap, which stops the program, told as it comes. */
#ifndef GCTRACE_HOTSPOT_WALK_H
#define GCTRACE_HOTSPOT_WALK_H

#include <gctrace/probes.h>

#include <stdbool.h>

#include "agents/common/totals.h"
#include "vm.h"

/*
 * From the roots. False: it did not come to its end, because the dump is over (pace__may_go_on) or
 * because something was not as expected (fault.h).
 */
bool walk__follow(struct visit *visit, struct gctrace_writer *writer, struct totals *totals);

/* All that lies on the heap, reached or not, without what it refers to. The same. */
bool walk__list(struct visit *visit, struct gctrace_writer *writer, struct totals *totals);

#endif
