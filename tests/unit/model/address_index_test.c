/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/address_index.h"
#include "unit/random.h"

#define COUNT 20000u

static uint64_t seed = 1234567;

static uint64_t random_number(void)
{
	return random__next(&seed);
}

static int compare(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Addresses in clumps, far from one another, in units of 1 << shift. */
static void ranks_are_those_of_the_sorted_addresses(uint32_t shift)
{
	uint64_t *addresses = calloc(COUNT, sizeof(*addresses)), base = 0;
	struct memory memory = { 0 };
	struct address_index index;
	uint32_t count = 0;

	assert_non_null(addresses);
	assert_int_equal(address_index__init(&index, &memory, shift), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t address;

		if (i % 400 == 0)
			base = random_number() >> shift << shift;
		address = base + (random_number() % 100000 << shift);
		addresses[count] = address;
		count += (uint32_t)address_index__add(&index, address);
		assert_int_equal(address_index__add(&index, address), 0);
		assert_true(address_index__has(&index, address));
	}
	assert_int_equal(index.count, count);
	assert_int_equal(address_index__seal(&index), 0);
	qsort(addresses, count, sizeof(*addresses), compare);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t next = addresses[i] + (UINT64_C(1) << shift);

		assert_int_equal(address_index__rank(&index, addresses[i]), i);
		assert_int_equal(address_index__address(&index, i), addresses[i]);
		if (i + 1 < count && addresses[i + 1] != next && next)
			assert_int_equal(address_index__rank(&index, next), ADDRESS_INDEX_NONE);
		if (shift)
			assert_int_equal(address_index__rank(&index, addresses[i] + 1),
					 ADDRESS_INDEX_NONE);
	}
	address_index__free(&index);
	address_index__free(&index);
	assert_int_equal(memory.used, 0);
	free(addresses);
}

static void addresses_of_eight_bytes(void **state)
{
	(void)state;
	ranks_are_those_of_the_sorted_addresses(3);
}

static void addresses_of_four_bytes(void **state)
{
	(void)state;
	ranks_are_those_of_the_sorted_addresses(2);
}

static void odd_addresses(void **state)
{
	(void)state;
	ranks_are_those_of_the_sorted_addresses(0);
}

static void an_empty_one_has_nothing(void **state)
{
	struct memory memory = { 0 };
	struct address_index index;

	(void)state;
	assert_int_equal(address_index__init(&index, &memory, 3), 0);
	assert_int_equal(address_index__seal(&index), 0);
	assert_int_equal(address_index__rank(&index, 0), ADDRESS_INDEX_NONE);
	assert_int_equal(address_index__rank(&index, UINT64_MAX), ADDRESS_INDEX_NONE);
	address_index__free(&index);
}

static void both_ends_of_the_address_space(void **state)
{
	const uint64_t last = UINT64_MAX - 7;
	struct memory memory = { 0 };
	struct address_index index;

	(void)state;
	assert_int_equal(address_index__init(&index, &memory, 3), 0);
	assert_int_equal(address_index__add(&index, last), 1);
	assert_int_equal(address_index__add(&index, 0), 1);
	assert_int_equal(address_index__seal(&index), 0);
	assert_int_equal(address_index__rank(&index, last), 1);
	assert_int_equal(address_index__address(&index, 1), last);
	assert_int_equal(address_index__address(&index, 0), 0);
	address_index__free(&index);
}

static void addresses_out_of_nowhere_end_at_the_limit(void **state)
{
	struct memory memory = { .limit = 10 << 20 };
	struct address_index index;
	int err = 0;

	(void)state;
	assert_int_equal(address_index__init(&index, &memory, 3), 0);
	for (uint32_t i = 0; i < 1000 && err >= 0; i++)
		err = address_index__add(&index, random_number() & ~UINT64_C(7));
	assert_int_equal(err, -EDQUOT);
	assert_true(memory.highest <= memory.limit);
	address_index__free(&index);
	assert_int_equal(memory.used, 0);
}

/* Over many regions, back and forth; each address is new once, in whatever units. */
static void finer_units_hold_the_same_addresses(void **state)
{
	enum { MANY = 30000 };
	static const uint32_t shifts[] = { 3, 2, 0 };
	uint64_t *addresses = malloc(MANY * sizeof(*addresses));
	struct memory memory = { 0 };
	struct address_index index;
	uint64_t distinct = 0;

	(void)state;
	assert_int_equal(address_index__init(&index, &memory, 3), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint32_t shift = shifts[i / (MANY / 3)];

		if (shift != index.shift)
			assert_int_equal(address_index__refine(&index, shift), 0);
		addresses[i] = random_number() % 300 << 33 | random_number() % 4096 << shift;
		distinct += (uint64_t)address_index__add(&index, addresses[i]);
	}
	assert_int_equal(index.count, distinct);
	assert_true(distinct > MANY / 2);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(address_index__add(&index, addresses[i]), 0);
		assert_true(address_index__has(&index, addresses[i]));
	}
	assert_int_equal(address_index__seal(&index), 0);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(address_index__address(&index,
							address_index__rank(&index, addresses[i])),
				 addresses[i]);
	address_index__free(&index);
	assert_int_equal(memory.used, 0);
	free(addresses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_eight_bytes),
		cmocka_unit_test(addresses_of_four_bytes),
		cmocka_unit_test(odd_addresses),
		cmocka_unit_test(finer_units_hold_the_same_addresses),
		cmocka_unit_test(an_empty_one_has_nothing),
		cmocka_unit_test(both_ends_of_the_address_space),
		cmocka_unit_test(addresses_out_of_nowhere_end_at_the_limit),
	};

	return cmocka_run_group_tests_name("model/address_index", tests, NULL, NULL);
}
