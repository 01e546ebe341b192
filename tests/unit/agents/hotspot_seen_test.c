/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks of objects, against a list of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/seen.h"

#include <stdlib.h>

#define OBJECTS 3000
#define STEPS 100000

/* Neighbours, in heaps far from each other. */
static uint64_t id_of(unsigned n)
{
	static const uint64_t heaps[] = { 0x8, 0x7fffff8, 0x700000000, 0x40000000000,
					  0xffffffff0000 };

	return heaps[n % 5] + (uint64_t)(n / 5) * 8;
}

static void marks_are_those_that_were_set(void **state)
{
	static unsigned char truth[OBJECTS];

	(void)state;
	srandom(1);
	for (unsigned step = 0; step < STEPS; step++) {
		const unsigned n = (unsigned)random() % OBJECTS, marks = (unsigned)random() % 4;

		assert_int_equal(seen__mark(id_of(n), marks), truth[n]);
		truth[n] |= (unsigned char)marks;
	}
	seen__empty();
	for (unsigned n = 0; n < OBJECTS; n++)
		assert_int_equal(seen__mark(id_of(n), 0), 0);
	seen__empty();
}

/* Objects side by side and apart, some over the end of a word or of a leaf, some of 8 bytes. */
static void lengths_are_those_that_were_marked(void **state)
{
	static struct {
		uint64_t id, bytes;
	} objects[OBJECTS];
	uint64_t at = 0x707ffff000;

	(void)state;
	srandom(2);
	for (unsigned n = 0; n < OBJECTS; n++) {
		at += random() % 2 ? 0 : (uint64_t)(random() % 100) * 8;
		objects[n].id = at;
		objects[n].bytes = (uint64_t)(random() % (random() % 2 ? 4 : 200) + 1) * 8;
		at += objects[n].bytes;
	}
	for (unsigned n = OBJECTS; n-- > 0;) {
		assert_int_equal(seen__mark(objects[n].id, SEEN_REPORTED), 0);
		assert_true(seen__mark_end(objects[n].id, objects[n].bytes));
	}
	for (unsigned n = 0; n < OBJECTS; n++) {
		assert_int_equal(seen__bytes(objects[n].id), objects[n].bytes);
		assert_int_equal(seen__mark(objects[n].id, SEEN_VISITED), SEEN_REPORTED);
		assert_int_equal(seen__bytes(objects[n].id), objects[n].bytes);
	}
	seen__empty();
}

static void an_address_that_is_none_has_no_room(void **state)
{
	(void)state;
	assert_int_equal(seen__mark((uint64_t)1 << SEEN_ADDRESS_BITS, SEEN_REPORTED),
			 SEEN_NO_ROOM);
	assert_false(seen__mark_end(((uint64_t)1 << SEEN_ADDRESS_BITS) - 8, 16));
}

static void all_is_given_back(void **state)
{
	(void)state;
	seen__mark(0x700000000, SEEN_REPORTED);
	assert_int_equal(seen.leaves.used, SEEN_LEAF_BYTES);
	seen__empty();
	assert_int_equal(seen.leaves.used, 0);
}

static void leaves_come_to_an_end(void **state)
{
	const size_t room = seen.leaves.room;

	(void)state;
	seen.leaves.room = SEEN_LEAF_BYTES;
	assert_int_equal(seen__mark(0x700000000, SEEN_REPORTED), 0);
	assert_int_equal(seen__mark(0x800000000, SEEN_REPORTED), SEEN_NO_ROOM);
	assert_int_equal(seen__mark(0x700000000, 0), SEEN_REPORTED);
	seen.leaves.room = room;
	seen__empty();
}

static int init(void **state)
{
	(void)state;
	return seen__init() ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_those_that_were_set),
		cmocka_unit_test(lengths_are_those_that_were_marked),
		cmocka_unit_test(an_address_that_is_none_has_no_room),
		cmocka_unit_test(all_is_given_back),
		cmocka_unit_test(leaves_come_to_an_end),
	};

	return cmocka_run_group_tests_name("agents/hotspot_seen", tests, init, NULL);
}
