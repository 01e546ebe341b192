/* SPDX-License-Identifier: BSD-2-Clause */
/* It is zlib's, of any bytes, as many as there are and wherever they begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <zlib.h>

#include "base/crc32.h"

static void fill(uint8_t *bytes, size_t count)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < count; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		bytes[i] = (uint8_t)(seed >> 56);
	}
}

static void is_that_of_zlib(void **state)
{
	static uint8_t bytes[4096];

	(void)state;
	fill(bytes, sizeof(bytes));
	for (size_t start = 0; start < 17; start++)
		for (size_t count = 0; count < 1000; count++)
			assert_int_equal(crc32__of(bytes + start, count),
					 crc32(0, bytes + start, (uInt)count));
	assert_int_equal(crc32__of(bytes, sizeof(bytes)), crc32(0, bytes, sizeof(bytes)));
}

static void is_that_of_the_standard(void **state)
{
	(void)state;
	assert_int_equal(crc32__of("123456789", 9), 0xcbf43926);
	assert_int_equal(crc32__of(NULL, 0), 0);
}

static void differs_by_any_bit(void **state)
{
	uint8_t bytes[200];
	uint32_t whole;

	(void)state;
	fill(bytes, sizeof(bytes));
	whole = crc32__of(bytes, sizeof(bytes));
	for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_not_equal(crc32__of(bytes, sizeof(bytes)), whole);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_zlib),
		cmocka_unit_test(is_that_of_the_standard),
		cmocka_unit_test(differs_by_any_bit),
	};

	return cmocka_run_group_tests_name("base/crc32", tests, NULL, NULL);
}
