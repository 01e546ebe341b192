/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of where generations lay: single ones, and random ones against a map of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/generation_places.h"
#include "unit/random.h"

#define HEAP 128
#define PICTURES 20000

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

static void tell(struct generations *generations, uint64_t generation, uint64_t start,
		 uint64_t bytes)
{
	assert_int_equal(generations__note(generations, 1, false, generation, start, bytes), 0);
}

static void nothing_told_nothing_known(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };

	(void)state;
	assert_int_equal(generation_places__at(&places, 5).generation, GENERATION_UNKNOWN);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_false(places.taken);
	assert_int_equal(generation_places__at(&places, 5).end, UINT64_MAX);
	assert_false(generation_places__overrun(&places, 5, 500));
	generation_places__free(&places);
}

static void gaps_reach_to_their_neighbours(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };
	struct generation_place gap;

	(void)state;
	tell(&generations, 1, 500, 100);
	tell(&generations, 0, 100, 100);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_true(places.taken);
	gap = generation_places__at(&places, 300);
	assert_int_equal(gap.generation, GENERATION_UNKNOWN);
	assert_int_equal(gap.start, 200);
	assert_int_equal(gap.end, 500);
	assert_int_equal(generation_places__at(&places, 0).end, 100);
	assert_int_equal(generation_places__at(&places, 600).end, UINT64_MAX);
	assert_int_equal(generation_places__at(&places, 199).generation, 0);
	assert_int_equal(generation_places__at(&places, 500).generation, 1);
	generations__free(&generations);
	generation_places__free(&places);
}

static void what_is_said_twice_differently_is_not_known(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };

	(void)state;
	tell(&generations, 0, 100, 100);
	tell(&generations, 1, 150, 100);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	for (uint64_t at = 100; at < 250; at += 50)
		assert_int_equal(generation_places__at(&places, at).generation, GENERATION_UNKNOWN);
	generations__free(&generations);
	generation_places__free(&places);
}

static void parts_that_touch_are_one_heap(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };

	(void)state;
	tell(&generations, 0, 100, 100);
	tell(&generations, 1, 200, 100);
	tell(&generations, 2, 400, 100);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_false(generation_places__overrun(&places, 150, 300));
	assert_true(generation_places__overrun(&places, 150, 301));
	assert_true(generation_places__overrun(&places, 250, 450)); /* over the gap */
	assert_false(generation_places__overrun(&places, 300, 450)); /* begins outside */
	assert_true(generation_places__overrun(&places, 499, 501));
	generations__free(&generations);
	generation_places__free(&places);
}

static void where_parts_touch_is_a_seam(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };

	(void)state;
	tell(&generations, 0, 300, 100);
	tell(&generations, 0, 100, 100);
	tell(&generations, 0, 200, 100);
	tell(&generations, 1, 400, 100); /* another generation's is no seam, but an end */
	tell(&generations, 0, 600, 100);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_int_equal(places.of.count, 3);
	assert_int_equal(places.seams.count, 2);
	assert_true(generation_places__has_seam(&places, 200, 200));
	assert_true(generation_places__has_seam(&places, 250, 300));
	assert_true(generation_places__has_seam(&places, 100, 500));
	assert_false(generation_places__has_seam(&places, 100, 199));
	assert_false(generation_places__has_seam(&places, 201, 299));
	assert_false(generation_places__has_seam(&places, 301, UINT64_MAX));
	generations__free(&generations);
	generation_places__free(&places);
}

/* A picture does not change when what it was taken of does. */
static void a_picture_is_of_its_moment(void **state)
{
	struct generations generations = { 0 };
	struct generation_places places = { 0 };

	(void)state;
	tell(&generations, 0, 100, 100);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_int_equal(generations__note(&generations, 2, false, 0, 500, 100), 0);
	assert_int_equal(generation_places__at(&places, 150).generation, 0);
	assert_int_equal(generation_places__at(&places, 550).generation, GENERATION_UNKNOWN);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_int_equal(generation_places__at(&places, 150).generation, GENERATION_UNKNOWN);
	assert_int_equal(generation_places__at(&places, 550).generation, 0);
	generations__free(&generations);
	generation_places__free(&places);
}

/* ---------------------------------------------------------------- every byte */

static void draw(struct generations *generations, uint64_t *map)
{
	memset(map, 0xff, HEAP * sizeof(*map));
	for (uint64_t parts = any(5); parts > 0; parts--) {
		const uint64_t start = any(HEAP), most = HEAP - start, bytes = 1 + any(most);
		const uint64_t generation = any(3);
		bool is_free = true;

		for (uint64_t i = start; i < start + bytes; i++)
			is_free &= map[i] == GENERATION_UNKNOWN;
		if (!is_free)
			continue;
		for (uint64_t i = start; i < start + bytes; i++)
			map[i] = generation;
		tell(generations, generation, start, bytes);
	}
}

static bool leaves(const uint64_t *map, uint64_t start, uint64_t end)
{
	bool outside = false;

	for (uint64_t i = start; i < end; i++)
		outside |= i >= HEAP || map[i] == GENERATION_UNKNOWN;
	return map[start] != GENERATION_UNKNOWN && outside;
}

static void every_byte_is_in_its_place(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < PICTURES; n++) {
		struct generations generations = { 0 };
		struct generation_places places = { 0 };
		uint64_t map[HEAP];

		draw(&generations, map);
		assert_int_equal(generation_places__take(&places, &generations), 0);
		for (unsigned int i = 0; i < 20; i++) {
			const uint64_t at = any(HEAP), end = at + 1 + any(HEAP);
			const struct generation_place place = generation_places__at(&places, at);

			assert_int_equal(place.generation, map[at]);
			assert_true(place.start <= at && at < place.end);
			assert_true(place.end >= HEAP || map[place.end] != map[at]);
			assert_true(place.start == 0 || map[place.start - 1] != map[at]);
			assert_int_equal(generation_places__overrun(&places, at, end),
					 leaves(map, at, end));
		}
		generations__free(&generations);
		generation_places__free(&places);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_told_nothing_known),
		cmocka_unit_test(gaps_reach_to_their_neighbours),
		cmocka_unit_test(what_is_said_twice_differently_is_not_known),
		cmocka_unit_test(parts_that_touch_are_one_heap),
		cmocka_unit_test(where_parts_touch_is_a_seam),
		cmocka_unit_test(a_picture_is_of_its_moment),
		cmocka_unit_test(every_byte_is_in_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
