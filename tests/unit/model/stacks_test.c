/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks as a tree: what is shared is there once, at whatever depth they are merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/random.h"
#include "model/stacks.h"

static uint32_t end_of(struct stacks *stacks, uint64_t id)
{
	uint32_t node;

	assert_int_equal(stacks__use(stacks, id, &node), 0);
	assert_int_equal(stacks__node(stacks, id), node);
	return node;
}

static void shares_inner_frames(void **state)
{
	struct stacks stacks = { .memory = { 0 } };
	uint32_t a, b;

	(void)state;
	assert_int_equal(end_of(&stacks, 7), STACKS_ROOT); /* not defined yet */
	assert_int_equal(stacks__define(&stacks, 7, text__of("put\nload\nmain\n")), 0);
	assert_int_equal(stacks__define(&stacks, 8, text__of("put\nrun")), 0);
	a = end_of(&stacks, 7);
	b = end_of(&stacks, 8);
	assert_int_equal(stacks.nodes.items[a].depth, 3);
	assert_int_equal(stacks.nodes.items[b].depth, 2);
	assert_int_equal(stacks__at(&stacks, a, 1), stacks__at(&stacks, b, 1));
	assert_int_not_equal(stacks__at(&stacks, a, 2), stacks__at(&stacks, b, 2));
	assert_int_equal(stacks__at(&stacks, a, 3), a);
	assert_int_equal(stacks__at(&stacks, a, 0), a);
	assert_int_equal(stacks__at(&stacks, b, 100), b);
	assert_true(text__is(stacks__frame(&stacks, a), "main"));
	assert_true(text__is(stacks__frame(&stacks, stacks__at(&stacks, a, 1)), "put"));
	/* Root, put, load, main, run. */
	assert_int_equal(stacks.nodes.count, 5);
	assert_int_equal(stacks.frames.count, 4);
	/* Told again: nothing is new. */
	assert_int_equal(stacks__define(&stacks, 7, text__of("put\nload\nmain\n")), 0);
	assert_int_equal(stacks.nodes.count, 5);
	assert_int_equal(stacks.ends.count, 2);
	stacks__free(&stacks);
}

static void takes_any_bytes(void **state)
{
	static const struct text odd[] = { { "", 0 }, { "\n", 1 }, { "\n\n\n", 3 },
					   { "a\0b\n\xff", 5 } };
	static const uint32_t depths[] = { 0, 1, 3, 2 };
	struct stacks stacks = { .memory = { 0 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(stacks__define(&stacks, i, odd[i]), 0);
		assert_int_equal(stacks.nodes.items[end_of(&stacks, i)].depth, depths[i]);
	}
	assert_int_equal(stacks__frame(&stacks, stacks__at(&stacks, end_of(&stacks, 3), 1)).bytes,
			 3);
	stacks__free(&stacks);
}

/* Many of them, spelled out again from the tree. */
static void keeps_what_was_told(void **state)
{
	struct stacks stacks = { .memory = { 0 } };
	uint64_t seed = 99;
	char text[64];

	(void)state;
	for (unsigned int run = 0; run < 2; run++) {
		for (uint64_t id = 1; id <= 20000; id++) {
			uint64_t of = id * 2654435761u;
			const struct text told = { text, (size_t)snprintf(text, sizeof(text),
				"f%u\ng%u\nh%u\n", (unsigned int)of % 50,
				(unsigned int)(of >> 8) % 50, (unsigned int)(of >> 16) % 50) };
			uint32_t node;
			char back[64];

			if (run == 0 || random__chance(&seed, 30))
				assert_int_equal(stacks__define(&stacks, id, told), 0);
			node = end_of(&stacks, id);
			assert_int_equal(stacks.nodes.items[node].depth, 3);
			snprintf(back, sizeof(back), "%s\n%s\n%s\n",
				 stacks__frame(&stacks, stacks__at(&stacks, node, 1)).at,
				 stacks__frame(&stacks, stacks__at(&stacks, node, 2)).at,
				 stacks__frame(&stacks, node).at);
			assert_string_equal(back, text);
		}
	}
	assert_int_equal(stacks.frames.count, 150);
	stacks__free(&stacks);
}

static void define(struct stacks *stacks, uint64_t id, unsigned int of)
{
	char text[64];
	const struct text told = { text, (size_t)snprintf(text, sizeof(text), "f%u\nmain\n", of) };

	assert_int_equal(stacks__define(stacks, id, told), 0);
}

/* By another id each time, as one tells them that forgets what no sample has. */
static void forgets_what_is_not_told_again(void **state)
{
	struct stacks stacks = { .memory = { 0 } };
	uint64_t id = 1;
	size_t most = 0;

	(void)state;
	define(&stacks, id, 0);
	for (unsigned int round = 0; round < 100; round++) {
		define(&stacks, 1, 0);
		for (unsigned int of = 0; of < 3000; of++)
			define(&stacks, ++id, of);
		assert_int_equal(stacks__end_round(&stacks, round % 2), 0);
		/* Those of this round, and it may be of the one before. */
		for (unsigned int of = 0; of < 3000; of++)
			assert_int_equal(stacks.nodes.items[end_of(&stacks, id - of)].depth, 2);
		most = stacks.ends.count > most ? stacks.ends.count : most;
	}
	assert_int_equal(end_of(&stacks, 1), end_of(&stacks, 2 + (id - 1) / 3000 * 3000 - 3000));
	assert_int_equal(end_of(&stacks, 2), STACKS_ROOT);
	assert_true(stacks.nodes.count == 6001 && most < 3 * stacks.nodes.count + 4096);
	stacks__free(&stacks);
}

/* By one id each: who tells so may never tell it again. */
static void forgets_none_that_is_told_by_one_id(void **state)
{
	struct stacks stacks = { .memory = { 0 } };

	(void)state;
	for (unsigned int id = 1; id <= 20000; id++)
		define(&stacks, id, id);
	for (unsigned int round = 0; round < 10; round++)
		assert_int_equal(stacks__end_round(&stacks, 0), 0);
	for (unsigned int id = 1; id <= 20000; id++)
		assert_int_not_equal(end_of(&stacks, id), STACKS_ROOT);
	stacks__free(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_inner_frames),
		cmocka_unit_test(takes_any_bytes),
		cmocka_unit_test(keeps_what_was_told),
		cmocka_unit_test(forgets_what_is_not_told_again),
		cmocka_unit_test(forgets_none_that_is_told_by_one_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
