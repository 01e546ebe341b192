/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/generations.h"
#include "model/spans.h"
#include "unit/random.h"

#define PLACES 512

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

static void neighbours_become_one(void **state)
{
	struct spans spans = { .limit = 4 };

	(void)state;
	for (uint64_t at = 100; at < 100000; at += 10)
		assert_true(spans__add(&spans, at, at + 10));
	assert_int_equal(spans.of.count, 1);
	spans__seal(&spans);
	assert_int_equal(spans__bytes(&spans), 99900);
	spans__free(&spans);
	spans__free(&spans);
}

static void merges_before_it_overflows(void **state)
{
	struct spans spans = { .limit = 100 };

	(void)state;
	/* Backwards, so that nothing joins as it is added; merged they are one. */
	for (uint64_t at = 10000; at > 0; at -= 10)
		assert_true(spans__add(&spans, at, at + 10));
	assert_false(spans.overflowed);
	spans__seal(&spans);
	assert_int_equal(spans.of.count, 1);
	spans__free(&spans);
}

static void overflows_for_good(void **state)
{
	struct spans spans = { .limit = 100 }, other = { .limit = 1000 };
	uint64_t taken = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		taken += spans__add(&spans, 20 * i, 20 * i + 10);
	assert_true(spans.overflowed);
	assert_int_equal(taken, 100);
	spans__seal(&spans);
	assert_int_equal(spans__bytes(&spans), 1000);
	assert_false(spans__add(&spans, 5, 6));
	spans__join(&other, &spans);
	assert_true(other.overflowed);
	spans__free(&spans);
	spans__free(&other);
}

/* Against a map of places. */
static void agrees_with_a_map(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct spans a = { .limit = 8 + any(64) }, b = { .limit = 1000 };
		bool in_a[PLACES] = { false }, in_b[PLACES] = { false };
		uint64_t both = 0, of_a = 0;

		for (uint64_t n = any(100); n > 0; n--) {
			uint64_t start = any(PLACES - 20), end = start + 1 + any(20);

			if (spans__add(&a, start, end))
				memset(&in_a[start], true, end - start);
			start = any(PLACES - 20);
			end = start + 1 + any(8);
			assert_true(spans__add(&b, start, end));
			memset(&in_b[start], true, end - start);
		}
		for (size_t i = 0; i < PLACES; i++) {
			of_a += in_a[i];
			both += in_a[i] && in_b[i];
		}
		spans__seal(&a);
		spans__seal(&b);
		assert_int_equal(spans__bytes(&a), of_a);
		assert_int_equal(spans__common(&a, &b), both);
		assert_int_equal(spans__common(&b, &a), both);
		for (size_t i = 1; i < a.of.count; i++)
			assert_true(a.of.items[i].start > a.of.items[i - 1].end);
		spans__free(&a);
		spans__free(&b);
	}
}

static void generations_replace_what_was_said(void **state)
{
	struct generations generations = { .told = false };
	struct spans spans = { .limit = 10 };
	struct generation_shares shares;

	(void)state;
	spans__add(&spans, 0, 100);
	spans__add(&spans, 1000, 1100);
	spans__seal(&spans);
	assert_int_equal(generations__note(&generations, 1, false, 0, 0, 500), 0);
	assert_int_equal(generations__note(&generations, 1, false, 1, 1000, 500), 0);
	shares = generations__shares(&generations, &spans, 0);
	assert_int_equal(shares.older, 100);
	assert_int_equal(shares.any, 200);
	assert_true(generations__is_older(&generations, 1000, 0));
	assert_true(generations__is_older(&generations, 1499, 0));
	assert_false(generations__is_older(&generations, 1500, 0));
	assert_false(generations__is_older(&generations, 1000, 1));
	assert_false(generations__is_older(&generations, 499, 0));
	/* Afterwards the old one also has what was the young one's. */
	assert_int_equal(generations__note(&generations, 1, true, 1, 1000, 500), 0);
	assert_int_equal(generations__note(&generations, 1, true, 1, 0, 50), 0);
	assert_int_equal(generations__note(&generations, 1, true, 0, 50, 450), 0);
	shares = generations__shares(&generations, &spans, 0);
	assert_int_equal(shares.older, 150);
	assert_int_equal(shares.any, 200);
	assert_int_equal(generations.parts.count, 3);
	assert_int_equal(generations.oldest, 1);
	generations__free(&generations);
	spans__free(&spans);
}

static void generations_have_any_number_of_parts(void **state)
{
	struct generations generations = { .told = false };
	struct spans spans = { .limit = 10 };

	(void)state;
	for (uint64_t i = 0; i < GENERATION_PARTS + 5; i++)
		assert_int_equal(generations__note(&generations, 1, false, i % 2, i * 10, 10), 0);
	generations__seal(&generations);
	assert_true(generations.overflowed);
	assert_int_equal(generations.parts.count, GENERATION_PARTS);
	spans__add(&spans, 0, 1000);
	spans__seal(&spans);
	assert_int_equal(generations__shares(&generations, &spans, 0).older, 500);
	generations__free(&generations);
	spans__free(&spans);
}

/* What replaces what, part by part, against a list in which each is looked for at once. */
static void generations_agree_with_a_list(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct generations generations = { .told = false };
		struct generation_part list[60];
		size_t count = 0;

		for (int n = 0; n < 60; n++) {
			struct generation_part now = {
				.generation = any(4), .gc = any(3), .after = any(2),
				.start = (uint64_t)n * 10,
			};
			size_t kept = 0;

			now.end = now.start + (any(4) ? 10 : 0);
			assert_int_equal(generations__note(&generations, now.gc, now.after,
							   now.generation, now.start,
							   now.end - now.start), 0);
			for (size_t i = 0; i < count; i++)
				if (list[i].generation != now.generation ||
				    (list[i].gc == now.gc && list[i].after == now.after))
					list[kept++] = list[i];
			count = kept;
			if (now.end > now.start)
				list[count++] = now;
			if (any(8))
				continue;
			generations__seal(&generations);
			assert_int_equal(generations.parts.count, count);
			for (size_t i = 0; i < count; i++) {
				assert_int_equal(generations.parts.items[i].start, list[i].start);
				assert_int_equal(generations.parts.items[i].generation,
						 list[i].generation);
			}
		}
		generations__free(&generations);
	}
}

/*
 * Each part is of a generation of its own, three million of them: to look at all that is kept for
 * each of them took minutes, which the limit of a test's time does not allow.
 */
static void generations_never_end(void **state)
{
	struct generations generations = { .told = false };

	(void)state;
	for (uint64_t i = 0; i < 3000000; i++)
		assert_int_equal(generations__note(&generations, i, false, i, i * 10, 10), 0);
	generations__seal(&generations);
	assert_true(generations.overflowed);
	assert_int_equal(generations.parts.count, GENERATION_PARTS);
	assert_int_equal(generations.parts.items[0].start, 0);
	generations__free(&generations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_become_one),
		cmocka_unit_test(merges_before_it_overflows),
		cmocka_unit_test(overflows_for_good),
		cmocka_unit_test(agrees_with_a_map),
		cmocka_unit_test(generations_replace_what_was_said),
		cmocka_unit_test(generations_have_any_number_of_parts),
		cmocka_unit_test(generations_agree_with_a_list),
		cmocka_unit_test(generations_never_end),
	};

	return cmocka_run_group_tests_name("model/spans", tests, NULL, NULL);
}
