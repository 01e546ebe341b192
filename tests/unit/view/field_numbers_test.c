/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields have numbers in the order in which they come, against a plain list. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "unit/random.h"
#include "view/field_numbers.h"

enum { FIELDS = 2000, TIMES = 20000 };

static uint64_t seed = 88172645463325252;

static struct numbered_field any_field(void)
{
	return (struct numbered_field){ .type = (uint32_t)random__below(&seed, 10),
					.kind = (uint32_t)random__below(&seed, 4),
					.place = 8 * random__below(&seed, 50) };
}

static uint32_t look_up(const struct field_numbers *numbers, const struct numbered_field *field)
{
	for (uint32_t i = 0; i < numbers->of.count; i++)
		if (numbers->of.items[i].type == field->type &&
		    numbers->of.items[i].kind == field->kind &&
		    numbers->of.items[i].place == field->place)
			return i;
	return FIELD_NONE;
}

static void each_has_one_number(void **state)
{
	struct field_numbers numbers = { .next = 0 };

	(void)state;
	for (int i = 0; i < TIMES; i++) {
		const struct numbered_field field = any_field();
		const uint32_t known = look_up(&numbers, &field);
		const size_t count = numbers.of.count;
		uint32_t number;

		assert_int_equal(field_numbers__find(&numbers, &field), known);
		if (random__chance(&seed, 50))
			continue;
		assert_int_equal(field_numbers__need(&numbers, &field, &number), 0);
		assert_int_equal(number, known == FIELD_NONE ? count : known);
		assert_int_equal(numbers.of.count, count + (known == FIELD_NONE));
	}
	assert_in_range(numbers.of.count, FIELDS * 9 / 10, FIELDS);
	field_numbers__free(&numbers);
	assert_int_equal(numbers.memory.used, 0);
}

/* The eighth byte of an object is not what its eighth field is. */
static void kinds_of_places_are_apart(void **state)
{
	const struct numbered_field position = { 1, GCTRACE_PLACE_POSITION, 8, 0x10 };
	const struct numbered_field offset = { 1, GCTRACE_PLACE_OFFSET, 8, 0x20 };
	struct field_numbers numbers = { .next = 0 };
	uint32_t number;

	(void)state;
	assert_int_equal(field_numbers__need(&numbers, &position, &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(field_numbers__find(&numbers, &offset), FIELD_NONE);
	assert_int_equal(field_numbers__need(&numbers, &offset, &number), 0);
	assert_int_equal(number, 1);
	assert_int_equal(numbers.of.items[1].example, 0x20);
	field_numbers__free(&numbers);
}

static void the_limit_is_kept(void **state)
{
	struct field_numbers numbers = { .memory = { .limit = 10000 } };
	uint32_t number;
	int err = 0;

	(void)state;
	for (uint64_t i = 0; !err; i++)
		err = field_numbers__need(&numbers, &(struct numbered_field){ .place = i },
					  &number);
	assert_int_equal(err, -EDQUOT);
	assert_in_range(numbers.of.count, 100, 10000 / sizeof(*numbers.of.items));
	assert_int_equal(field_numbers__find(&numbers, &(struct numbered_field){ .place = 7 }), 7);
	field_numbers__free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_one_number),
		cmocka_unit_test(kinds_of_places_are_apart),
		cmocka_unit_test(the_limit_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
