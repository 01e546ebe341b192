/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one object of a target whose steps are shown: where it is, and what becomes of it.
 *
 * Identity tells who survives and who leaves while it works, at addresses of before; where an
 * object lies then is looked up afterwards. One that stayed is where it was; one that moved is
 * searched for among all.
 */
#ifndef GCTRACE_CLI_FOLLOW_HISTORY_H
#define GCTRACE_CLI_FOLLOW_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../view/follow.h"

struct follow_history {
	/* What is looked for: an id, or (id 0) what lies at an address after a collection. */
	uint64_t id, address, at;
	bool found;
	bool ended;	/* it has left; `last` tells how */
	bool told;	/* and that was shown */
	bool met;	/* `at` has been reached */
	/* Since the last step that was shown. */
	bool survived, moved, promoted;
	struct follow_object last;
	uint32_t index;	 /* of its type, in types.h */
	struct buf type; /* its name, for when its types are gone */
};

void follow_history__free(struct follow_history *history);

/* From the sink of the identity. */
void follow_history__survived(struct follow_history *history, const struct survivors *survivors);
void follow_history__left(struct follow_history *history, const struct object *object,
			  uint64_t address, enum object_fate fate);

/*
 * Look at it now: after a collection (gc: its number), or a dump (gc: the collection before it).
 * True: there is a step to be shown, in history->last. *err: -ENOMEM.
 */
bool follow_history__step(struct follow_history *history, struct identity_view *now, uint64_t gc,
			  int *err);

#endif
