/* SPDX-License-Identifier: BSD-2-Clause */
/* One chunk: what arrives, in whatever order, ends up sorted, and nothing else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/chunk.h"
#include "unit/random.h"

#define CHUNKS 20000
#define OFFSETS 512 /* so few that runs meet */

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint32_t any(uint32_t below)
{
	return (uint32_t)random__below(&seed, below);
}

static struct object at(uint32_t offset, uint32_t id)
{
	return (struct object){ .id_low = id, .offset = (uint16_t)offset };
}

static void arrive(struct chunk *chunk, uint32_t offset, uint32_t id)
{
	assert_int_equal(chunk__reserve(chunk, 1, 16), 0);
	chunk->arrivals[chunk->arrival_count++] = at(offset, id);
}

/* A run as relocation brings it: offsets first, first + 1, ... */
static void arrive_run(struct chunk *chunk, uint32_t first, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		arrive(chunk, first + i, id + i);
	if (chunk->arrival_count > count &&
	    chunk->arrivals[chunk->arrival_count - count - 1].offset >= first)
		chunk__put_in_order(chunk, count);
}

static void assert_items(const struct chunk *chunk, const uint32_t *ids, uint32_t count)
{
	assert_int_equal(chunk->count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(chunk->items[i].id_low, ids[i]);
}

static struct chunk *new_chunk(void)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));

	assert_non_null(chunk);
	return chunk;
}

static void a_late_run_is_put_in_its_place(void **state)
{
	const uint32_t ids[] = { 1, 2, 20, 21, 10, 11 };
	struct chunk *chunk = new_chunk();
	bool may_share;

	(void)state;
	arrive_run(chunk, 0, 2, 1);
	arrive_run(chunk, 50, 2, 10);
	arrive_run(chunk, 30, 2, 20);
	assert_false(chunk->unsorted);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_false(may_share);
	assert_items(chunk, ids, 6);
	chunk__free(chunk);
}

static void what_does_not_fit_between_is_unsorted(void **state)
{
	const uint32_t ids[] = { 10, 20, 11, 21 };
	struct chunk *chunk = new_chunk();
	bool may_share;

	(void)state;
	arrive(chunk, 40, 10);
	arrive(chunk, 42, 11);
	arrive(chunk, 41, 20);
	arrive(chunk, 43, 21);
	chunk__put_in_order(chunk, 2);
	assert_true(chunk->unsorted);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_items(chunk, ids, 4);
	assert_false(chunk->unsorted);
	chunk__free(chunk);
}

static void a_long_run_waits_for_the_end(void **state)
{
	struct chunk *chunk = new_chunk();
	bool may_share;

	(void)state;
	arrive_run(chunk, 5000, 1, 1000);
	arrive_run(chunk, 0, 1000, 0);
	assert_true(chunk->unsorted);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	for (uint32_t i = 0; i <= 1000; i++)
		assert_int_equal(chunk->items[i].id_low, i);
	chunk__free(chunk);
}

static void one_address_for_two_is_noticed(void **state)
{
	struct chunk *chunk = new_chunk();
	bool may_share = false;

	(void)state;
	arrive_run(chunk, 40, 3, 1);
	arrive_run(chunk, 42, 3, 10);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_true(may_share);
	assert_int_equal(chunk->items[2].offset, chunk->items[3].offset);
	chunk__free(chunk);
}

/* The same with hundreds, which are sorted in another way. */
static void one_address_for_two_among_many(void **state)
{
	struct chunk *chunk = new_chunk();
	bool may_share = false;
	uint32_t shared = 0;

	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		arrive(chunk, 2 * (299 - i), i);
	arrive(chunk, 100, 1000);
	chunk->unsorted = true;
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_true(may_share);
	for (uint32_t i = 1; i < chunk->count; i++) {
		assert_true(chunk->items[i - 1].offset <= chunk->items[i].offset);
		shared += chunk->items[i - 1].offset == chunk->items[i].offset;
	}
	assert_int_equal(shared, 1);
	chunk__free(chunk);
}

