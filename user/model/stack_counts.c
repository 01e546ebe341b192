/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_counts.h"

#include <errno.h>

static struct stack_count key_of(const struct sighting *sighting)
{
	const bool has_stack = sighting->stack != 0;

	return (struct stack_count){
		.pid = sighting->pid,
		.tid = sighting->tid,
		.stack = sighting->stack,
		.function = has_stack ? 0 : sighting->function,
		.method = has_stack ? 0 : sighting->method,
		.place = sighting->place,
		.accuracy = sighting->of[has_stack ? SIGHTING_STACK : SIGHTING_METHOD],
		.doing = sighting->doing,
	};
}

static uint64_t hash_of(const struct stack_count *key)
{
	uint64_t hash = hash__mix(key->pid, key->tid);

	hash = hash__mix(hash, key->stack);
	hash = hash__mix(hash, (uint64_t)key->function << 32 | key->method);
	hash = hash__mix(hash, (uint64_t)key->place << 32 | key->accuracy);
	return hash__mix(hash, (uintptr_t)key->doing.state ^ (uintptr_t)key->doing.syscall);
}

static uint64_t hash_at(const void *context, uint32_t index)
{
	const struct stack_counts *counts = context;

	return hash_of(&counts->of.items[index]);
}

/* The words are static text: the same ones stand at the same place. */
static bool is_alike(const struct stack_count *a, const struct stack_count *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->stack == b->stack &&
	       a->function == b->function && a->method == b->method && a->place == b->place &&
	       a->accuracy == b->accuracy && a->doing.state == b->doing.state &&
	       a->doing.syscall == b->doing.syscall && a->doing.wait == b->doing.wait;
}

int stack_counts__add(struct stack_counts *counts, const struct sighting *sighting)
{
	struct hash_slots *slots = &counts->slots;
	struct stack_count key = key_of(sighting);
	int err = hash_slots__room(slots, &counts->memory, hash_at, counts);
	uint32_t at;

	if (err)
		return err;
	for (at = hash_slots__first(slots, hash_of(&key)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		struct stack_count *known = &counts->of.items[slots->of[at] - 1];

		if (!is_alike(known, &key))
			continue;
		known->samples++;
		return 0;
	}
	key.samples = 1;
	if (vec__push(&counts->of, key))
		return -ENOMEM;
	slots->of[at] = (uint32_t)counts->of.count;
	slots->count++;
	return 0;
}

void stack_counts__free(struct stack_counts *counts)
{
	hash_slots__free(&counts->slots, &counts->memory);
	vec__free(&counts->of);
}
