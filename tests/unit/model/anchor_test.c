/* SPDX-License-Identifier: BSD-2-Clause */
/* A dump against what is believed: single stories, and random heaps against a plain map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/anchor.h"
#include "unit/random.h"

#define HEAPS 5000
#define SLOTS 64
#define BASE UINT64_C(0x1fe00) /* so that some lie on both sides of a chunk's end */

struct ends {
	uint64_t count[4]; /* by fate */
	uint64_t came;
	unsigned int state; /* of what comes */
};

/* Of one test. */
static struct objects objects;
static struct ends ends;

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

static void left(void *context, const struct object *object, uint64_t address,
		 enum object_fate fate)
{
	struct ends *ends = context;

	(void)object;
	(void)address;
	ends->count[fate]++;
}

static unsigned int state_of(void *context, uint64_t address)
{
	const struct ends *ends = context;

	(void)address;
	return ends->state;
}

static void came(void *context, const struct object *object, uint64_t address)
{
	struct ends *ends = context;

	assert_true(object__id(object) > 0);
	assert_true(address >= 8);
	ends->came++;
}

static void add(uint64_t address, uint64_t size, uint32_t type, bool told)
{
	const struct object_birth birth = { .address = address, .size = size, .type = type,
					    .told = told };

	assert_int_equal(objects__add(&objects, &birth), 0);
}

static void settle(void)
{
	uint64_t clashes = 0;

	assert_int_equal(objects__settle(&objects, &clashes), 0);
	assert_int_equal(clashes, 0);
}

static struct anchor match(bool whole)
{
	const struct anchor_options options = { .whole = whole, .birth = 9, .state = state_of,
						.came = came, .context = &ends };
	struct anchor result = { 0 };

	objects.left = left;
	objects.context = &ends;
	assert_int_equal(anchor__match(&objects, &options, &result), 0);
	return result;
}

