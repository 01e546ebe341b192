/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory by the piece, how rows are met, and how the places of references are written down. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/heap_rows.h"
#include "stream/event.h"
#include "unit/random.h"

#define MOST 600u

static uint64_t seed = 987654321;

static uint64_t random_number(void)
{
	return random__next(&seed);
}

/* Writes them, reads them back; how many bytes they took. */
static uint64_t there_and_back(const uint64_t *places, size_t count)
{
	struct memory memory = { 0 };
	struct pile pile = { 0 };
	struct places_writer writer = { .to = &pile, .memory = &memory };
	struct places_reader reader;
	uint64_t bytes;

	places_writer__begin(&writer);
	for (size_t i = 0; i < count; i++)
		assert_true(places_writer__add(&writer, places[i]));
	if (writer.plain) {
		reader = places_reader__of(NULL);
	} else {
		assert_true(places_writer__end_run(&writer));
		reader = places_reader__of(pile.at);
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(places_reader__next(&reader), places[i]);
	bytes = pile.used;
	if (!writer.plain)
		assert_ptr_equal(reader.at, pile.at + bytes);
	pile__free(&pile, &memory);
	assert_int_equal(memory.used, 0);
	return bytes;
}

static void places_without_gaps_cost_nothing(void **state)
{
	uint64_t places[MOST];

	(void)state;
	for (uint64_t i = 0; i < MOST; i++)
		places[i] = i;
	assert_int_equal(there_and_back(places, MOST), 0);
	assert_int_equal(there_and_back(places, 1), 0);
}

static void an_array_costs_some_bytes(void **state)
{
	uint64_t places[MOST];

	(void)state;
	for (uint64_t i = 0; i < MOST; i++)
		places[i] = 16 + 8 * i;
	assert_true(there_and_back(places, MOST) <= 4);
	for (uint64_t i = 0; i < MOST; i++)
		places[i] = i + 1;
	assert_true(there_and_back(places, MOST) <= 4);
}

static void a_reference_between_nulls_costs_one(void **state)
{
	uint64_t places[MOST], at = 0;

	(void)state;
	for (uint64_t i = 0; i < MOST; i++)
		places[i] = at += 1 + i % 3;
	assert_true(there_and_back(places, MOST) <= MOST);
}

static void any_places_come_back(void **state)
{
	uint64_t places[MOST];

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		const size_t count = 1 + random_number() % MOST;
		uint64_t at = 0;

		for (size_t i = 0; i < count; i++) {
			switch (random_number() % 8) {
			case 0:
				at = random_number();
				break;
			case 1:
				at = EVENT_UNKNOWN;
				break;
			case 2:
				at -= random_number() % 100;
				break;
			default:
				at += random_number() % 3;
			}
			places[i] = at;
		}
		there_and_back(places, count);
	}
}

static void pieces_keep_what_is_in_them(void **state)
{
	struct memory memory = { 0 };
	struct pile pile = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 500000; i++) {
		uint32_t *to = pile__add(&pile, &memory, sizeof(*to));

		assert_non_null(to);
		*to = i;
	}
	pile__trim(&pile, &memory);
	assert_int_equal(memory.used, 500000 * sizeof(uint32_t));
	for (uint32_t i = 0; i < 500000; i++)
		assert_int_equal(((uint32_t *)(void *)pile.at)[i], i);
	pile__free(&pile, &memory);
	assert_int_equal(memory.used, 0);
}

/* Rows of all lengths, also such that skip words of `starts`; they are made in two steps. */
static void a_walk_meets_each_row(void **state)
{
	struct memory memory = { 0 };
	struct heap_rows rows = { 0 };
	uint32_t places[MOST], count = 0, end = ROW_REFERENCES;
	struct row_walk walk;

	(void)state;
	for (; count < MOST; count++) {
		places[count] = end;
		end += ROW_REFERENCES + (uint32_t)(random_number() % (count % 7 ? 6 : 300));
	}
	assert_true(rows__reach(&rows, &memory, places[MOST / 2]));
	for (uint32_t i = 0; i < MOST / 2; i++)
		rows__begin(&rows, places[i]);
	assert_true(rows__reach(&rows, &memory, end));
	for (uint32_t i = MOST / 2; i < MOST; i++)
		rows__begin(&rows, places[i]);
	rows__begin(&rows, end);
	assert_non_null(pile__add(&rows.pile, &memory, end * UINT64_C(4)));
	walk = rows__walk(&rows);
	for (uint32_t i = 0; i < MOST; i++) {
		assert_true(row_walk__next(&walk));
		assert_int_equal(walk.place, places[i]);
		assert_int_equal(rows__next(&rows, walk.place), i + 1 < MOST ? places[i + 1] : end);
	}
	assert_false(row_walk__next(&walk));
	rows__free(&rows, &memory);
	assert_int_equal(memory.used, 0);
}

static void the_limit_holds(void **state)
{
	struct memory memory = { .limit = 1 << 20 };
	struct pile pile = { 0 };
	void *at = memory__get(&memory, 1000000);

	(void)state;
	assert_non_null(at);
	assert_null(memory__get(&memory, 1000000));
	assert_int_equal(memory__error(&memory), -EDQUOT);
	assert_null(memory__resize(&memory, at, 1000000, 2000000));
	assert_null(pile__add(&pile, &memory, UINT64_MAX - 10));
	assert_non_null(pile__add(&pile, &memory, 100));
	pile__free(&pile, &memory);
	memory__put(&memory, at, 1000000);
	assert_int_equal(memory.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_without_gaps_cost_nothing),
		cmocka_unit_test(an_array_costs_some_bytes),
		cmocka_unit_test(a_reference_between_nulls_costs_one),
		cmocka_unit_test(any_places_come_back),
		cmocka_unit_test(pieces_keep_what_is_in_them),
		cmocka_unit_test(a_walk_meets_each_row),
		cmocka_unit_test(the_limit_holds),
	};

	return cmocka_run_group_tests_name("model/heap_rows", tests, NULL, NULL);
}
