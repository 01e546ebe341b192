/* SPDX-License-Identifier: BSD-2-Clause */
/* What gctrace's agent adds to the pauses of a JVM, and what comes of it where the two disagree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gctrace/wire.h>

#include "runtime_script.h"

static struct runtime_script s;

static int begin(void **state)
{
	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.says_told = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	runtime_script__end(&s);
	return 0;
}

static void call(uint16_t kind)
{
	assert_int_equal(play_call(&s, kind, 0), 0);
}

static void operation(const char *name)
{
	s.now = 199;
	call(RECORD_HOTSPOT_SAFEPOINT_BEGIN);
	assert_int_equal(play_text(&s, RECORD_HOTSPOT_VMOP_BEGIN, name), 0);
}

static void operation_ends(const char *name)
{
	assert_int_equal(play_text(&s, RECORD_HOTSPOT_VMOP_END, name), 0);
	call(RECORD_HOTSPOT_SAFEPOINT_END);
}

static void beside(unsigned int flags)
{
	assert_int_equal(play_beside(&s, flags), 0);
}

static void collect(const char *manager)
{
	assert_int_equal(play_pool(&s, RECORD_HOTSPOT_POOL_BEGIN, manager, "Eden", 70), 0);
	assert_int_equal(play_pool(&s, RECORD_HOTSPOT_POOL_END, manager, "Eden", 0), 0);
}

/* A whole pause of one collection, with an agent that says how it ends. */
static void pause(const char *manager, unsigned int flags)
{
	operation("G1CollectForAllocation");
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect(manager);
	call(RECORD_HOTSPOT_GC_END);
	assert_int_equal(play_move(&s), 0);
	beside(flags);
	operation_ends("G1CollectForAllocation");
}

static void ranges_come_before_the_end_that_was_held_back(void **state)
{
	(void)state;
	pause("G1 Young Generation", GCTRACE_BESIDE_TOLD);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "206 t1 moved 1\n"
		       "204 t1 gc- told\n"
		       "209 t1 pause- suspend=1\n");
}

static void without_an_agent_nothing_is_held_back_or_told(void **state)
{
	(void)state;
	operation("G1CollectForAllocation");
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect("G1 Young Generation");
	call(RECORD_HOTSPOT_GC_END);
	operation_ends("G1CollectForAllocation");
	expect_log(&s, "199 t1 pause+\n"
		       "201 t1 gc+ young generations=1\n"
		       "203 t1 pool Eden before=70 after=0\n"
		       "203 t1 gc- untold\n"
		       "206 t1 pause- suspend=1\n");
}

static void an_agent_that_does_not_know_is_believed(void **state)
{
	(void)state;
	pause("G1 Young Generation", GCTRACE_BESIDE_UNTOLD);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "206 t1 moved 1\n"
		       "204 t1 gc- untold\n"
		       "209 t1 pause- suspend=1\n");
}

static void of_a_full_collection_no_ranges_hold(void **state)
{
	(void)state;
	pause("G1 Old Generation", GCTRACE_BESIDE_TOLD);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ full generations=3\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "204 t1 withdrawn\n"
		       "204 t1 gc- untold\n"
		       "209 t1 pause- suspend=1\n");
}

static void nothing_collected_where_the_jvm_says_young_is_a_contradiction(void **state)
{
	(void)state;
	pause("G1 Young Generation", 0);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "206 t1 moved 1\n"
		       "204 t1 withdrawn\n"
		       "204 t1 gc- untold\n"
		       "209 t1 pause- suspend=1\n");
}

static void two_collections_in_a_pause_are_one_too_many(void **state)
{
	(void)state;
	operation("ParallelGCFailedAllocation");
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect("PS Scavenge");
	collect("PS MarkSweep");
	call(RECORD_HOTSPOT_GC_END);
	assert_int_equal(play_move(&s), 0);
	beside(GCTRACE_BESIDE_TOLD);
	operation_ends("ParallelGCFailedAllocation");
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "205 t1 gc+ full generations=3\n"
		       "206 t1 pool Eden before=70 after=0\n"
		       "204 t1 gc- untold\n"
		       "206 t1 withdrawn\n"
		       "206 t1 gc- untold\n"
		       "211 t1 pause- suspend=1\n");
}

