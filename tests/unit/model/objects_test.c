/* SPDX-License-Identifier: BSD-2-Clause */
/* The table: who comes, who leaves, who is where, and what it costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/objects.h"

struct leavers {
	uint64_t count, last_id, last_address;
	enum object_fate last_fate;
};

static void left(void *context, const struct object *object, uint64_t address,
		 enum object_fate fate)
{
	struct leavers *leavers = context;

	leavers->count++;
	leavers->last_id = object__id(object);
	leavers->last_address = address;
	leavers->last_fate = fate;
}

static void add(struct objects *objects, uint64_t address, uint64_t size)
{
	const struct object_birth birth = { .address = address, .size = size, .type = 3 };

	assert_int_equal(objects__add(objects, &birth), 0);
}

static void settle(struct objects *objects, uint64_t want_clashes)
{
	uint64_t clashes = 0;

	assert_int_equal(objects__settle(objects, &clashes), 0);
	assert_int_equal(clashes, want_clashes);
}

static void ids_are_given_in_order_and_stay(void **state)
{
	struct objects objects = { 0 };

	(void)state;
	add(&objects, 0x30000, 16);
	add(&objects, 0x10001, 16);
	add(&objects, UINT64_MAX, 16);
	settle(&objects, 0);
	assert_int_equal(objects.count, 3);
	assert_int_equal(object__id(objects__at(&objects, 0x30000)), 1);
	assert_int_equal(object__id(objects__at(&objects, 0x10001)), 2);
	assert_int_equal(object__id(objects__at(&objects, UINT64_MAX)), 3);
	assert_null(objects__at(&objects, 0x10000));
	assert_null(objects__at(&objects, 0x20000));
	objects__free(&objects);
}

static int note(void *context, const struct object *object, uint64_t address)
{
	uint64_t *last = context;

	(void)object;
	assert_true(address > *last);
	*last = address;
	return address == 0x50000 ? 7 : 0;
}

static void each_goes_by_address_until_told_to_stop(void **state)
{
	const uint64_t addresses[] = { 0x50000, 0x10008, 0x90000, 0x10000, 0x20000 };
	struct objects objects = { 0 };
	uint64_t last = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add(&objects, addresses[i], 8);
	settle(&objects, 0);
	assert_int_equal(objects__each(&objects, note, &last), 7);
	assert_int_equal(last, 0x50000);
	objects__free(&objects);
}

static void two_at_one_address_are_withdrawn(void **state)
{
	struct leavers leavers = { 0 };
	struct objects objects = { .left = left, .context = &leavers };

	(void)state;
	add(&objects, 0x10000, 8);
	add(&objects, 0x10010, 8);
	add(&objects, 0x10000, 8);
	settle(&objects, 1);
	assert_int_equal(leavers.count, 2);
	assert_int_equal(leavers.last_fate, OBJECT_WITHDRAWN);
	assert_int_equal(leavers.last_address, 0x10000);
	assert_int_equal(objects.count, 1);
	assert_null(objects__at(&objects, 0x10000));
	assert_int_equal(object__id(objects__at(&objects, 0x10010)), 2);
	objects__free(&objects);
}

static void large_sizes_are_kept_whole(void **state)
{
	const uint64_t large = UINT64_C(5) << 32;
	struct leavers leavers = { 0 };
	struct objects objects = { .left = left, .context = &leavers };
	const struct object *object;

	(void)state;
	add(&objects, 0x10000, large);
	add(&objects, 0x20000, UINT32_MAX);
	add(&objects, 0x30000, UINT32_MAX - 1);
	add(&objects, 0x40000, large + 1);
	settle(&objects, 0);
	assert_int_equal(objects__size(&objects, objects__at(&objects, 0x10000)), large);
	assert_int_equal(objects__size(&objects, objects__at(&objects, 0x20000)), UINT32_MAX);
	assert_int_equal(objects__size(&objects, objects__at(&objects, 0x30000)), UINT32_MAX - 1);
	object = objects__at(&objects, 0x10000);
	objects__leave(&objects, objects__find(&objects, 1), object, OBJECT_DEAD);
	assert_int_equal(leavers.last_id, 1);
	/* What another one's size is does not depend on who has left. */
	assert_int_equal(objects__size(&objects, objects__at(&objects, 0x40000)), large + 1);
	objects__free(&objects);
}

