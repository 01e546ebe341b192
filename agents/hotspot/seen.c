/* SPDX-License-Identifier: BSD-2-Clause */
#include "seen.h"

#include <sys/mman.h>

#define TOPS_BYTES (sizeof(uint32_t) << (SEEN_ADDRESS_BITS - SEEN_LEAF_BITS))
#define LEAVES_MOST ((size_t)1 << 36)	/* for 2 TiB of heap */
#define LEAVES_LEAST ((size_t)1 << 26) /* for 2 GiB */

struct seen seen;

/* Where address space is limited less must do. */
static bool reserve_leaves(void)
{
	for (size_t room = LEAVES_MOST; room >= LEAVES_LEAST; room /= 2) {
		if (region__reserve(&seen.leaves, room))
			return true;
	}
	return false;
}

static bool get_tops(void)
{
	return region__get(&seen.tops, TOPS_BYTES) != NULL;
}

bool seen__init(void)
{
	return region__reserve(&seen.tops, TOPS_BYTES) && get_tops() && reserve_leaves();
}

void seen__empty(void)
{
	region__empty(&seen.tops);
	region__empty(&seen.leaves);
	get_tops();
}

uint64_t *seen__add_leaf(uint64_t id)
{
	uint32_t *top = (uint32_t *)(void *)seen.tops.at + (id >> SEEN_LEAF_BITS);

	void *leaf = region__get(&seen.leaves, SEEN_LEAF_BYTES);

	if (!leaf)
		return NULL;
	madvise(leaf, SEEN_LEAF_BYTES, MADV_HUGEPAGE);
	*top = (uint32_t)(seen.leaves.used / SEEN_LEAF_BYTES);
	return seen__word(id);
}
