/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which sites of a target are to be attached, and by what: its modules' notes, the table of probes
 * (probe.h) and the levels wanted, taken together.
 */
#ifndef ATTACH_SITES_H
#define ATTACH_SITES_H

#include <stddef.h>

struct attacher;
struct maps;
struct target;

/*
 * Attach what is wanted and not attached yet, and what could not be attached before: those links
 * are taken off the target's list, to be tried again. Sites whose arguments cannot be read are
 * warned of and left out.
 *
 * Files are open for that only, and not all at once: a process can map more of them than we may
 * have open. What has no descriptor left gets a link with that error, like all others that fail.
 *
 * *tried counts the sites. 0, or negative errno after an error message (-ESRCH: without one).
 */
int sites__attach(struct target *target, const struct attacher *attacher, const struct maps *maps,
		  size_t *tried);

#endif
