/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that grows and moves holds what stood in it, is zero where new, and is counted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/memory.h"

#define MIB (UINT64_C(1) << 20)

static uint64_t stamp(uint64_t i)
{
	return i * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(uint64_t *at, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		at[i] = stamp(i);
}

static void expect(const uint64_t *at, uint64_t to)
{
	uint64_t differ = 0;

	for (uint64_t i = 0; i < to; i++)
		differ += at[i] != stamp(i);
	assert_int_equal(differ, 0);
}

/* From the allocator to small pages to huge ones and back, other pieces in the way. */
static void sizes_of_all_kinds_keep_what_they_hold(void **state)
{
	static const uint64_t sizes[] = { 100, 70000, 300000, 5 * MIB, 5 * MIB + 4096, 23 * MIB,
					  64 * MIB, 9 * MIB, 3 * MIB, 4096, 8 };
	struct memory memory = { 0 };
	void *between[sizeof(sizes) / sizeof(*sizes)];
	uint64_t bytes = 64, kept;
	uint64_t *at = memory__get(&memory, bytes);

	(void)state;
	fill(at, 0, bytes / 8);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		between[i] = memory__get(&memory, 6 * MIB);
		at = memory__resize(&memory, at, bytes, sizes[i]);
		assert_non_null(at);
		kept = bytes < sizes[i] ? bytes / 8 : sizes[i] / 8;
		expect(at, kept);
		bytes = sizes[i];
		fill(at, kept, bytes / 8);
		assert_int_equal(memory.used, bytes + (i + 1) * 6 * MIB);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		memory__put(&memory, between[i], 6 * MIB);
	memory__put(&memory, at, bytes);
	assert_int_equal(memory.used, 0);
}

static void new_memory_is_zero(void **state)
{
	struct memory memory = { 0 };

	(void)state;
	for (uint64_t bytes = 8; bytes <= 32 * MIB; bytes *= 16) {
		uint64_t *at = memory__get(&memory, bytes), any = 0;

		for (uint64_t i = 0; i < bytes / 8; i++)
			any |= at[i];
		assert_int_equal(any, 0);
		fill(at, 0, bytes / 8);
		memory__put(&memory, at, bytes);
	}
}

static void a_pile_holds_what_was_put_on_it(void **state)
{
	struct memory memory = { 0 };
	struct pile pile = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 4 * MIB; i++)
		*(uint64_t *)pile__add(&pile, &memory, 8) = stamp(i);
	expect((const uint64_t *)(const void *)pile.at, 4 * MIB);
	pile__trim(&pile, &memory);
	assert_int_equal(pile.room, pile.used);
	expect((const uint64_t *)(const void *)pile.at, 4 * MIB);
	pile__free(&pile, &memory);
	assert_int_equal(memory.used, 0);
}

/* Pages from the first byte that is free to the last one that was wished for. */
static uint64_t absent_pages(const struct pile *pile, uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint8_t *from = pile->at + pile->used, *const end = from + bytes, is_there;
	uint64_t absent = 0;

	for (from -= (uintptr_t)from & (page - 1); from < end; from += page)
		absent += mincore(from, page, &is_there) || !(is_there & 1);
	return absent;
}

static void a_warm_pile_has_its_pages_and_what_it_held(void **state)
{
	struct memory memory = { 0 };
	struct pile pile = { 0 };
	const uint8_t *at;

	(void)state;
	pile__warm(&pile, &memory, 0);
	assert_int_equal(pile.room, 0);
	for (uint64_t i = 0; i < MIB; i++)
		*(uint64_t *)pile__add(&pile, &memory, 8) = stamp(i);
	pile__warm(&pile, &memory, 9 * MIB);
	at = pile.at;
	assert_int_equal(pile.used, 8 * MIB);
	assert_true(pile.room >= 17 * MIB);
	assert_int_equal(absent_pages(&pile, 9 * MIB), 0);
	for (uint64_t i = MIB; i < 2 * MIB; i++)
		*(uint64_t *)pile__add(&pile, &memory, 8) = stamp(i);
	assert_ptr_equal(pile.at, at);
	expect((const uint64_t *)(const void *)pile.at, 2 * MIB);
	pile__free(&pile, &memory);
	assert_int_equal(memory.used, 0);
}

static void nothing_is_warmed_against_the_limit(void **state)
{
	struct memory memory = { .limit = 10 * MIB };
	struct pile pile = { 0 };

	(void)state;
	*(uint64_t *)pile__add(&pile, &memory, 8) = stamp(0);
	pile__warm(&pile, &memory, 10 * MIB);
	pile__warm(&pile, &memory, UINT64_MAX);
	assert_true(pile.room < MIB);
	assert_false(memory.refused);
	assert_int_equal(memory.used, pile.room);
	expect((const uint64_t *)(const void *)pile.at, 1);
	pile__free(&pile, &memory);
}

static void the_limit_refuses_and_changes_nothing(void **state)
{
	struct memory memory = { .limit = 10 * MIB };
	uint64_t *at = memory__get(&memory, 8 * MIB);

	(void)state;
	fill(at, 0, MIB);
	assert_null(memory__resize(&memory, at, 8 * MIB, 11 * MIB));
	assert_int_equal(memory__error(&memory), -EDQUOT);
	assert_null(memory__get(&memory, 3 * MIB));
	expect(at, MIB);
	assert_int_equal(memory.used, 8 * MIB);
	memory__put(&memory, at, 8 * MIB);
}

