/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ranges that a collection has reported and that do not hold yet, by what they have in common.
 *
 * Neighbours that go the same way become one as they come in. Memory grows with what is reported:
 * 24 bytes a range, until the pause is over.
 */
#ifndef MODEL_RANGES_H
#define MODEL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stream/event.h"

#define RANGES_SURVIVING UINT32_MAX /* as a phase: after all moves */

struct range_list VEC_OF(struct range);

struct range_group {
	uint64_t generation;
	uint32_t phase; /* RANGES_SURVIVING */
	uint32_t width; /* 4 or 8 */
	struct range_list ranges;
};

struct ranges {
	VEC(struct range_group) groups;
};

/* EVENT_MOVED or EVENT_SURVIVING. 0 or -ENOMEM. */
int ranges__add(struct ranges *ranges, const struct event *report);

bool ranges__has_moves(const struct ranges *ranges);

/*
 * Of those not yet taken, the ranges of the lowest phase up to `most`, of the width that counts,
 * all in one list, which is emptied first: 1; 0: there are none. -ENOMEM.
 */
struct ranges_take {
	uint32_t most; /* RANGES_SURVIVING: survivals too */
	uint32_t (*width)(const void *context, uint64_t generation);
	const void *context;
};
int ranges__take(struct ranges *ranges, const struct ranges_take *how, struct range_list *into);

/* Is something left that ranges__take() would take? */
bool ranges__more(const struct ranges *ranges, uint32_t most);

/* By `old`. 0 or -ENOMEM. */
int ranges__sort(struct range *ranges, size_t count);

void ranges__free(struct ranges *ranges);

#endif
