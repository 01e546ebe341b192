/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/histogram.h"
#include "unit/random.h"

static uint64_t seed = 88172645463325252;

static uint64_t next_random(void)
{
	return random__next(&seed);
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void empty_one(void **state)
{
	struct histogram *histogram = histogram__new();

	(void)state;
	assert_non_null(histogram);
	assert_int_equal(histogram__count(histogram), 0);
	assert_int_equal(histogram__max(histogram), 0);
	assert_int_equal(histogram__quantile(histogram, 500), 0);
	histogram__free(histogram);
	histogram__free(NULL);
}

static void quantiles_of_a_hundred(void **state)
{
	struct histogram *histogram = histogram__new();

	(void)state;
	for (uint64_t value = 100; value > 0; value--)
		assert_int_equal(histogram__add(histogram, value * 1000003), 0);
	assert_int_equal(histogram__quantile(histogram, 500), 50 * 1000003);
	assert_int_equal(histogram__quantile(histogram, 990), 99 * 1000003);
	assert_int_equal(histogram__quantile(histogram, 991), 100 * 1000003);
	assert_int_equal(histogram__quantile(histogram, 1000), 100 * 1000003);
	assert_int_equal(histogram__quantile(histogram, 0), 1000003);
	assert_int_equal(histogram__min(histogram), 1000003);
	assert_true(histogram__is_exact(histogram));
	histogram__free(histogram);
}

static void ends_of_the_range(void **state)
{
	struct histogram *histogram = histogram__new();

	(void)state;
	for (int i = 0; i < 2000; i++)
		assert_int_equal(histogram__add(histogram, i & 1 ? UINT64_MAX : 0), 0);
	assert_int_equal(histogram__quantile(histogram, 500), 0);
	assert_int_equal(histogram__quantile(histogram, 501), UINT64_MAX);
	assert_int_equal(histogram__sum(histogram), UINT64_MAX);
	assert_int_equal(histogram__count(histogram), 2000);
	histogram__free(histogram);
}

/* Against a sorted list: exact where promised, never too low, at most 1/1,024 too high. */
static void agrees_with_a_sorted_list(uint64_t count, unsigned int bits)
{
	struct histogram *histogram = histogram__new();
	uint64_t *all = malloc(count * sizeof(*all)), sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		all[i] = next_random() >> (64 - bits) >> (next_random() % bits);
		sum += all[i];
		assert_int_equal(histogram__add(histogram, all[i]), 0);
	}
	qsort(all, count, sizeof(*all), compare);
	for (unsigned int part = 1; part <= 1000; part++) {
		uint64_t rank = (count * part + 999) / 1000;
		uint64_t truth = all[rank - 1], got = histogram__quantile(histogram, part);

		if (histogram__is_exact(histogram))
			assert_int_equal(got, truth);
		assert_true(got >= truth);
		assert_true(got - truth <= truth / 1024);
	}
	assert_int_equal(histogram__sum(histogram), sum);
	assert_int_equal(histogram__max(histogram), all[count - 1]);
	assert_int_equal(histogram__is_exact(histogram), count <= HISTOGRAM_EXACT ||
							 all[count - 1] < 2048);
	free(all);
	histogram__free(histogram);
}

static void few_and_many_values(void **state)
{
	(void)state;
	for (uint64_t count = 1; count < 40; count++)
		agrees_with_a_sorted_list(count, 40);
	agrees_with_a_sorted_list(HISTOGRAM_EXACT - 1, 50);
	agrees_with_a_sorted_list(HISTOGRAM_EXACT, 50);
	agrees_with_a_sorted_list(HISTOGRAM_EXACT + 1, 50);
	agrees_with_a_sorted_list(50000, 11);
	agrees_with_a_sorted_list(50000, 34);
	agrees_with_a_sorted_list(50000, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_one),
		cmocka_unit_test(quantiles_of_a_hundred),
		cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(few_and_many_values),
	};

	return cmocka_run_group_tests_name("model/histogram", tests, NULL, NULL);
}
