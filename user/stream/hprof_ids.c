/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define FIRST_SLOTS 1024u

static uint32_t slot_of(const struct hprof_ids *ids, uint64_t id)
{
	uint32_t at = (uint32_t)(((id ^ id >> 32) * ids->key) >> 32) & ids->mask;

	while (ids->of[at].number && ids->of[at].id != id)
		at = (at + 1) & ids->mask;
	return at;
}

uint32_t hprof_ids__get(const struct hprof_ids *ids, uint64_t id)
{
	return ids->of ? ids->of[slot_of(ids, id)].number - 1 : HPROF_NO_NUMBER;
}

/* Odd, so that it loses nothing. */
static uint64_t new_key(void)
{
	uint64_t key = UINT64_C(0x9e3779b97f4a7c15);

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) < 0)
		key ^= (uint64_t)(uintptr_t)&key;
	return key | 1;
}

static int widen(struct hprof_ids *ids)
{
	const uint32_t slots = ids->of ? 2 * (ids->mask + 1) : FIRST_SLOTS;
	struct hprof_ids wider = { .mask = slots - 1, .count = ids->count, .key = ids->key };

	wider.of = slots ? calloc(slots, sizeof(*wider.of)) : NULL;
	if (!wider.of)
		return -ENOMEM;
	if (!wider.key)
		wider.key = new_key();
	for (uint32_t i = 0; ids->of && i <= ids->mask; i++)
		if (ids->of[i].number)
			wider.of[slot_of(&wider, ids->of[i].id)] = ids->of[i];
	free(ids->of);
	*ids = wider;
	return 0;
}

int hprof_ids__put(struct hprof_ids *ids, uint64_t id, uint32_t number)
{
	struct hprof_id *slot;

	if ((!ids->of || ids->count > ids->mask / 2) && widen(ids))
		return -ENOMEM;
	slot = &ids->of[slot_of(ids, id)];
	ids->count += !slot->number;
	*slot = (struct hprof_id){ id, number + 1 };
	return 0;
}

void hprof_ids__free(struct hprof_ids *ids)
{
	free(ids->of);
	*ids = (struct hprof_ids){ .of = NULL };
}
