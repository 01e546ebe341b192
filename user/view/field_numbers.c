/* SPDX-License-Identifier: BSD-2-Clause */
#include "field_numbers.h"

#include <stdbool.h>

void field_numbers__free(struct field_numbers *numbers)
{
	hash_slots__free(&numbers->slots, &numbers->memory);
	memory__free_vec(&numbers->memory, &numbers->of);
}

static uint64_t hash_field(const struct numbered_field *field)
{
	return hash__mix(hash__mix(field->type, field->kind), field->place);
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct field_numbers *numbers = context;

	return hash_field(&numbers->of.items[index]);
}

static bool is_at(const struct field_numbers *numbers, uint32_t number,
		  const struct numbered_field *field)
{
	const struct numbered_field *at;

	if (number >= numbers->of.count)
		return false;
	at = &numbers->of.items[number];
	return at->type == field->type && at->kind == field->kind && at->place == field->place;
}

/* Those of one object mostly come in the order in which they came first. */
uint32_t field_numbers__find(struct field_numbers *numbers, const struct numbered_field *field)
{
	const struct hash_slots *slots = &numbers->slots;
	uint32_t at;

	if (is_at(numbers, numbers->next, field))
		return numbers->next++;
	if (!slots->of)
		return FIELD_NONE;
	for (at = hash_slots__first(slots, hash_field(field)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		if (!is_at(numbers, slots->of[at] - 1, field))
			continue;
		numbers->next = slots->of[at];
		return numbers->next - 1;
	}
	return FIELD_NONE;
}

static int add(struct field_numbers *numbers, const struct numbered_field *field)
{
	int err = hash_slots__room(&numbers->slots, &numbers->memory, hash_of, numbers);
	uint32_t at;

	if (!err && numbers->of.count >= FIELD_NONE - 1)
		err = -ENOMEM;
	if (!err)
		err = memory__push(&numbers->memory, &numbers->of, *field);
	if (err)
		return err;
	at = hash_slots__first(&numbers->slots, hash_field(field));
	while (numbers->slots.of[at])
		at = hash_slots__next(&numbers->slots, at);
	numbers->slots.of[at] = numbers->next = (uint32_t)numbers->of.count;
	numbers->slots.count++;
	return 0;
}

int field_numbers__need(struct field_numbers *numbers, const struct numbered_field *field,
			uint32_t *number)
{
	int err;

	*number = field_numbers__find(numbers, field);
	if (*number != FIELD_NONE)
		return 0;
	err = add(numbers, field);
	*number = (uint32_t)numbers->of.count - 1;
	return err;
}
