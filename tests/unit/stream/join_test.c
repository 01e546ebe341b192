/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream/join.h"

#define LIMIT 1000

static char letters[LIMIT * 2];

/* A part of so many letters; the whole name's bytes when it was the last one, else 0. */
static size_t add(struct joins *joins, uint32_t target, uint64_t id, size_t bytes, bool last,
		  uint64_t *incomplete)
{
	const struct join_key key = { .target = target, .id = id };
	const struct join_part part = { .name = { letters, bytes }, .last = last };
	struct text name, fields;

	memset(letters, 'x', sizeof(letters));
	return joins__add(joins, &key, &part, &name, &fields, incomplete) ? name.bytes : 0;
}

static void nobody_takes_the_room_of_others(void **state)
{
	struct joins *joins = joins__new(LIMIT);
	uint64_t incomplete = 0;

	(void)state;
	assert_non_null(joins);
	/* One target fills all there is with what it never ends ... */
	for (uint64_t id = 1; id <= 10; id++)
		add(joins, 1, id, 100, false, &incomplete);
	assert_int_equal(incomplete, 0);
	/* ... and has no more than that; another one has its part. */
	add(joins, 1, 11, 100, false, &incomplete);
	assert_int_equal(incomplete, 1);
	add(joins, 2, 1, 200, false, &incomplete);
	add(joins, 2, 1, 200, false, &incomplete);
	assert_int_equal(incomplete, 1); /* the other's losses are not its own */
	assert_int_equal(add(joins, 2, 1, 10, true, &incomplete), 410);
	/* The hostile one lost its oldest, the later ones go on. */
	assert_int_equal(add(joins, 1, 10, 5, true, &incomplete), 105);
	assert_int_equal(incomplete, 6);
	assert_int_equal(add(joins, 1, 1, 5, true, &incomplete), 5);
	assert_int_equal(joins__drop_target(joins, 1), 4);
	joins__free(joins);
}

static void losses_are_told_with_the_target_at_the_latest(void **state)
{
	struct joins *joins = joins__new(LIMIT);
	uint64_t incomplete = 0;

	(void)state;
	assert_non_null(joins);
	add(joins, 1, 1, LIMIT, false, &incomplete);
	add(joins, 2, 1, 10, false, &incomplete);
	assert_int_equal(incomplete, 0);
	assert_int_equal(joins__drop_target(joins, 1), 1);
	assert_int_equal(joins__drop_target(joins, 1), 0);
	assert_int_equal(joins__drop_target(joins, 2), 1);
	joins__free(joins);
}

static void nor_their_places(void **state)
{
	struct joins *joins = joins__new(0);
	uint64_t incomplete = 0;

	(void)state;
	assert_non_null(joins);
	add(joins, 2, 1, 7, false, &incomplete);
	for (uint64_t id = 1; id <= 3 * JOIN_PENDING; id++)
		add(joins, 1, id, 1, false, &incomplete);
	assert_int_equal(incomplete, 2 * JOIN_PENDING + 1);
	assert_int_equal(add(joins, 2, 1, 7, true, &incomplete), 14);
	joins__free(joins);
}

static void what_is_too_long_is_alone_to_go(void **state)
{
	struct joins *joins = joins__new(LIMIT);
	uint64_t incomplete = 0;

	(void)state;
	assert_non_null(joins);
	add(joins, 2, 1, 300, false, &incomplete);
	add(joins, 1, 1, LIMIT + 1, false, &incomplete);
	assert_int_equal(incomplete, 1);
	assert_int_equal(add(joins, 2, 1, 1, true, &incomplete), 301);
	joins__free(joins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_takes_the_room_of_others),
		cmocka_unit_test(losses_are_told_with_the_target_at_the_latest),
		cmocka_unit_test(nor_their_places),
		cmocka_unit_test(what_is_too_long_is_alone_to_go),
	};

	return cmocka_run_group_tests_name("stream/join", tests, NULL, NULL);
}
