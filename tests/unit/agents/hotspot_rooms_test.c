/* SPDX-License-Identifier: BSD-2-Clause */
/* Rooms: each is its owner's alone, and what was given back is given out again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "agents/hotspot/rooms.h"
#include "unit/random.h"

#define ALL (64u << 20)
#define OWNERS 500

static struct rooms rooms;

static int set_up(void **state)
{
	(void)state;
	if (!rooms.region.at)
		return rooms__reserve(&rooms, ALL) ? 0 : -1;
	rooms__empty(&rooms);
	return 0;
}

static void what_is_given_back_is_given_out_again(void **state)
{
	void *first = rooms__get(&rooms, 100), *other = rooms__get(&rooms, 100);

	(void)state;
	assert_ptr_not_equal(first, other);
	rooms__give_back(&rooms, first, 100);
	rooms__give_back(&rooms, other, 100);
	assert_ptr_equal(rooms__get(&rooms, 97), other);
	assert_ptr_equal(rooms__get(&rooms, 112), first);
	assert_ptr_not_equal(rooms__get(&rooms, 100), first);
}

static void none_is_larger_than_there_are(void **state)
{
	(void)state;
	assert_non_null(rooms__get(&rooms, 900000));
	assert_null(rooms__get(&rooms, 1 << 20));
	assert_null(rooms__get(&rooms, SIZE_MAX));
	while (rooms__get(&rooms, 500000))
		continue;
	assert_true(rooms.region.used <= ALL);
}

struct owner {
	unsigned char *room, word;
	size_t bytes;
};

static void expect_own(const struct owner *owner)
{
	for (size_t i = 0; i < owner->bytes; i++)
		assert_int_equal(owner->room[i], owner->word);
}

/* 500 owners of up to 1 KiB: never more than all of them would have, each the largest of a size. */
static void nobody_has_what_is_another_ones(void **state)
{
	static struct owner owners[OWNERS];
	uint64_t seed = 5;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		struct owner *owner = &owners[random__below(&seed, OWNERS)];

		if (owner->room) {
			expect_own(owner);
			rooms__give_back(&rooms, owner->room, owner->bytes);
		}
		owner->bytes = 1 + random__below(&seed, 1024) / (1 + random__below(&seed, 8));
		owner->word = (unsigned char)i;
		owner->room = rooms__get(&rooms, owner->bytes);
		assert_non_null(owner->room);
		assert_int_equal((uintptr_t)owner->room % 8, 0);
		memset(owner->room, owner->word, owner->bytes);
	}
	assert_in_range(rooms.region.used, 1, OWNERS * 1024 * 2);
	memset(owners, 0, sizeof(owners));
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_given_back_is_given_out_again),
		TEST(none_is_larger_than_there_are),
		TEST(nobody_has_what_is_another_ones),
	};

	return cmocka_run_group_tests_name("agents/hotspot_rooms", tests, NULL, NULL);
}
