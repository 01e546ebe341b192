/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks: which are told, how often, and how long those who allocate wait for the lock meanwhile:
 * counted in entries that are looked at while it is held.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gctrace/probes.h>
#include <pthread.h>

#include "agents/common/table.h"
#include "agents/hotspot/frames.h"

#define MANY 20000u
#define FEW_LOOKS 1000u

static struct {
	bool is_held;
	unsigned looks, most_looks; /* since it is held, and ever */
} held;

static int lock_counting(pthread_mutex_t *mutex)
{
	const int err = pthread_mutex_lock(mutex);

	held.is_held = true;
	held.looks = 0;
	return err;
}

static int unlock_counting(pthread_mutex_t *mutex)
{
	held.is_held = false;
	return pthread_mutex_unlock(mutex);
}

static void *look_counting(const struct table *table, uint32_t index)
{
	if (held.is_held && ++held.looks > held.most_looks)
		held.most_looks = held.looks;
	return table__at(table, index);
}

static void hear(struct gctrace_writer *writer, uint32_t space, uint64_t id, uint64_t parent,
		 uint64_t value, const char *text, size_t bytes);

#define pthread_mutex_lock lock_counting
#define pthread_mutex_unlock unlock_counting
#define table__at look_counting
#define gctrace_write_define hear
#include "agents/hotspot/stacks.c"
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#undef table__at
#undef gctrace_write_define

/* ---- The rest of the agent ---- */

const char *frames__text(const struct visit *visit, const jvmtiFrameInfo *frame, uint32_t of,
			 size_t *bytes)
{
	(void)visit;
	(void)frame;
	(void)of;
	*bytes = 2;
	return "f\n";
}

void frames__begin_sweep(void)
{
}

void frames__keep(const jvmtiFrameInfo *frame, uint32_t of)
{
	(void)frame;
	(void)of;
}

void frames__end_sweep(void)
{
}

/* ---- The JVM: one frame, another place each time ---- */

static jlocation place;

static jvmtiError JNICALL get_stack(jvmtiEnv *env, jthread thread, jint start, jint most,
				    jvmtiFrameInfo *at, jint *depth)
{
	(void)env;
	(void)thread;
	(void)start;
	(void)most;
	at[0] = (jvmtiFrameInfo){ .location = place };
	*depth = 1;
	return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ functions = { .GetStackTrace = get_stack };
static jvmtiEnv environment = &functions;

static uint32_t take_one(jlocation at)
{
	uint32_t number;

	place = at;
	number = stacks__of_caller(&environment);
	assert_int_not_equal(number, 0);
	return number;
}

/* From number 1 on. */
static void take_many(void)
{
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(take_one(i), i + 1);
}

/* ---- Who hears it ---- */

static unsigned times_told[4 * MANY]; /* by what they are told by, from the first of the test on */
static uint64_t first_id;

static void hear(struct gctrace_writer *writer, uint32_t space, uint64_t id, uint64_t parent,
		 uint64_t value, const char *told, size_t bytes)
{
	(void)writer;
	(void)parent;
	(void)value;
	(void)told;
	assert_int_equal(space, GCTRACE_SPACE_STACK);
	assert_int_equal(bytes, 2);
	assert_in_range(id - first_id, 0, 4 * MANY - 1);
	times_told[id - first_id]++;
}

static unsigned times(uint32_t number)
{
	return times_told[stacks__id(number) - first_id];
}

static void tell_those_that_are_new(void)
{
	while (stacks__tell(NULL, NULL))
		continue;
}

static void expect_all(unsigned so_often)
{
	for (uint32_t number = 1; number <= MANY; number++)
		assert_int_equal(times(number), so_often);
}

/* ---- */

static int set_up(void **state)
{
	(void)state;
	if (!stacks.entries.at && !stacks__init())
		return -1;
	stacks__empty();
	memset(&held, 0, sizeof(held));
	memset(times_told, 0, sizeof(times_told));
	first_id = last_id + 1;
	return 0;
}

/* The only one that nobody holds and no sample has. */
static void forget_one(uint32_t number)
{
	stacks__let_go(number);
	stacks__begin_sweep();
	stacks__end_sweep();
	assert_int_equal(stacks__count(), MANY - 1);
}

static void each_is_told_once_a_round(void **state)
{
	(void)state;
	take_many();
	tell_those_that_are_new();
	expect_all(1);
	tell_those_that_are_new();
	expect_all(1);
	for (unsigned i = 2; i < 5; i++) {
		stacks__tell_again();
		tell_those_that_are_new();
		expect_all(i);
	}
}

static void nobody_waits_while_many_are_told_again(void **state)
{
	(void)state;
	take_many();
	tell_those_that_are_new();
	held.most_looks = 0;
	stacks__tell_again();
	tell_those_that_are_new();
	assert_in_range(held.most_looks, 1, FEW_LOOKS);
}

/* It is told once, as what it is now, also where its place was told in the same round. */
static void one_in_the_place_of_another_is_told(void **state)
{
	uint32_t number;

	(void)state;
	take_many();
	tell_those_that_are_new();
	forget_one(1);
	number = take_one(MANY);
	assert_int_equal(number, 1);
	assert_int_equal(times(number), 0);
	tell_those_that_are_new();
	expect_all(1);
	stacks__tell_again();
	tell_those_that_are_new();
	expect_all(2);
}

/* Behind the new one there are many that were told: they are looked at, but not all at once. */
static void nobody_waits_for_a_new_one_before_many(void **state)
{
	(void)state;
	take_many();
	tell_those_that_are_new();
	forget_one(1);
	take_one(MANY);
	held.most_looks = 0;
	tell_those_that_are_new();
	assert_in_range(held.most_looks, 1, FEW_LOOKS);
	expect_all(1);
}

static void rounds_begin_anew_behind_the_last_number(void **state)
{
	(void)state;
	round = UINT32_MAX - 1;
	take_many();
	tell_those_that_are_new();
	for (unsigned i = 2; i < 6; i++) {
		stacks__tell_again();
		forget_one(i);
		assert_int_equal(take_one(MANY + i), i);
		tell_those_that_are_new();
		assert_int_equal(times(i), 1);
		assert_int_equal(times(1), i);
		assert_int_equal(times(MANY), i);
	}
	assert_int_equal(round, 3);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_is_told_once_a_round),
		TEST(nobody_waits_while_many_are_told_again),
		TEST(one_in_the_place_of_another_is_told),
		TEST(nobody_waits_for_a_new_one_before_many),
		TEST(rounds_begin_anew_behind_the_last_number),
	};

	return cmocka_run_group_tests_name("agents/hotspot_stacks", tests, NULL, NULL);
}
