/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why HotSpot collects, which none of its probes tells. There are two ways to know (what the
 * programs make of them: bpf/hotspot.bpf.c):
 *
 *   its counters      the text of sun.gc.cause lies in the JVM's memory at a place that stays the
 *                     same; the programs read it there, in the pause
 *   a return probe    where there are no such counters, or not yet: on the function that turns
 *                     a cause into text, if libjvm.so has its symbols; and only in a process
 *                     without a seccomp filter, because some kernels (6.11) kill a filtered process
 *                     at the system call by which a return probe comes back
 *
 * Without either, causes are not known.
 */
#ifndef ATTACH_CAUSE_H
#define ATTACH_CAUSE_H

#include <stdbool.h>

#include "attach/target.h"

struct maps;

/*
 * Look for the counters, if this is a JVM, and tell the programs of this target where the text is;
 * that it is nowhere, otherwise.
 */
int cause__look(struct target *target, const struct attacher *attacher);

/*
 * Is a return probe wanted in this module? It is opened to find out. Then site->offset, program and
 * at_return are filled in. 1, 0, or negative errno after an error message.
 */
int cause__function(const struct target *target, const struct attacher *attacher,
		    struct module *module, const struct maps *maps, struct link_site *site);

#endif
