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
	uint32_t *tops = (uint32_t *)(void *)seen.tops.at;
	void *leaf;

	if (id >> SEEN_ADDRESS_BITS)
		return NULL;
	leaf = region__get(&seen.leaves, SEEN_LEAF_BYTES);
	if (!leaf)
		return NULL;
	madvise(leaf, SEEN_LEAF_BYTES, MADV_HUGEPAGE);
	tops[id >> SEEN_LEAF_BITS] = (uint32_t)(seen.leaves.used / SEEN_LEAF_BYTES);
	return seen__find_word(id);
}

/* The first of its bits behind the given one; each word has 32 pairs. */
uint64_t seen__bytes(uint64_t id)
{
	const uint64_t covered = UINT64_C(1) << SEEN_WORD_BITS;
	uint64_t at = id + 8, bits;
	const uint64_t *word;

	for (; (word = seen__find_word(at)); at = (at | (covered - 1)) + 1) {
		const unsigned shift = (unsigned)(at >> 3 & 31) * 2;

		bits = *word >> shift;
		if (!bits)
			continue;
		at += (uint64_t)(__builtin_ctzll(bits) / 2) * 8;
		bits >>= __builtin_ctzll(bits) & ~1;
		return (bits & 3) == SEEN_VISITED ? at + 8 - id : 8;
	}
	return 8;
}
