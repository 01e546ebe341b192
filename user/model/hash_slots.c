/* SPDX-License-Identifier: BSD-2-Clause */
#include "hash_slots.h"

#define FIRST_SLOTS 64u

int hash_slots__room(struct hash_slots *slots, struct memory *memory,
		     uint64_t (*hash)(const void *context, uint32_t index), const void *context)
{
	struct hash_slots wider = { .mask = slots->of ? slots->mask * 2 + 1 : FIRST_SLOTS - 1,
				    .count = slots->count };
	uint32_t at;

	if (slots->of && slots->count < slots->mask / 2)
		return 0;
	wider.of = memory__get(memory, (wider.mask + UINT64_C(1)) * sizeof(*wider.of));
	if (!wider.of)
		return memory__error(memory);
	for (uint64_t i = 0; slots->of && i <= slots->mask; i++) {
		if (!slots->of[i])
			continue;
		at = hash_slots__first(&wider, hash(context, slots->of[i] - 1));
		while (wider.of[at])
			at = hash_slots__next(&wider, at);
		wider.of[at] = slots->of[i];
	}
	hash_slots__free(slots, memory);
	*slots = wider;
	return 0;
}

void hash_slots__free(struct hash_slots *slots, struct memory *memory)
{
	memory__put(memory, slots->of, (slots->mask + UINT64_C(1)) * sizeof(*slots->of));
	*slots = (struct hash_slots){ 0 };
}
