/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which sites of a target are to be attached, and by what: its modules' notes, the table of probes
 * (probe.h) and the levels wanted, taken together.
 */
#ifndef ATTACH_SITES_H
#define ATTACH_SITES_H

#include "attach/link.h"
#include "base/vec.h"

struct attacher;
struct target;

struct sites VEC_OF(struct link_site);

#define SITES_INIT { NULL, 0, 0 }

/*
 * What is wanted and not attached yet, put at the end of sites; links that failed are taken off the
 * target's list for that, to be tried again. Sites whose arguments cannot be
 * read are warned of and left out. Paths are those of the target's modules. 0, or negative errno
 * after an error message.
 */
int sites__collect(struct sites *sites, struct target *target, const struct attacher *attacher);

#endif
