/* SPDX-License-Identifier: BSD-2-Clause */
#include "unfinished.h"

#include <errno.h>

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct unfinished *unfinished = context;

	return hash__mix(1, unfinished->of.items[index].id);
}

static struct unfinished_object *find(const struct unfinished *unfinished, uint64_t id)
{
	const struct hash_slots *slots = &unfinished->by_id;
	uint32_t at;

	if (!unfinished->of.count)
		return NULL;
	for (at = hash_slots__first(slots, hash__mix(1, id)); slots->of[at];
	     at = hash_slots__next(slots, at))
		if (unfinished->of.items[slots->of[at] - 1].id == id)
			return &unfinished->of.items[slots->of[at] - 1];
	return NULL;
}

static int add(struct unfinished *unfinished, uint64_t id)
{
	struct hash_slots *slots = &unfinished->by_id;
	uint32_t at;

	if (hash_slots__room(slots, &unfinished->memory, hash_of, unfinished) ||
	    vec__push(&unfinished->of, (struct unfinished_object){ .id = id, .is_open = true }))
		return -ENOMEM;
	at = hash_slots__first(slots, hash__mix(1, id));
	while (slots->of[at])
		at = hash_slots__next(slots, at);
	slots->of[at] = (uint32_t)unfinished->of.count;
	slots->count++;
	return 0;
}

int unfinished__told(struct unfinished *unfinished, uint64_t id, bool more)
{
	struct unfinished_object *object = find(unfinished, id);
	bool was_open;

	if (!object)
		return more ? add(unfinished, id) : 0;
	was_open = object->is_open;
	object->is_open = more;
	return was_open;
}

void unfinished__free(struct unfinished *unfinished)
{
	hash_slots__free(&unfinished->by_id, &unfinished->memory);
	vec__free(&unfinished->of);
}