/* What an array has room for is counted while it stands, what the limit refuses is not added. */
static void arrays_are_counted(void **state)
{
	struct memory memory = { .limit = 1000 };
	VEC(uint64_t) array = VEC_INIT;
	uint64_t i = 0;
	int err;

	(void)state;
	for (; !(err = memory__push(&memory, &array, stamp(i))); i++)
		assert_int_equal(memory.used, array.alloc * 8);
	assert_int_equal(err, -EDQUOT);
	assert_int_equal(memory__error(&memory), -EDQUOT);
	assert_int_equal(array.count, 64);
	expect(array.items, array.count);
	memory__free_vec(&memory, &array);
	assert_int_equal(memory.used, 0);
	assert_int_equal(memory.highest, 64 * 8);
}

/* However little of it is left. */
static void what_is_kept_is_taken_or_goes_back(void **state)
{
	(void)state;
	for (uint64_t left = 0; left <= MIB; left += MIB / 16) {
		struct memory memory = { 0 };
		uint64_t *at;

		memory__keep(&memory, memory__get(&memory, MIB + left), MIB + left);
		at = memory__take(&memory, MIB - 8);
		assert_non_null(at);
		fill(at, 0, MIB / 8 - 1);
		memory__release(&memory);
		expect(at, MIB / 8 - 1);
		assert_int_equal(memory.used, MIB - 8);
		memory__put(&memory, at, MIB - 8);
		assert_int_equal(memory.used, 0);
	}
}

static void a_pile_is_cut_wherever_it_ends(void **state)
{
	(void)state;
	for (uint64_t words = 1000; words <= 40000; words += 1000) {
		struct memory memory = { 0 };
		struct pile pile = { 0 };

		for (uint64_t i = 0; i < words; i++)
			*(uint64_t *)pile__add(&pile, &memory, 8) = stamp(i);
		pile__cut(&pile, &memory, 0);
		memory__release(&memory);
		expect((const uint64_t *)(const void *)pile.at, words);
		pile__free(&pile, &memory);
		assert_int_equal(memory.used, 0);
	}
}

/* Pieces come out of what was kept, none over another, and all is counted once. */
static void what_is_kept_is_taken_again(void **state)
{
	static const uint64_t sizes[] = { 3 * MIB + 5 * 8, 300000, 4 * MIB, 100, 2 * MIB, 9 * MIB };
	const size_t count = sizeof(sizes) / sizeof(*sizes);
	struct memory memory = { 0 };
	uint64_t *at[sizeof(sizes) / sizeof(*sizes)], sum = 0;

	(void)state;
	memory__keep(&memory, memory__get(&memory, 8 * MIB + 24), 8 * MIB + 24);
	memory__keep(&memory, memory__get(&memory, 2 * MIB), 2 * MIB);
	memory__keep(&memory, memory__get(&memory, 64), 64);
	assert_true(memory.used <= 10 * MIB + 24);
	for (size_t i = 0; i < count; i++) {
		at[i] = memory__take(&memory, sizes[i]);
		assert_non_null(at[i]);
		fill(at[i], 0, sizes[i] / 8);
		sum += sizes[i];
	}
	for (size_t i = 0; i < count; i++)
		expect(at[i], sizes[i] / 8);
	assert_true(memory.used >= sum);
	memory__release(&memory);
	assert_int_equal(memory.used, sum);
	for (size_t i = 0; i < count; i++) { /* they are pieces like others */
		at[i] = memory__resize(&memory, at[i], sizes[i], sizes[i] + 5 * MIB);
		expect(at[i], sizes[i] / 8);
		memory__put(&memory, at[i], sizes[i] + 5 * MIB);
	}
	assert_int_equal(memory.used, 0);
}

static void the_limit_takes_what_is_kept(void **state)
{
	struct memory memory = { .limit = 10 * MIB };
	void *at;

	(void)state;
	memory__keep(&memory, memory__get(&memory, 8 * MIB), 8 * MIB);
	at = memory__get(&memory, 9 * MIB);
	assert_non_null(at);
	assert_int_equal(memory.used, 9 * MIB);
	memory__put(&memory, at, 9 * MIB);
	assert_int_equal(memory.used, 0);
}

/* Also where the limit has no room for as much as is wanted. */
static void a_pile_that_is_cut_holds_what_it_held(void **state)
{
	static const uint64_t limits[] = { 0, 12 * MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct memory memory = { .limit = limits[i] };
		struct pile pile = { 0 };
		uint64_t *at;

		fill(pile__add(&pile, &memory, 9 * MIB), 0, 9 * MIB / 8);
		pile.used = 2 * MIB + 8;
		pile__cut(&pile, &memory, 20 * MIB);
		at = memory__take(&memory, limits[i] ? MIB : 20 * MIB);
		assert_non_null(at);
		fill(at, 0, MIB / 8);
		expect((const uint64_t *)(const void *)pile.at, pile.used / 8);
		expect(at, MIB / 8);
		memory__put(&memory, at, limits[i] ? MIB : 20 * MIB);
		pile__free(&pile, &memory);
		memory__release(&memory);
		assert_int_equal(memory.used, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_all_kinds_keep_what_they_hold),
		cmocka_unit_test(new_memory_is_zero),
		cmocka_unit_test(a_pile_holds_what_was_put_on_it),
		cmocka_unit_test(a_warm_pile_has_its_pages_and_what_it_held),
		cmocka_unit_test(nothing_is_warmed_against_the_limit),
		cmocka_unit_test(the_limit_refuses_and_changes_nothing),
		cmocka_unit_test(arrays_are_counted),
		cmocka_unit_test(what_is_kept_is_taken_or_goes_back),
		cmocka_unit_test(a_pile_is_cut_wherever_it_ends),
		cmocka_unit_test(what_is_kept_is_taken_again),
		cmocka_unit_test(the_limit_takes_what_is_kept),
		cmocka_unit_test(a_pile_that_is_cut_holds_what_it_held),
	};

	return cmocka_run_group_tests_name("model/memory", tests, NULL, NULL);
}
