/* SPDX-License-Identifier: BSD-2-Clause */
#include "address_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS_SHIFT 58 /* 64 slots */

static uint64_t slots_bytes(const struct address_index *index)
{
	return sizeof(*index->slots) << (64 - index->slots_shift);
}

static uint64_t words_of_region(const struct address_index *index)
{
	return UINT64_C(1) << (ADDRESS_INDEX_REGION_SHIFT - index->shift -
			       ADDRESS_INDEX_WORD_SHIFT);
}

static uint64_t region_bytes(const struct address_index *index)
{
	return words_of_region(index) * sizeof(struct address_word);
}

static void forget_recent(struct address_index *index)
{
	for (unsigned int i = 0; i < ADDRESS_INDEX_RECENT; i++)
		index->recent[i].region = UINT64_MAX;
}

int address_index__init(struct address_index *index, struct memory *memory, uint32_t shift)
{
	*index = (struct address_index){
		.memory = memory,
		.slots_shift = FIRST_SLOTS_SHIFT,
		.shift = shift,
	};
	forget_recent(index);
	index->slots = memory__get(memory, slots_bytes(index));
	return index->slots ? 0 : memory__error(memory);
}

void address_index__free(struct address_index *index)
{
	if (!index->slots)
		return;
	pile__free(&index->words, index->memory);
	memory__put(index->memory, index->in_order, index->regions * sizeof(*index->in_order));
	memory__put(index->memory, index->slots, slots_bytes(index));
	*index = (struct address_index){ 0 };
}

/* Twice as many slots. */
static int spread(struct address_index *index)
{
	struct address_index wider = *index;

	wider.slots_shift--;
	wider.slots = memory__get(index->memory, slots_bytes(&wider));
	if (!wider.slots)
		return memory__error(index->memory);
	for (uint64_t i = 0; i < slots_bytes(index) / sizeof(*index->slots); i++)
		if (index->slots[i].number)
			*(struct address_slot *)address_index__slot(
				&wider, index->slots[i].region) = index->slots[i];
	memory__put(index->memory, index->slots, slots_bytes(index));
	*index = wider;
	return 0;
}

static int add_region(struct address_index *index, uint64_t region)
{
	struct address_slot *slot;
	void *words;
	int err;

	if (index->regions >= slots_bytes(index) / sizeof(*slot) / 2) {
		err = spread(index);
		if (err)
			return err;
	}
	words = pile__add(&index->words, index->memory, region_bytes(index));
	if (!words)
		return memory__error(index->memory);
	memset(words, 0, region_bytes(index));
	forget_recent(index); /* they may have moved */
	slot = (struct address_slot *)address_index__slot(index, region);
	*slot = (struct address_slot){ region, ++index->regions };
	return 0;
}

int address_index__enter(struct address_index *index, uint64_t region)
{
	const struct address_slot *slot = address_index__slot(index, region);

	if (!slot->number) {
		const int err = add_region(index, region);

		if (err)
			return err;
		slot = address_index__slot(index, region);
	}
	index->recent[region & (ADDRESS_INDEX_RECENT - 1)] =
		(struct address_near){ region, address_index__words(index, slot) };
	return 0;
}

static int add_all(struct address_index *to, const struct address_index *from,
		   const struct address_slot *slot)
{
	const struct address_word *words = address_index__words(from, slot);
	const uint64_t start = slot->region << ADDRESS_INDEX_REGION_SHIFT;

	for (uint64_t w = 0; w < words_of_region(from); w++) {
		for (uint64_t bits = words[w].bits; bits; bits &= bits - 1) {
			const uint64_t unit = w << ADDRESS_INDEX_WORD_SHIFT |
					      (uint64_t)__builtin_ctzll(bits);
			const int added = address_index__add(to, start | unit << from->shift);

			if (added < 0)
				return added;
		}
	}
	return 0;
}

int address_index__refine(struct address_index *index, uint32_t shift)
{
	struct address_index finer;
	int err = address_index__init(&finer, index->memory, shift);

	for (uint64_t i = 0; i < slots_bytes(index) / sizeof(*index->slots) && !err; i++)
		if (index->slots[i].number)
			err = add_all(&finer, index, &index->slots[i]);
	address_index__free(err ? &finer : index);
	if (!err)
		*index = finer;
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct address_slot *left = a, *right = b;

	return left->region < right->region ? -1 : left->region > right->region;
}

int address_index__seal(struct address_index *index)
{
	const uint64_t words = words_of_region(index);
	uint32_t found = 0, rank = 0;

	if (index->count >= ADDRESS_INDEX_NONE)
		return -EOVERFLOW;
	pile__trim(&index->words, index->memory);
	forget_recent(index);
	index->in_order = memory__get(index->memory, index->regions * sizeof(*index->in_order));
	if (!index->in_order)
		return memory__error(index->memory);
	for (uint64_t i = 0; i < slots_bytes(index) / sizeof(*index->slots); i++)
		if (index->slots[i].number)
			index->in_order[found++] = index->slots[i];
	if (found > 1)
		qsort(index->in_order, found, sizeof(*index->in_order), compare);
	for (uint32_t i = 0; i < found; i++) {
		struct address_word *of = address_index__words(index, &index->in_order[i]);

		for (uint64_t w = 0; w < words; w++) {
			of[w].rank = rank;
			rank += address_index__count(of[w].bits);
		}
	}
	return 0;
}

/* The position of the nth bit that is set. */
static unsigned int nth_bit(uint64_t bits, uint32_t n)
{
	while (n--)
		bits &= bits - 1;
	return (unsigned int)__builtin_ctzll(bits);
}

uint64_t address_index__address(const struct address_index *index, uint32_t rank)
{
	uint64_t low = 0, high = index->regions, region;
	const struct address_word *words;

	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		if (address_index__words(index, &index->in_order[middle])->rank <= rank)
			low = middle;
		else
			high = middle;
	}
	region = index->in_order[low].region;
	words = address_index__words(index, &index->in_order[low]);
	low = 0;
	high = words_of_region(index);
	while (high - low > 1) { /* the last word whose rank is not above */
		const uint64_t middle = low + (high - low) / 2;

		if (words[middle].rank <= rank)
			low = middle;
		else
			high = middle;
	}
	return (region << ADDRESS_INDEX_REGION_SHIFT) |
	       ((low << 6 | nth_bit(words[low].bits, rank - words[low].rank)) << index->shift);
}
