/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By what sampled allocations are looked at: spots (sites.h) put together by their stack, merged at
 * some depth (stacks.h), or by their type. A group keeps its number as long as the groups live,
 * so that others can keep figures of it.
 */
#ifndef MODEL_SITE_GROUPS_H
#define MODEL_SITE_GROUPS_H

#include <stdint.h>

#include "base/vec.h"
#include "sites.h"

enum sites_by { SITES_BY_SITE, SITES_BY_TYPE, SITES_BY_OBJECT };

#define GROUP_NONE UINT32_MAX

struct site_groups {
	/* The caller's, fixed from the first update on. */
	enum sites_by by; /* objects stand in the groups of their whole stacks */
	uint32_t depth;	  /* frames that a site has; 0: all of its stack */
	const char *type; /* glob: only spots of such types are in any group; NULL: all are */

	VEC(uint32_t) of_spot; /* group, by spot; GROUP_NONE */
	VEC(uint32_t) of_key;  /* group + 1, by node or type; 0: it has none yet */
	VEC(uint32_t) keys;    /* node or type, by group */
};

/* From now on groups->of_spot has all spots that there are. 0 or -ENOMEM. */
int site_groups__update(struct site_groups *groups, const struct sites *sites);

void site_groups__free(struct site_groups *groups);

#endif
