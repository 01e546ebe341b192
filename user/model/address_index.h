/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of addresses, each with its rank: 0 for the lowest, 1 for the next, ...
 *
 *   address   region (2 MiB)   | word       | bit        one bit for each unit of the heap
 *             63            21 | 20  6+shift| 5+shift shift
 *
 *   slots[]   a hash of the regions that hold anything
 *                 |
 *   words     {64 bits, rank of the first of them} x 4,096 for a region (units of 8 bytes); all
 *             regions in one area, which huge pages make half as fast again to look up in
 *
 * Nothing is sorted but the regions, and a clear bit says that there is no such object. A heap
 * costs 12 bytes for each 512 of it, so less than 2 for an object as they are; a look-up is one
 * cache miss, which a caller with many of them hides by address_word__prefetch().
 *
 * Units are 8 bytes until an address is told that needs smaller ones. First all are added, then
 * address_index__seal(), then ranks are asked for.
 */
#ifndef MODEL_ADDRESS_INDEX_H
#define MODEL_ADDRESS_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

#define ADDRESS_INDEX_NONE UINT32_MAX
#define ADDRESS_INDEX_REGION_SHIFT 21
#define ADDRESS_INDEX_WORD_SHIFT 6 /* bits of a word */
#define ADDRESS_INDEX_SHIFT 3 /* of a unit, to begin with */
#define ADDRESS_INDEX_RECENT 64u /* regions; a power of two */

/* Packed: a quarter less memory is worth more than a load across two cache lines now and then. */
struct address_word {
	uint64_t bits;
	uint32_t rank;
} __attribute__((packed));

struct address_slot {
	uint64_t region;
	uint32_t number; /* of the region as they came, + 1; 0: the slot is free */
};

/* Where the words of a region are, as long as the area does not grow. */
struct address_near {
	uint64_t region; /* UINT64_MAX: none */
	struct address_word *words;
};

struct address_index {
	struct memory *memory;
	struct address_slot *slots;
	struct pile words;
	uint32_t slots_shift; /* 64 - log2 of their number */
	uint32_t shift;	      /* of a unit */
	uint32_t regions;
	uint64_t count;		       /* addresses */
	struct address_near recent[ADDRESS_INDEX_RECENT]; /* by region, for adding */
	struct address_slot *in_order; /* sealed: the regions, by address */
};

/* An empty set in units of 1 << shift bytes. 0, -ENOMEM or -EDQUOT. */
int address_index__init(struct address_index *index, struct memory *memory, uint32_t shift);
void address_index__free(struct address_index *index); /* all zero is legal */

/* From now on addresses of this region can be added. 0, -ENOMEM or -EDQUOT. */
int address_index__enter(struct address_index *index, uint64_t region);

/* The same set in smaller units: some address needs them. 0, -ENOMEM or -EDQUOT: as it was. */
int address_index__refine(struct address_index *index, uint32_t shift);

/* Ranks hold from now on. 0, -ENOMEM or -EDQUOT. */
int address_index__seal(struct address_index *index);

/* The address of rank < count. A binary search. */
uint64_t address_index__address(const struct address_index *sealed, uint32_t rank);

/*
 * For the loops with many look-ups: the loader takes the copy with the machine's own instruction
 * for address_index__count() where there is one. The compiler knows the arithmetic by sight.
 */
#ifdef __x86_64__
#define ADDRESS_INDEX_LOOP __attribute__((target_clones("popcnt", "default")))
#else
#define ADDRESS_INDEX_LOOP
#endif

/* Without that instruction, which not every machine has, and without a table. */
static inline uint32_t address_index__count(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static inline const struct address_slot *address_index__slot(const struct address_index *index,
							     uint64_t region)
{
	uint64_t at = (region * UINT64_C(0x9e3779b97f4a7c15)) >> index->slots_shift;
	const uint64_t mask = (UINT64_C(1) << (64 - index->slots_shift)) - 1;

	while (index->slots[at].region != region && index->slots[at].number)
		at = (at + 1) & mask;
	return &index->slots[at];
}

/* The first word of a region. */
static inline struct address_word *address_index__words(const struct address_index *index,
							const struct address_slot *slot)
{
	return (struct address_word *)(void *)index->words.at +
	       ((uint64_t)(slot->number - 1)
		<< (ADDRESS_INDEX_REGION_SHIFT - index->shift - ADDRESS_INDEX_WORD_SHIFT));
}

/* NULL: nothing is anywhere near it. Holds until something is added. */
static inline const struct address_word *address_index__word(const struct address_index *index,
							     uint64_t address)
{
	const struct address_slot *slot =
		address_index__slot(index, address >> ADDRESS_INDEX_REGION_SHIFT);
	const uint64_t within = address & ((UINT64_C(1) << ADDRESS_INDEX_REGION_SHIFT) - 1);

	if (!slot->number)
		return NULL;
	return address_index__words(index, slot) +
	       (within >> (index->shift + ADDRESS_INDEX_WORD_SHIFT));
}

/* The word of an address whose region something was added to lately; else NULL. */
static inline struct address_word *address_index__near(const struct address_index *index,
						       uint64_t address)
{
	const uint64_t region = address >> ADDRESS_INDEX_REGION_SHIFT;
	const uint64_t within = address & ((UINT64_C(1) << ADDRESS_INDEX_REGION_SHIFT) - 1);
	const struct address_near *near = &index->recent[region & (ADDRESS_INDEX_RECENT - 1)];

	if (region != near->region)
		return NULL;
	return near->words + (within >> (index->shift + ADDRESS_INDEX_WORD_SHIFT));
}

/* The address must be a multiple of the unit. 1, 0: it was there already, -ENOMEM, -EDQUOT. */
static inline int address_index__add(struct address_index *index, uint64_t address)
{
	const uint64_t bit = UINT64_C(1) << (address >> index->shift & 63);
	struct address_word *word = address_index__near(index, address);
	int err;

	if (!word) {
		err = address_index__enter(index, address >> ADDRESS_INDEX_REGION_SHIFT);
		if (err)
			return err;
		word = address_index__near(index, address);
	}
	if (word->bits & bit)
		return 0;
	word->bits |= bit;
	index->count++;
	return 1;
}

/* Both ends: one word of eight lies across two cache lines. NULL is legal. */
static inline void address_word__prefetch(const struct address_word *word)
{
	__builtin_prefetch(word);
	__builtin_prefetch((const void *)((uintptr_t)word + sizeof(*word) - 1));
}

/* The same where the word is known already: address_index__word() of this address. */
static inline uint32_t address_index__rank_in(const struct address_index *sealed,
					      const struct address_word *word, uint64_t address)
{
	const uint64_t bit = UINT64_C(1) << (address >> sealed->shift & 63);

	if (!word || !(word->bits & bit) || address & ((1u << sealed->shift) - 1))
		return ADDRESS_INDEX_NONE;
	return word->rank + address_index__count(word->bits & (bit - 1));
}

/* The rank of this address, or ADDRESS_INDEX_NONE. */
static inline uint32_t address_index__rank(const struct address_index *sealed, uint64_t address)
{
	return address_index__rank_in(sealed, address_index__word(sealed, address), address);
}

static inline bool address_index__has(const struct address_index *index, uint64_t address)
{
	const struct address_word *word = address_index__word(index, address);

	return word && word->bits >> (address >> index->shift & 63) & 1 &&
	       !(address & ((1u << index->shift) - 1));
}

#endif
