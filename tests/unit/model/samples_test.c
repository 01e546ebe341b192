/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of living samples against an array, by chance; and what a million of them take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/random.h"
#include "model/samples.h"

#define NUMBERS 3000u
#define STEPS 200000u

static void is_as_an_array(void **state)
{
	static bool lives[NUMBERS + 1];
	struct samples samples = { .slots = NULL };
	uint64_t seed = 4711;
	size_t count = 0;

	(void)state;
	assert_null(samples__find(&samples, 1));
	for (unsigned int step = 0; step < STEPS; step++) {
		/* Numbers of one table's stride collide most. */
		const uint64_t number = 1 + random__below(&seed, NUMBERS);
		struct living *found = samples__find(&samples, number);

		assert_int_equal(found != NULL, lives[number]);
		if (found) {
			assert_int_equal(found->number, number);
			assert_int_equal(found->size, number * 16);
			samples__remove(&samples, found);
			count--;
		} else {
			const struct living new = { .number = number, .size = number * 16 };

			assert_int_equal(samples__add(&samples, &new), 0);
			count++;
		}
		lives[number] = !found;
		assert_int_equal(samples.of.count, count);
	}
	for (uint64_t number = 1; number <= NUMBERS; number++)
		assert_int_equal(samples__find(&samples, number) != NULL, lives[number]);
	samples__free(&samples);
}

static void a_million_take_less_than_200_mb(void **state)
{
	struct samples samples = { .slots = NULL };

	(void)state;
	for (uint64_t number = 1; number <= 1000000; number++)
		assert_int_equal(samples__add(&samples, &(struct living){ .number = number }), 0);
	assert_true(samples__bytes(&samples) < 120u << 20);
	samples__free(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_an_array),
		cmocka_unit_test(a_million_take_less_than_200_mb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