static void without_ids_nobody_comes(void **state)
{
	struct objects objects = { .ids = OBJECT_ID_MOST - 1 };

	(void)state;
	add(&objects, 0x10000, 8);
	add(&objects, 0x20000, 8);
	settle(&objects, 0);
	assert_int_equal(objects.refused, 1);
	assert_int_equal(objects.count, 1);
	assert_true(object__id(objects__at(&objects, 0x10000)) == OBJECT_ID_MOST);
	assert_null(objects__at(&objects, 0x20000));
	objects__free(&objects);
}

static void what_is_limited_says_so(void **state)
{
	const struct object_birth birth = { .address = 8, .size = 8, .type = OBJECT_TYPE_MOST,
					    .birth = UINT32_MAX, .born = true };
	struct objects objects = { 0 };
	const struct object *object;

	(void)state;
	assert_int_equal(objects__add(&objects, &birth), 0);
	settle(&objects, 0);
	object = objects__at(&objects, 8);
	assert_int_equal(object->birth, OBJECT_BIRTH_MOST);
	assert_int_equal(object->type, OBJECT_TYPE_MOST);
	assert_true(object->flags & OBJECT_BORN);
	objects__free(&objects);
}

static void states_are_of_their_slot_alone(void **state)
{
	struct object object = { .flags = OBJECT_BORN };

	(void)state;
	object__set_state(&object, 0, OBJECT_COVERED);
	object__set_state(&object, 1, OBJECT_PERHAPS);
	object__set_state(&object, 2, OBJECT_CONDEMNED);
	object__set_state(&object, 0, OBJECT_UNTOUCHED);
	assert_int_equal(object__state(&object, 0), OBJECT_UNTOUCHED);
	assert_int_equal(object__state(&object, 1), OBJECT_PERHAPS);
	assert_int_equal(object__state(&object, 2), OBJECT_CONDEMNED);
	assert_false(object__is_open(&object, 0));
	assert_true(object__is_open(&object, 1));
	assert_true(object__is_open(&object, 2));
	object__set_state(&object, 2, OBJECT_COVERED);
	assert_false(object__is_open(&object, 2));
	assert_int_equal(object.flags & ~OBJECT_STATES, OBJECT_BORN);
}

static void chunks_are_found_by_number(void **state)
{
	struct objects objects = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_non_null(objects__need(&objects, 7 * (999 - i)));
	assert_int_equal(objects__sort(&objects), 0);
	assert_int_equal(objects.sorted.count, 1000);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(objects.sorted.items[i]->number, 7 * i);
		assert_ptr_equal(objects__find(&objects, 7 * i), objects.sorted.items[i]);
		assert_null(objects__find(&objects, 7 * i + 1));
		assert_int_equal(objects__index(&objects, 0, 7 * i), i);
		assert_int_equal(objects__index(&objects, i, 7 * i + 1), i + 1);
	}
	objects__free(&objects);
}

static void empty_chunks_are_given_back(void **state)
{
	struct objects objects = { 0 };

	(void)state;
	add(&objects, UINT64_C(77) << CHUNK_SHIFT, 8);
	settle(&objects, 0);
	for (uint64_t i = 100; i < 2500; i++)
		assert_non_null(objects__need(&objects, i));
	objects__trim(&objects);
	assert_int_equal(objects.sorted.count, 1);
	assert_non_null(objects__at(&objects, UINT64_C(77) << CHUNK_SHIFT));
	assert_null(objects__find(&objects, 100));
	assert_non_null(objects__need(&objects, 100));
	objects__free(&objects);
}

static void an_object_costs_at_most_24_bytes(void **state)
{
	struct objects objects = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 200000; i++)
		add(&objects, (UINT64_C(1) << 32) + 40 * i, 40);
	settle(&objects, 0);
	assert_int_equal(objects.count, 200000);
	assert_true(objects__bytes(&objects) <= 24 * objects.count);
	assert_true(objects__bytes(&objects) >= sizeof(struct object) * objects.count);
	objects__free(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_given_in_order_and_stay),
		cmocka_unit_test(each_goes_by_address_until_told_to_stop),
		cmocka_unit_test(two_at_one_address_are_withdrawn),
		cmocka_unit_test(large_sizes_are_kept_whole),
		cmocka_unit_test(without_ids_nobody_comes),
		cmocka_unit_test(what_is_limited_says_so),
		cmocka_unit_test(states_are_of_their_slot_alone),
		cmocka_unit_test(chunks_are_found_by_number),
		cmocka_unit_test(empty_chunks_are_given_back),
		cmocka_unit_test(an_object_costs_at_most_24_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
