/* SPDX-License-Identifier: BSD-2-Clause */
/* What pools tell of a collection: exactly, at most, about, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "script.h"

#define YOUNG 1
#define FULL 3

/* Bytes before and after in the three pools of a generational heap. */
struct heap {
	uint64_t eden, eden_after, survivors, survivors_after, old, old_after;
};

static const struct heap usual = { 1000, 0, 100, 150, 300, 350 };

static void collect(struct script *s, uint64_t generations, enum event_pools tell,
		    const struct heap *heap)
{
	s->pools_tell = tell;
	gc_start(s, s->count + 1, generations, 0);
	s->fresh = true;
	pool(s, U, "Eden Space", heap->eden, heap->eden_after, U);
	s->fresh = false;
	pool(s, U, "Survivor Space", heap->survivors, heap->survivors_after, U);
	s->old = true;
	pool(s, U, "Old Gen", heap->old, heap->old_after, U);
	s->old = false;
	gc_finish(s, s->count + 1);
}

static const struct collection *last(const struct script *s)
{
	return &s->collections[s->count - 1].is;
}

static void assert_amount(struct amount amount, uint64_t low, uint64_t value, uint64_t high)
{
	assert_true(amount.known);
	assert_int_equal(amount.low, low);
	assert_int_equal(amount.value, value);
	assert_int_equal(amount.high, high);
	assert_int_equal(amount.estimated, low != high);
}

static void assert_nothing(const struct collection *of)
{
	assert_false(of->moved.bytes.known);
	assert_false(of->survived.bytes.known);
	assert_false(of->promoted.bytes.known);
	assert_false(of->dead.bytes.known);
}

static void without_gaps_they_are_exact(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	collect(&s, YOUNG, EVENT_POOLS_EXACT, &usual);
	assert_amount(last(&s)->condemned.bytes, 1100, 1100, 1100);
	assert_amount(last(&s)->moved.bytes, 200, 200, 200);
	assert_amount(last(&s)->survived.bytes, 200, 200, 200);
	assert_amount(last(&s)->promoted.bytes, 50, 50, 50);
	assert_amount(last(&s)->dead.bytes, 900, 900, 900);
	script__end(&s);
}

static void buffers_make_them_limits(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	collect(&s, YOUNG, EVENT_POOLS_BUFFERED, &usual);
	assert_amount(last(&s)->condemned.bytes, 1100, 1100, 1100);
	assert_amount(last(&s)->survived.bytes, 0, 200, 200);
	assert_amount(last(&s)->promoted.bytes, 0, 50, 50);
	assert_amount(last(&s)->dead.bytes, 900, 900, 1100);
	script__end(&s);
}

/* Where old regions are freed as well, what is dead is known from below only. */
static void an_old_pool_that_shrinks_tells_no_promotion(void **state)
{
	const struct heap mixed = { 1000, 0, 100, 150, 300, 250 };
	struct script s;

	(void)state;
	script__begin(&s);
	collect(&s, YOUNG, EVENT_POOLS_MIXED, &usual);
	assert_amount(last(&s)->condemned.bytes, 1100, 1100, 1400);
	assert_amount(last(&s)->survived.bytes, 0, 200, 500);
	assert_amount(last(&s)->promoted.bytes, 0, 50, 1100);
	assert_amount(last(&s)->dead.bytes, 900, 900, 1400);
	collect(&s, YOUNG, EVENT_POOLS_MIXED, &mixed);
	assert_false(last(&s)->survived.bytes.known);
	assert_false(last(&s)->promoted.bytes.known);
	assert_amount(last(&s)->dead.bytes, 1000, 1000, 1400);
	/* Of others that cannot be. */
	collect(&s, YOUNG, EVENT_POOLS_EXACT, &mixed);
	assert_nothing(last(&s));
	collect(&s, YOUNG, EVENT_POOLS_BUFFERED, &mixed);
	assert_nothing(last(&s));
	script__end(&s);
}

static void full_ones_leave_some_of_the_dead(void **state)
{
	const struct heap full = { 400, 0, 100, 0, 1000, 700 };
	struct script s;

	(void)state;
	script__begin(&s);
	collect(&s, FULL, EVENT_POOLS_BUFFERED, &full);
	assert_amount(last(&s)->condemned.bytes, 1500, 1500, 1500);
	assert_amount(last(&s)->survived.bytes, 0, 700, 700);
	assert_amount(last(&s)->dead.bytes, 800, 800, 1500);
	assert_false(last(&s)->moved.bytes.known);
	assert_false(last(&s)->promoted.bytes.known);
	script__end(&s);
}

/* A young collection that fails leaves something where it was, and nobody knows how much. */
static void what_did_not_come_to_its_end_tells_nothing(void **state)
{
	const struct heap failed = { 1000, 600, 100, 150, 300, 350 };
	const struct heap untold = { 1000, 0, 100, U, 300, 350 };
	struct script s;

	(void)state;
	script__begin(&s);
	collect(&s, YOUNG, EVENT_POOLS_EXACT, &failed);
	assert_nothing(last(&s));
	collect(&s, YOUNG, EVENT_POOLS_EXACT, &untold);
	assert_nothing(last(&s));
	collect(&s, YOUNG, EVENT_POOLS_NOTHING, &usual);
	assert_nothing(last(&s));
	s.how = GCTRACE_HOW_CONCURRENT;
	collect(&s, YOUNG, EVENT_POOLS_EXACT, &usual);
	assert_nothing(last(&s));
	script__end(&s);
}

/* Ranges tell what lives, pools what there was. */
static void pools_say_what_ranges_do_not(void **state)
{
	struct script s;

	(void)state;
	script__begin(&s);
	s.pools_tell = EVENT_POOLS_BUFFERED;
	gc_start(&s, 1, YOUNG, 0);
	moved(&s, 1, 0, 0, 8, 0x1000, 0x9000, 160);
	s.fresh = true;
	pool(&s, 1, "Eden Space", 1000, 0, U);
	s.fresh = false;
	pool(&s, 1, "Survivor Space", 100, 150, U);
	s.old = true;
	pool(&s, 1, "Old Gen", 300, 350, U);
	s.old = false;
	gc_finish(&s, 1);
	assert_amount(last(&s)->condemned.bytes, 1100, 1100, 1100);
	assert_amount(last(&s)->survived.bytes, 160, 160, 160);
	assert_amount(last(&s)->dead.bytes, 940, 940, 940);
	script__end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_gaps_they_are_exact),
		cmocka_unit_test(buffers_make_them_limits),
		cmocka_unit_test(an_old_pool_that_shrinks_tells_no_promotion),
		cmocka_unit_test(full_ones_leave_some_of_the_dead),
		cmocka_unit_test(what_did_not_come_to_its_end_tells_nothing),
		cmocka_unit_test(pools_say_what_ranges_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
