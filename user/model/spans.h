/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of addresses, kept as spans, bounded in memory.
 *
 * Neighbours that are added one after the other become one span at once, so what a compaction
 * or a bump allocator fills costs next to nothing. When more than `limit` spans remain even
 * after merging, the set is `overflowed` for good: it keeps what it has, takes nothing more, and
 * whoever asks has to say "estimated". All zero with a limit is an empty set; spans__free() may
 * come at any time and twice.
 */
#ifndef MODEL_SPANS_H
#define MODEL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct span {
	uint64_t start, end; /* start < end */
};

struct spans {
	VEC(struct span) of;
	size_t limit;
	bool sealed; /* sorted, disjoint, not touching one another */
	bool overflowed;
};

bool spans__add_slow(struct spans *spans, uint64_t start, uint64_t end);

/* start < end. False: it is not in the set, which overflowed. */
static inline bool spans__add(struct spans *spans, uint64_t start, uint64_t end)
{
	struct span *last;

	if (spans->overflowed)
		return false;
	if (spans->of.count > 0) {
		last = &spans->of.items[spans->of.count - 1];
		if (start == last->end) {
			last->end = end;
			spans->sealed = false;
			return true;
		}
	}
	return spans__add_slow(spans, start, end);
}

/* Sort and merge; the functions below need it. */
void spans__seal(struct spans *spans);

uint64_t spans__bytes(const struct spans *sealed);

/* How many bytes are in both. */
uint64_t spans__common(const struct spans *sealed, const struct spans *other_sealed);

/* Add all of the other one. */
void spans__join(struct spans *spans, const struct spans *other);

void spans__free(struct spans *spans);

#endif