static void an_agent_that_falls_silent_knows_nothing(void **state)
{
	(void)state;
	operation("G1CollectForAllocation");
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect("G1 Young Generation");
	call(RECORD_HOTSPOT_GC_END);
	assert_int_equal(play_text(&s, RECORD_HOTSPOT_VMOP_END, "G1CollectForAllocation"), 0);
	assert_int_equal(s.stamp, 206); /* so late it was reported: perhaps after the trace's end */
	call(RECORD_HOTSPOT_SAFEPOINT_END);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n"
		       "204 t1 withdrawn\n"
		       "204 t1 gc- untold\n"
		       "207 t1 pause- suspend=1\n");
	/* And what it says later is of no collection. */
	assert_int_equal(play_move(&s), 0);
	beside(GCTRACE_BESIDE_TOLD);
	expect_log(&s, "");
	/* The next one goes without it. */
	operation("G1CollectForAllocation");
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect("G1 Young Generation");
	call(RECORD_HOTSPOT_GC_END);
	operation_ends("G1CollectForAllocation");
	expect_log(&s, "199 t1 pause+\n"
		       "201 t1 gc+ young generations=1\n"
		       "203 t1 pool Eden before=70 after=0\n"
		       "203 t1 withdrawn\n"
		       "203 t1 gc- untold\n"
		       "206 t1 pause- suspend=1\n");
}

/*
 * Newer JVMs tell the pools around the pause; where both say that nothing was collected, so it
 * is.
 */
static void a_remark_condemns_nothing_where_the_agent_agrees(void **state)
{
	(void)state;
	pause("G1 Young Generation", GCTRACE_BESIDE_TOLD);
	expect_log(&s, buf__str(&s.log));
	operation("G1PauseRemark");
	assert_int_equal(play_pool(&s, RECORD_HOTSPOT_POOL_BEGIN, "G1 Concurrent GC", "Old", 9),
			 0);
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	call(RECORD_HOTSPOT_GC_END);
	beside(0);
	assert_int_equal(play_pool(&s, RECORD_HOTSPOT_POOL_END, "G1 Concurrent GC", "Old", 9), 0);
	operation_ends("G1PauseRemark");
	expect_log(&s, "201 t1 gc+ remark generations=0\n"
		       "199 t1 pause+ remark\n"
		       "206 t1 pool Old before=9 after=9\n"
		       "206 t1 gc- untold\n"
		       "208 t1 pause- suspend=1\n");
}

static void a_remark_that_only_a_pause_tells(void **state)
{
	(void)state;
	operation("G1PauseRemark");
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	call(RECORD_HOTSPOT_GC_END);
	beside(0);
	operation_ends("G1PauseRemark");
	expect_log(&s, "199 t1 pause+ remark\n"
		       "202 t1 gc+ remark generations=0\n"
		       "203 t1 gc- untold\n"
		       "206 t1 pause- suspend=1\n");
}

static void a_loss_forgets_what_was_held_back(void **state)
{
	(void)state;
	operation("G1CollectForAllocation");
	beside(GCTRACE_BESIDE_START);
	call(RECORD_HOTSPOT_GC_BEGIN);
	collect("G1 Young Generation");
	call(RECORD_HOTSPOT_GC_END);
	expect_log(&s, "199 t1 pause+\n"
		       "202 t1 gc+ young generations=1\n"
		       "204 t1 pool Eden before=70 after=0\n");
	hotspot_translator.lost(s.state);
	assert_int_equal(play_move(&s), 0);
	beside(GCTRACE_BESIDE_TOLD);
	operation_ends("G1CollectForAllocation");
	expect_log(&s, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(ranges_come_before_the_end_that_was_held_back),
		TEST(without_an_agent_nothing_is_held_back_or_told),
		TEST(an_agent_that_does_not_know_is_believed),
		TEST(of_a_full_collection_no_ranges_hold),
		TEST(nothing_collected_where_the_jvm_says_young_is_a_contradiction),
		TEST(two_collections_in_a_pause_are_one_too_many),
		TEST(an_agent_that_falls_silent_knows_nothing),
		TEST(a_remark_condemns_nothing_where_the_agent_agrees),
		TEST(a_remark_that_only_a_pause_tells),
		TEST(a_loss_forgets_what_was_held_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
