/* SPDX-License-Identifier: BSD-2-Clause */
#include "seen.h"

#include <string.h>

void seen__meet(struct seen *seen, const struct sampled *row)
{
	if (seen->born == row->born && seen->image == row->image)
		return;
	buf__free(&seen->name);
	*seen = (struct seen){
		.kernel_tid = seen->kernel_tid,
		.born = row->born,
		.image = row->image,
	};
}

bool seen__still_holds(const struct seen *seen, const struct sampled *row)
{
	return seen->is_known && row->caught.how == CAUGHT_OFF_CPU && !row->torn &&
	       seen->switches == row->switches && seen->waits == row->caught.waits;
}

bool seen__is_better(const struct seen *seen, const struct sampled *row,
		     const struct sampled *before)
{
	return sampled__is_sharp(row) && (seen->is_still || !sampled__is_sharp(before));
}

bool seen__wants_name(const struct seen *seen)
{
	return !seen->is_named && (seen->sweeps & (seen->sweeps - 1)) == 0;
}

static uint64_t hash_of(uint32_t kernel_tid)
{
	return hash__mix(0, kernel_tid);
}

static uint64_t hash_at(const void *context, uint32_t index)
{
	const struct seen_threads *threads = context;

	return hash_of(threads->all.items[index].kernel_tid);
}

struct seen *seen_threads__of(struct seen_threads *threads, uint32_t kernel_tid)
{
	struct hash_slots *slots = &threads->slots;
	uint32_t at;

	if (hash_slots__room(slots, &threads->memory, hash_at, threads))
		return NULL;
	for (at = hash_slots__first(slots, hash_of(kernel_tid)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		struct seen *seen = &threads->all.items[slots->of[at] - 1];

		if (seen->kernel_tid == kernel_tid)
			return seen;
	}
	if (vec__push(&threads->all, (struct seen){ .kernel_tid = kernel_tid }))
		return NULL;
	slots->of[at] = (uint32_t)threads->all.count;
	slots->count++;
	return &threads->all.items[threads->all.count - 1];
}

void seen_threads__doubt(struct seen_threads *threads)
{
	for (size_t i = 0; i < threads->all.count; i++)
		threads->all.items[i].is_known = false;
}

/* Entries have moved up: their slots are made anew. There is room: there were more. */
static void fill_slots(struct seen_threads *threads)
{
	struct hash_slots *slots = &threads->slots;

	memset(slots->of, 0, (slots->mask + UINT64_C(1)) * sizeof(*slots->of));
	for (uint32_t i = 0; i < threads->all.count; i++) {
		uint32_t at = hash_slots__first(slots, hash_at(threads, i));

		while (slots->of[at])
			at = hash_slots__next(slots, at);
		slots->of[at] = i + 1;
	}
	slots->count = (uint32_t)threads->all.count;
}

void seen_threads__keep(struct seen_threads *threads, uint64_t sweep)
{
	const size_t count = threads->all.count;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct seen *seen = &threads->all.items[i];

		if (seen->sweep != sweep) {
			buf__free(&seen->name);
			continue;
		}
		if (kept != i)
			threads->all.items[kept] = *seen;
		kept++;
	}
	threads->all.count = kept;
	if (kept != count)
		fill_slots(threads);
}

void seen_threads__free(struct seen_threads *threads)
{
	for (size_t i = 0; i < threads->all.count; i++)
		buf__free(&threads->all.items[i].name);
	vec__free(&threads->all);
	hash_slots__free(&threads->slots, &threads->memory);
}
