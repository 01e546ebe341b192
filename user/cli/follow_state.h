/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a target's objects at one moment, put together for a view (view/follow.h). */
#ifndef GCTRACE_CLI_FOLLOW_STATE_H
#define GCTRACE_CLI_FOLLOW_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "../base/vec.h"
#include "../view/follow.h"

#define FOLLOW_LEAKS_SHOWN 5

struct follow_gathering {
	const char *type; /* glob; NULL: all */
	size_t top;	  /* 0: all */
	struct population population;
	VEC(struct follow_type) types;
	struct frequent_types others; /* those that are not wanted */
	struct leaks found;
	VEC(struct follow_leak) leaks;
};

/*
 * `state` points into the gathering and into what is known now, and is valid as long as both. Its
 * times and figures are the caller's to set. 0 or -ENOMEM.
 */
int follow_gathering__take(struct follow_gathering *gathering, const struct identity_view *now,
			   const struct leak_watch *watch, struct follow_state *state);
void follow_gathering__free(struct follow_gathering *gathering);

/* What is known to be alive. */
struct survival_sum follow__known(const struct identity_view *now);

#endif
