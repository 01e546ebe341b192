/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_names.h"

#include <errno.h>

static uint64_t hash_of(uint32_t tid)
{
	return hash__mix(0, tid);
}

static uint64_t hash_at(const void *context, uint32_t index)
{
	const struct thread_names *names = context;

	return hash_of(names->of.items[index].tid);
}

/* The slot of its name, or a free one. There are slots. */
static uint32_t *slot_of(const struct thread_names *names, uint32_t tid)
{
	const struct hash_slots *slots = &names->slots;
	uint32_t at = hash_slots__first(slots, hash_of(tid));

	while (slots->of[at] && names->of.items[slots->of[at] - 1].tid != tid)
		at = hash_slots__next(slots, at);
	return &slots->of[at];
}

const struct thread_name *thread_names__find(const struct thread_names *names, uint32_t tid)
{
	const uint32_t at = names->of.count ? *slot_of(names, tid) : 0;

	return at ? &names->of.items[at - 1] : NULL;
}

/* Without a name so far. NULL: no memory. */
static struct thread_name *add(struct thread_names *names, uint32_t tid, uint32_t *slot)
{
	if (vec__push(&names->of, (struct thread_name){ .tid = tid }))
		return NULL;
	*slot = (uint32_t)names->of.count;
	names->slots.count++;
	return &names->of.items[names->of.count - 1];
}

int thread_names__set(struct thread_names *names, uint32_t tid, struct text name)
{
	struct thread_name *thread;
	uint32_t *slot;
	struct text copy = { NULL, 0 };

	if (hash_slots__room(&names->slots, &names->memory, hash_at, names))
		return -ENOMEM;
	slot = slot_of(names, tid);
	thread = *slot ? &names->of.items[*slot - 1] : NULL;
	if (thread && text__equal(thread->name, name))
		return 1;
	if (text__own(&copy, name))
		return -ENOMEM;
	if (!thread)
		thread = add(names, tid, slot);
	if (!thread) {
		text__free(&copy);
		return -ENOMEM;
	}
	text__free(&thread->name);
	thread->name = copy;
	return 0;
}

void thread_names__free(struct thread_names *names)
{
	for (size_t i = 0; i < names->of.count; i++)
		text__free(&names->of.items[i].name);
	vec__free(&names->of);
	hash_slots__free(&names->slots, &names->memory);
}
