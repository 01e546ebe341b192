/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "hash_slots.h"

struct method {
	uint64_t key;
	enum method_kind kind;
	bool is_past;	  /* its key is another's now */
	struct text name; /* allocated */
};

struct stack {
	size_t first, count; /* in frames */
	uint64_t hash;
};

struct call_stacks {
	struct memory memory; /* without a limit */
	struct hash_slots method_slots, stack_slots;
	VEC(struct method) methods;
	VEC(struct stack) stacks;
	VEC(uint32_t) frames;
};

struct call_stacks *call_stacks__new(void)
{
	return calloc(1, sizeof(struct call_stacks));
}

void call_stacks__free(struct call_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->methods.count; i++)
		text__free(&stacks->methods.items[i].name);
	hash_slots__free(&stacks->method_slots, &stacks->memory);
	hash_slots__free(&stacks->stack_slots, &stacks->memory);
	vec__free(&stacks->methods);
	vec__free(&stacks->stacks);
	vec__free(&stacks->frames);
	free(stacks);
}

/* ---------------------------------------------------------------- methods */

static uint64_t hash_key(enum method_kind kind, uint64_t key)
{
	return hash__mix(hash__mix(kind, key), key >> 32);
}

static uint64_t method_hash(const void *context, uint32_t index)
{
	const struct call_stacks *stacks = context;

	return hash_key(stacks->methods.items[index].kind, stacks->methods.items[index].key);
}

int call_stacks__method(struct call_stacks *stacks, enum method_kind kind, uint64_t key,
			uint32_t *method, bool *is_new)
{
	struct hash_slots *slots = &stacks->method_slots;
	int err = hash_slots__room(slots, &stacks->memory, method_hash, stacks);
	uint32_t at;

	if (err)
		return err;
	*is_new = false;
	for (at = hash_slots__first(slots, hash_key(kind, key)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		const struct method *known = &stacks->methods.items[slots->of[at] - 1];

		if (known->is_past || known->kind != kind || known->key != key)
			continue;
		*method = slots->of[at];
		return 0;
	}
	if (vec__push(&stacks->methods, (struct method){ .kind = kind, .key = key }))
		return -ENOMEM;
	*is_new = true;
	*method = slots->of[at] = (uint32_t)stacks->methods.count;
	slots->count++;
	return 0;
}

void call_stacks__forget_keys(struct call_stacks *stacks, enum method_kind kind)
{
	for (size_t i = 0; i < stacks->methods.count; i++)
		stacks->methods.items[i].is_past |= stacks->methods.items[i].kind == kind;
}

int call_stacks__set_name(struct call_stacks *stacks, uint32_t method, struct text name)
{
	return text__own(&stacks->methods.items[method - 1].name, name);
}

struct text call_stacks__name(const struct call_stacks *stacks, uint32_t method)
{
	if (!method || method > stacks->methods.count)
		return (struct text){ "", 0 };
	return stacks->methods.items[method - 1].name;
}

enum method_kind call_stacks__kind(const struct call_stacks *stacks, uint32_t method)
{
	return stacks->methods.items[method - 1].kind;
}

uint32_t call_stacks__method_count(const struct call_stacks *stacks)
{
	return (uint32_t)stacks->methods.count;
}

/* ---------------------------------------------------------------- stacks */

static uint64_t hash_frames(const uint32_t *methods, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = hash__mix(hash, methods[i]);
	return hash;
}

static uint64_t stack_hash(const void *context, uint32_t index)
{
	const struct call_stacks *stacks = context;

	return stacks->stacks.items[index].hash;
}

static bool is_it(const struct call_stacks *stacks, const struct stack *stack,
		  const struct stack *wanted, const uint32_t *methods)
{
	return stack->hash == wanted->hash && stack->count == wanted->count &&
	       (wanted->count == 0 ||
		memcmp(&stacks->frames.items[stack->first], methods,
		       wanted->count * sizeof(*methods)) == 0);
}

int call_stacks__stack(struct call_stacks *stacks, const uint32_t *methods, size_t count,
		       uint32_t *out)
{
	struct hash_slots *slots = &stacks->stack_slots;
	struct stack stack = {
		.first = stacks->frames.count,
		.count = count,
		.hash = hash_frames(methods, count),
	};
	int err = hash_slots__room(slots, &stacks->memory, stack_hash, stacks);
	uint32_t at;

	if (err)
		return err;
	for (at = hash_slots__first(slots, stack.hash); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		if (!is_it(stacks, &stacks->stacks.items[slots->of[at] - 1], &stack, methods))
			continue;
		*out = slots->of[at];
		return 0;
	}
	if (vec__reserve(&stacks->frames, count) || vec__push(&stacks->stacks, stack))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		stacks->frames.items[stacks->frames.count++] = methods[i];
	*out = slots->of[at] = (uint32_t)stacks->stacks.count;
	slots->count++;
	return 0;
}

const uint32_t *call_stacks__frames(const struct call_stacks *stacks, uint32_t stack,
				    size_t *count)
{
	const struct stack *of = &stacks->stacks.items[stack - 1];

	*count = of->count;
	return of->count ? &stacks->frames.items[of->first] : NULL;
}

uint32_t call_stacks__stack_count(const struct call_stacks *stacks)
{
	return (uint32_t)stacks->stacks.count;
}
