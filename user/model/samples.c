/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024u

_Static_assert(sizeof(struct living) == 56, "a living sample");

static uint32_t first_slot(const struct samples *samples, uint64_t number)
{
	return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (samples->slot_count - 1);
}

static uint32_t next_slot(const struct samples *samples, uint32_t slot)
{
	return (slot + 1) & (samples->slot_count - 1);
}

/* Where the number is, or the free slot that it would have. */
static uint32_t slot_of(const struct samples *samples, uint64_t number)
{
	uint32_t slot = first_slot(samples, number);

	while (samples->slots[slot] &&
	       samples->of.items[samples->slots[slot] - 1].number != number)
		slot = next_slot(samples, slot);
	return slot;
}

struct living *samples__find(const struct samples *samples, uint64_t number)
{
	uint32_t slot;

	if (!samples->slot_count)
		return NULL;
	slot = slot_of(samples, number);
	return samples->slots[slot] ? &samples->of.items[samples->slots[slot] - 1] : NULL;
}

static int widen(struct samples *samples)
{
	const uint32_t count = samples->slot_count ? 2 * samples->slot_count : FIRST_SLOTS;
	uint32_t *slots;

	if (samples->of.count < samples->slot_count / 2)
		return 0;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(samples->slots);
	samples->slots = slots;
	samples->slot_count = count;
	for (size_t i = 0; i < samples->of.count; i++)
		slots[slot_of(samples, samples->of.items[i].number)] = (uint32_t)i + 1;
	return 0;
}

int samples__add(struct samples *samples, const struct living *sample)
{
	if (widen(samples) || vec__push(&samples->of, *sample))
		return -ENOMEM;
	samples->slots[slot_of(samples, sample->number)] = (uint32_t)samples->of.count;
	return 0;
}

/* Those behind a free slot come nearer to where they are looked for first. */
static void close_gap(struct samples *samples, uint32_t gap)
{
	const uint32_t mask = samples->slot_count - 1;

	for (uint32_t slot = next_slot(samples, gap); samples->slots[slot];
	     slot = next_slot(samples, slot)) {
		const uint64_t number = samples->of.items[samples->slots[slot] - 1].number;
		const uint32_t wanted = first_slot(samples, number);

		if (((slot - wanted) & mask) < ((slot - gap) & mask))
			continue;
		samples->slots[gap] = samples->slots[slot];
		gap = slot;
	}
	samples->slots[gap] = 0;
}

void samples__remove(struct samples *samples, struct living *sample)
{
	const struct living *last = &samples->of.items[samples->of.count - 1];

	close_gap(samples, slot_of(samples, sample->number));
	if (sample != last) {
		samples->slots[slot_of(samples, last->number)] =
			(uint32_t)(sample - samples->of.items) + 1;
		*sample = *last;
	}
	samples->of.count--;
}

uint64_t samples__bytes(const struct samples *samples)
{
	return samples->of.alloc * sizeof(*samples->of.items) +
	       samples->slot_count * sizeof(*samples->slots);
}

void samples__free(struct samples *samples)
{
	vec__free(&samples->of);
	free(samples->slots);
	*samples = (struct samples){ .slots = NULL };
}