static void hits_are_taken_out_wherever_they_stand(void **state)
{
	const uint32_t ids[] = { 2, 4 };
	struct chunk *chunk = new_chunk();
	bool may_share;

	(void)state;
	arrive_run(chunk, 0, 2, 1);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	arrive_run(chunk, 8, 2, 3);
	chunk->items[0].flags |= OBJECT_HIT;
	chunk->arrivals[0].flags |= OBJECT_HIT;
	chunk->hit = true;
	chunk__drop_hits(chunk);
	assert_false(chunk->hit);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_items(chunk, ids, 2);
	chunk__free(chunk);
}

static void an_index_is_the_first_at_or_above(void **state)
{
	struct chunk *chunk = new_chunk();
	bool may_share;

	(void)state;
	assert_int_equal(chunk__index(chunk, 0), 0);
	for (uint32_t i = 0; i < 10; i++)
		arrive(chunk, 10 * i + 5, i);
	assert_int_equal(chunk__merge(chunk, &may_share), 0);
	assert_int_equal(chunk__index(chunk, 0), 0);
	assert_int_equal(chunk__index(chunk, 5), 0);
	assert_int_equal(chunk__index(chunk, 6), 1);
	assert_int_equal(chunk__index(chunk, 95), 9);
	assert_int_equal(chunk__index(chunk, 96), 10);
	assert_int_equal(chunk__index(chunk, CHUNK_BYTES), 10);
	chunk__free(chunk);
}

static void what_is_not_idle_is_kept(void **state)
{
	const struct object told = at(1, 0);
	struct chunk *chunk = new_chunk();

	(void)state;
	assert_true(chunk__is_idle(chunk));
	assert_int_equal(chunk__tell(chunk, &told), 0);
	assert_false(chunk__is_idle(chunk));
	chunk__drop_told(chunk);
	assert_true(chunk__is_idle(chunk));
	chunk->listed[OBJECT_SLOTS - 1] = true;
	assert_false(chunk__is_idle(chunk));
	chunk->listed[OBJECT_SLOTS - 1] = false;
	arrive(chunk, 1, 1);
	assert_false(chunk__is_idle(chunk));
	chunk__free(chunk);
}

/* ---------------------------------------------------------------- any order */

/* Free offsets for a run; 0: that is as many as there are from `first` on. */
static uint32_t room(const uint32_t *ids, uint32_t first, uint32_t most)
{
	uint32_t count = 0;

	while (count < most && first + count < OFFSETS && !ids[first + count])
		count++;
	return count;
}

static void fill(struct chunk *chunk, uint32_t *ids, uint32_t *id, uint32_t runs)
{
	for (uint32_t i = 0; i < runs; i++) {
		const uint32_t first = any(OFFSETS), count = room(ids, first, 1 + any(20));

		if (count > 0)
			arrive_run(chunk, first, count, *id);
		for (uint32_t j = 0; j < count; j++)
			ids[first + j] = (*id)++;
	}
}

static void any_order_ends_sorted(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < CHUNKS; n++) {
		struct chunk *chunk = new_chunk();
		uint32_t ids[OFFSETS] = { 0 }, id = 1, found = 0;
		bool may_share;

		for (unsigned int phase = 0; phase < 3; phase++) {
			fill(chunk, ids, &id, any(2) ? any(4) : any(40));
			if (chunk->arrival_count == 0)
				continue;
			assert_int_equal(chunk__merge(chunk, &may_share), 0);
			assert_true(chunk->alloc >= chunk->count);
			assert_int_equal(chunk->arrival_count, 0);
		}
		for (uint32_t i = 0; i < OFFSETS; i++) {
			if (!ids[i])
				continue;
			assert_true(found < chunk->count);
			assert_int_equal(chunk->items[found].offset, i);
			assert_int_equal(chunk->items[found++].id_low, ids[i]);
		}
		assert_int_equal(found, chunk->count);
		chunk__free(chunk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_run_is_put_in_its_place),
		cmocka_unit_test(what_does_not_fit_between_is_unsorted),
		cmocka_unit_test(a_long_run_waits_for_the_end),
		cmocka_unit_test(one_address_for_two_is_noticed),
		cmocka_unit_test(one_address_for_two_among_many),
		cmocka_unit_test(hits_are_taken_out_wherever_they_stand),
		cmocka_unit_test(an_index_is_the_first_at_or_above),
		cmocka_unit_test(what_is_not_idle_is_kept),
		cmocka_unit_test(any_order_ends_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