static int begin(void **state)
{
	(void)state;
	objects = (struct objects){ 0 };
	ends = (struct ends){ .state = 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	objects__free(&objects);
	return 0;
}

static void the_same_keep_their_names(void **state)
{
	struct anchor result;

	(void)state;
	add(0x10000, 16, 1, false);
	add(0x10010, 16, 1, false);
	add(0x10020, 16, 1, false);
	settle();
	add(0x10020, 16, 2, true); /* another type */
	add(0x10000, 16, 1, true);
	add(0x90000, 16, 1, true);
	result = match(true);
	assert_int_equal(result.told, 3);
	assert_int_equal(result.matched, 1);
	assert_int_equal(result.conflicts, 1);
	assert_int_equal(result.gone, 1);
	assert_int_equal(result.new_, 2);
	assert_int_equal(object__id(objects__at(&objects, 0x10000)), 1);
	assert_null(objects__at(&objects, 0x10010));
	assert_int_equal(object__id(objects__at(&objects, 0x10020)), 4);
	assert_int_equal(objects__at(&objects, 0x90000)->birth, 9);
	assert_int_equal(objects.count, 3);
	assert_int_equal(ends.count[OBJECT_GONE], 1);
	assert_int_equal(ends.count[OBJECT_CONFLICT], 1);
	assert_int_equal(ends.came, 2);
}

static void a_part_makes_nobody_gone(void **state)
{
	struct anchor result;

	(void)state;
	add(0x10000, 16, 1, false);
	add(0x10010, 16, 1, false);
	settle();
	add(0x10000, 16, 1, true);
	result = match(false);
	assert_int_equal(result.gone, 0);
	assert_int_equal(result.matched, 1);
	assert_non_null(objects__at(&objects, 0x10010));
}

static void an_empty_dump_of_the_whole_leaves_nobody(void **state)
{
	(void)state;
	add(0x10000, 16, 1, false);
	settle();
	assert_int_equal(match(true).gone, 1);
	assert_int_equal(objects.count, 0);
}

static void told_twice_is_one(void **state)
{
	struct anchor result;

	(void)state;
	add(0x10000, 16, 1, true);
	add(0x10000, 16, 1, true);
	result = match(true);
	assert_int_equal(result.repeated, 1);
	assert_int_equal(result.new_, 1);
	assert_int_equal(objects.count, 1);
}

static void large_sizes_are_compared_whole(void **state)
{
	const uint64_t large = UINT64_C(3) << 33;
	struct anchor result;

	(void)state;
	add(0x10000, large, 1, false);
	add(0x20000, large, 1, false);
	settle();
	add(0x10000, large, 1, true);
	add(0x20000, large + 8, 1, true);
	result = match(true);
	assert_int_equal(result.matched, 1);
	assert_int_equal(result.conflicts, 1);
	assert_int_equal(objects__size(&objects, objects__at(&objects, 0x20000)), large + 8);
}

/* What is first told while a collection runs has a state, and its chunk is known for it. */
static void newcomers_are_held(void **state)
{
	(void)state;
	ends.state = OBJECT_PERHAPS << 2 * 1;
	add(0x10000, 16, 1, true);
	match(true);
	assert_int_equal(object__state(objects__at(&objects, 0x10000), 1), OBJECT_PERHAPS);
	assert_int_equal(objects.held[1].count, 1);
	assert_int_equal(objects.held[1].items[0]->held[1], 1);
}

static void what_was_told_can_be_dropped(void **state)
{
	struct anchor result;

	(void)state;
	add(0x10000, 16, 1, false);
	settle();
	add(0x20000, 16, 1, true);
	anchor__drop(&objects);
	result = match(false);
	assert_int_equal(result.told, 0);
	assert_int_equal(objects.count, 1);
}

/* ---------------------------------------------------------------- random heaps */

struct thing {
	uint64_t id; /* 0: none here */
	uint32_t type;
};

static void believe(struct thing *things)
{
	for (uint64_t i = 0; i < SLOTS; i++) {
		if (any(2))
			continue;
		things[i].type = (uint32_t)any(3);
		add(BASE + 16 * i, 16, things[i].type, false);
		things[i].id = objects.ids;
	}
	settle();
}

static void any_dump_is_matched(void **state)
{
	for (unsigned int n = 0; n < HEAPS; n++) {
		struct thing things[SLOTS] = { { 0 } };
		struct anchor want = { 0 }, got;
		const bool whole = any(2);
		uint64_t shuffle = any(SLOTS);

		begin(state);
		believe(things);
		for (uint64_t k = 0; k < SLOTS; k++) {
			const uint64_t i = (k * 5 + shuffle) % SLOTS; /* in another order */
			const uint32_t type = (uint32_t)any(3);

			if (any(3) == 0) {
				want.gone += things[i].id && whole;
				things[i].id = whole ? 0 : things[i].id;
				continue;
			}
			add(BASE + 16 * i, 16, type, true);
			want.told++;
			want.matched += things[i].id && things[i].type == type;
			want.conflicts += things[i].id && things[i].type != type;
			want.new_ += !things[i].id || things[i].type != type;
			if (!things[i].id || things[i].type != type)
				things[i] = (struct thing){ UINT64_MAX, type };
		}
		got = match(whole);
		assert_memory_equal(&got, &want, sizeof(got));
		for (uint64_t i = 0; i < SLOTS; i++) {
			const struct object *object = objects__at(&objects, BASE + 16 * i);

			assert_int_equal(!object, !things[i].id);
			if (!object)
				continue;
			assert_int_equal(object->type, things[i].type);
			if (things[i].id != UINT64_MAX)
				assert_int_equal(object__id(object), things[i].id);
		}
		end(state);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_keep_their_names),
		TEST(a_part_makes_nobody_gone),
		TEST(an_empty_dump_of_the_whole_leaves_nobody),
		TEST(told_twice_is_one),
		TEST(large_sizes_are_compared_whole),
		TEST(newcomers_are_held),
		TEST(what_was_told_can_be_dropped),
		cmocka_unit_test(any_dump_is_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
