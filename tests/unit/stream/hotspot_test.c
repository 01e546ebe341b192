/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orders of probes here are those of OpenJDK 17 and 25, as they were seen in running JVMs with
 * two pools instead of eight.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime_script.h"

#define VM_THREAD 1
#define DRIVER 9

/* From the safepoint to the operation: 2 ns later, all stand still. */
static void operation_begin(struct runtime_script *s, const char *name)
{
	s->tid = VM_THREAD;
	assert_int_equal(play_call(s, RECORD_HOTSPOT_SAFEPOINT_BEGIN, 0), 0);
	s->now++;
	assert_int_equal(play_text(s, RECORD_HOTSPOT_VMOP_BEGIN, name), 0);
}

static void operation_end(struct runtime_script *s, const char *name)
{
	assert_int_equal(play_text(s, RECORD_HOTSPOT_VMOP_END, name), 0);
	assert_int_equal(play_call(s, RECORD_HOTSPOT_SAFEPOINT_END, 0), 0);
}

static void gc_begin(struct runtime_script *s, uint64_t full)
{
	assert_int_equal(play_call(s, RECORD_HOTSPOT_GC_BEGIN, full), 0);
}

static void gc_end(struct runtime_script *s)
{
	assert_int_equal(play_call(s, RECORD_HOTSPOT_GC_END, 0), 0);
}

static void cause(struct runtime_script *s, const char *text)
{
	assert_int_equal(play_text(s, RECORD_HOTSPOT_CAUSE, text), 0);
}

static void before(struct runtime_script *s, const char *manager, const char *pool, uint64_t used)
{
	assert_int_equal(play_pool(s, RECORD_HOTSPOT_POOL_BEGIN, manager, pool, used), 0);
}

static void after(struct runtime_script *s, const char *manager, const char *pool, uint64_t used)
{
	assert_int_equal(play_pool(s, RECORD_HOTSPOT_POOL_END, manager, pool, used), 0);
}

/* Both pools of a manager, before and after: 4 ns. */
static void pools(struct runtime_script *s, const char *manager)
{
	before(s, manager, "Eden", 70);
	before(s, manager, "Old", 20);
	after(s, manager, "Eden", 0);
	after(s, manager, "Old", 30);
}

/* ---------------------------------------------------------------- one pause, one collection */

static void g1_young(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1CollectForAllocation");
	cause(&s, "No GC");
	cause(&s, "G1 Evacuation Pause");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	cause(&s, "No GC");
	operation_end(&s, "G1CollectForAllocation");
	expect_log(&s, "100 t1 pause+\n"
		       "105 t1 gc+ young cause=G1 Evacuation Pause generations=1\n"
		       "108 t1 pool Eden before=70 after=0\n"
		       "109 t1 pool Old before=20 after=30\n"
		       "109 t1 gc-\n"
		       "113 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

static void g1_full_after_young_in_one_operation(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1CollectForAllocation");
	cause(&s, "G1 Preventive Collection");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	cause(&s, "G1 Compaction Pause");
	gc_begin(&s, 1);
	pools(&s, "G1 Old Generation");
	gc_end(&s);
	operation_end(&s, "G1CollectForAllocation");
	expect_log(&s, "100 t1 pause+\n"
		       "104 t1 gc+ young cause=G1 Preventive Collection generations=1\n"
		       "107 t1 pool Eden before=70 after=0\n"
		       "108 t1 pool Old before=20 after=30\n"
		       "108 t1 gc-\n"
		       "111 t1 gc+ full cause=G1 Compaction Pause generations=3\n"
		       "114 t1 pool Eden before=70 after=0\n"
		       "115 t1 pool Old before=20 after=30\n"
		       "115 t1 gc-\n"
		       "118 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

static void g1_start_of_a_marking_is_a_young_collection(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1TryInitiateConcMark");
	cause(&s, "G1 Humongous Allocation");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	operation_end(&s, "G1TryInitiateConcMark");
	expect_log(&s, "100 t1 pause+ young+mark\n"
		       "104 t1 gc+ young+mark cause=G1 Humongous Allocation generations=1\n"
		       "107 t1 pool Eden before=70 after=0\n"
		       "108 t1 pool Old before=20 after=30\n"
		       "108 t1 gc-\n"
		       "111 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- pauses without pools */

static void remark_is_a_collection_without_pools_and_cause(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1CollectForAllocation");
	cause(&s, "G1 Evacuation Pause");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	/* The logging asks for the text once more, and nobody says "No GC". */
	cause(&s, "G1 Evacuation Pause");
	operation_end(&s, "G1CollectForAllocation");
	buf__reset(&s.log);
	s.now = 200;
	operation_begin(&s, "G1PauseRemark");
	gc_begin(&s, 0);
	gc_end(&s);
	operation_end(&s, "G1PauseRemark");
	expect_log(&s, "200 t1 pause+ remark\n"
		       "203 t1 gc+ remark\n"
		       "204 t1 gc-\n"
		       "206 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

static void remark_with_pools_around_it(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1PauseRemark");
	before(&s, "G1 Concurrent GC", "Old", 90);
	gc_begin(&s, 0);
	gc_end(&s);
	after(&s, "G1 Concurrent GC", "Old", 60);
	operation_end(&s, "G1PauseRemark");
	expect_log(&s, "103 t1 gc+ remark\n"
		       "100 t1 pause+ remark\n"
		       "106 t1 pool Old before=90 after=60\n"
		       "106 t1 gc-\n"
		       "108 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

static void an_unknown_operation_is_shown_by_its_name(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "QCollectSomehow");
	gc_begin(&s, 0);
	gc_end(&s);
	operation_end(&s, "QCollectSomehow");
	operation_begin(&s, "QCollectSomehow");
	gc_begin(&s, 0);
	pools(&s, "Q Space");
	gc_end(&s);
	operation_end(&s, "QCollectSomehow");
	expect_log(&s, "100 t1 pause+ QCollectSomehow\n"
		       "103 t1 gc+ QCollectSomehow\n"
		       "104 t1 gc-\n"
		       "106 t1 pause- suspend=2\n"
		       "107 t1 pause+ QCollectSomehow\n"
		       "110 t1 gc+ Q Space\n"
		       "113 t1 pool Eden before=70 after=0\n"
		       "114 t1 pool Old before=20 after=30\n"
		       "114 t1 gc-\n"
		       "117 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- several in one pause */

static void parallel_collections_share_a_pause(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "ParallelGCFailedAllocation");
	gc_begin(&s, 0);
	cause(&s, "Allocation Failure");
	pools(&s, "PS Scavenge");
	cause(&s, "Ergonomics");
	pools(&s, "PS MarkSweep");
	gc_end(&s);
	operation_end(&s, "ParallelGCFailedAllocation");
	expect_log(&s, "100 t1 pause+\n"
		       "103 t1 gc+ young cause=Allocation Failure generations=1\n"
		       "107 t1 pool Eden before=70 after=0\n"
		       "108 t1 pool Old before=20 after=30\n"
		       "108 t1 gc-\n"
		       "110 t1 gc+ full cause=Ergonomics generations=3\n"
		       "112 t1 pool Eden before=70 after=0\n"
		       "113 t1 pool Old before=20 after=30\n"
		       "113 t1 gc-\n"
		       "116 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

static void serial_keeps_the_cause_for_both(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "GenCollectForAllocation");
	gc_begin(&s, 0);
	cause(&s, "Allocation Failure");
	pools(&s, "Copy");
	pools(&s, "MarkSweepCompact");
	gc_end(&s);
	operation_end(&s, "GenCollectForAllocation");
	expect_log(&s, "100 t1 pause+\n"
		       "103 t1 gc+ young cause=Allocation Failure generations=1\n"
		       "107 t1 pool Eden before=70 after=0\n"
		       "108 t1 pool Old before=20 after=30\n"
		       "108 t1 gc-\n"
		       "109 t1 gc+ full cause=Allocation Failure generations=3\n"
		       "111 t1 pool Eden before=70 after=0\n"
		       "112 t1 pool Old before=20 after=30\n"
		       "112 t1 gc-\n"
		       "115 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- what a stop is */

static void safepoints_without_a_collection_are_no_pauses(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "Deoptimize");
	operation_end(&s, "Deoptimize");
	expect_log(&s, "");
	runtime_script__end(&s);
}

/* Without such probes the first pause is not known to be whole; the others are the collector's. */
static void without_probes_of_safepoints_a_pause_is_the_collectors(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.tid = VM_THREAD;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(play_text(&s, RECORD_HOTSPOT_VMOP_BEGIN, "G1CollectFull"), 0);
		gc_begin(&s, 1);
		pools(&s, "G1 Old Generation");
		gc_end(&s);
		assert_int_equal(play_text(&s, RECORD_HOTSPOT_VMOP_END, "G1CollectFull"), 0);
	}
	expect_log(&s, "101 t1 gc+ full generations=3\n"
		       "104 t1 pool Eden before=70 after=0\n"
		       "105 t1 pool Old before=20 after=30\n"
		       "105 t1 gc-\n"
		       "109 t1 pause-\n"
		       "109 t1 pause+\n"
		       "109 t1 gc+ full generations=3\n"
		       "112 t1 pool Eden before=70 after=0\n"
		       "113 t1 pool Old before=20 after=30\n"
		       "113 t1 gc-\n"
		       "114 t1 pause-\n"
		       "117 t1 pause+\n"
		       "117 t1 gc+ full generations=3\n"
		       "120 t1 pool Eden before=70 after=0\n"
		       "121 t1 pool Old before=20 after=30\n"
		       "121 t1 gc-\n"
		       "122 t1 pause-\n");
	runtime_script__end(&s);
}

/* A safepoint whose end was not seen does not lend its begin to the next one. */
static void a_stop_without_an_end_ends_where_the_next_one_begins(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	operation_begin(&s, "G1CollectForAllocation");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	s.now = 200;
	operation_begin(&s, "G1CollectForAllocation");
	gc_begin(&s, 0);
	pools(&s, "G1 Young Generation");
	gc_end(&s);
	operation_end(&s, "G1CollectForAllocation");
	expect_log(&s, "100 t1 pause+\n"
		       "103 t1 gc+ young generations=1\n"
		       "106 t1 pool Eden before=70 after=0\n"
		       "107 t1 pool Old before=20 after=30\n"
		       "107 t1 gc-\n"
		       "200 t1 pause- suspend=2 overdue\n"
		       "200 t1 pause+\n"
		       "203 t1 gc+ young generations=1\n"
		       "206 t1 pool Eden before=70 after=0\n"
		       "207 t1 pool Old before=20 after=30\n"
		       "207 t1 gc-\n"
		       "210 t1 pause- suspend=2\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- concurrent cycles */

static void phase(struct runtime_script *s, const char *operation)
{
	operation_begin(s, operation);
	gc_begin(s, 0);
	gc_end(s);
	operation_end(s, operation);
}

static void zgc_cycle(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.tid = DRIVER;
	cause(&s, "Warmup");
	before(&s, "ZGC Cycles", "ZHeap", 90);
	phase(&s, "ZMarkStart");
	s.now = 200;
	phase(&s, "ZMarkEnd");
	s.now = 300;
	phase(&s, "ZRelocateStart");
	s.now = 400;
	s.tid = DRIVER;
	after(&s, "ZGC Cycles", "ZHeap", 40);
	expect_log(&s, "101 t9 gc+ cycle cause=Warmup\n"
		       "102 t1 pause+ mark start\n"
		       "108 t1 pause- suspend=2\n"
		       "200 t1 pause+ mark end\n"
		       "206 t1 pause- suspend=2\n"
		       "300 t1 pause+ relocate start\n"
		       "306 t1 pause- suspend=2\n"
		       "400 t9 pool ZHeap before=90 after=40\n"
		       "400 t9 gc-\n");
	runtime_script__end(&s);
}

static void generational_zgc_has_two_cycles_at_once(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.tid = DRIVER;
	cause(&s, "Proactive");
	before(&s, "ZGC Major Cycles", "Old", 90);
	s.tid = DRIVER + 1;
	cause(&s, "Allocation Rate");
	before(&s, "ZGC Minor Cycles", "Young", 50);
	s.tid = DRIVER;
	after(&s, "ZGC Major Cycles", "Old", 40);
	s.tid = DRIVER + 1;
	after(&s, "ZGC Minor Cycles", "Young", 10);
	expect_log(&s, "101 t9 gc+ major cycle cause=Proactive generations=3\n"
		       "103 t10 gc+ minor cycle cause=Allocation Rate generations=1\n"
		       "104 t9 pool Old before=90 after=40\n"
		       "104 t9 gc-\n"
		       "105 t10 pool Young before=50 after=10\n"
		       "105 t10 gc-\n");
	runtime_script__end(&s);
}

static void shenandoah_says_when_a_cycle_degenerated(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.tid = DRIVER;
	cause(&s, "Allocation Failure");
	before(&s, "Shenandoah Cycles", "Shenandoah", 90);
	phase(&s, "Shenandoah Degenerated GC");
	s.tid = DRIVER;
	cause(&s, "No GC");
	after(&s, "Shenandoah Cycles", "Shenandoah", 40);
	expect_log(&s, "101 t9 gc+ cycle cause=Allocation Failure\n"
		       "102 t1 pause+ degenerated\n"
		       "108 t1 pause- suspend=2\n"
		       "110 t9 pool Shenandoah before=90 after=40\n"
		       "110 t9 gc- degenerated\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- attached in the middle */

static void in_the_middle_of_a_pause(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	after(&s, "G1 Young Generation", "Eden", 0);
	after(&s, "G1 Young Generation", "Old", 30);
	gc_end(&s);
	operation_end(&s, "G1CollectForAllocation");
	expect_log(&s, "100 t1 pool Eden after=0\n"
		       "101 t1 pool Old after=30\n"
		       "101 t1 gc- young\n"
		       "104 t1 pause-\n");
	runtime_script__end(&s);
}

static void old_pools_are_known_by_their_names(void **state)
{
	static const char *const names[] = { "G1 Old Gen", "PS Old Gen", "Tenured Gen" };
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	s.now = 200;
	s.tid = DRIVER;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		after(&s, "ZGC Cycles", names[i], 7);
	after(&s, "ZGC Cycles", "Old Gen 2", 7);
	expect_log(&s, "200 t9 pool old G1 Old Gen after=7\n"
		       "201 t9 pool old PS Old Gen after=7\n"
		       "202 t9 pool old Tenured Gen after=7\n"
		       "203 t9 pool Old Gen 2 after=7\n");
	runtime_script__end(&s);
}

static void in_the_middle_of_a_cycle(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	phase(&s, "ZMarkEnd");
	s.now = 200;
	s.tid = DRIVER;
	after(&s, "ZGC Cycles", "Metaspace", 7);
	after(&s, "ZGC Cycles", "ZHeap", 40);
	s.now = 300;
	cause(&s, "Allocation Stall");
	before(&s, "ZGC Cycles", "ZHeap", 90);
	expect_log(&s, "100 t1 pause+ mark end\n"
		       "106 t1 pause- suspend=2\n"
		       "200 t9 outside Metaspace after=7\n"
		       "201 t9 pool ZHeap after=40\n"
		       "201 t9 gc- cycle\n"
		       "301 t9 gc+ cycle cause=Allocation Stall\n");
	runtime_script__end(&s);
}

static void in_the_middle_of_an_operation(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	gc_begin(&s, 0);
	gc_end(&s);
	operation_end(&s, "ZMarkEnd");
	expect_log(&s, "103 t1 pause-\n");
	runtime_script__end(&s);
}

static void pools_attached_after_the_pause_began(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	gc_begin(&s, 0);
	after(&s, "G1 Young Generation", "Eden", 0);
	gc_end(&s);
	expect_log(&s, "100 t1 gc+ young generations=1\n"
		       "101 t1 pool Eden after=0\n"
		       "101 t1 gc-\n");
	runtime_script__end(&s);
}

/* ---------------------------------------------------------------- lost, and made up */

static void a_lost_after_ends_with_the_next_before(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	gc_begin(&s, 0);
	before(&s, "Copy", "Eden", 70);
	before(&s, "Copy", "Old", 20);
	after(&s, "Copy", "Eden", 0);
	gc_end(&s);
	gc_begin(&s, 0);
	pools(&s, "Copy");
	gc_end(&s);
	expect_log(&s, "100 t1 gc+ young generations=1\n"
		       "103 t1 pool Eden before=70 after=0\n"
		       "105 t1 pause-\n"
		       "105 t1 pause+\n"
		       "103 t1 gc-\n"
		       "106 t1 gc+ young generations=1\n"
		       "108 t1 pool Eden before=70 after=0\n"
		       "109 t1 pool Old before=20 after=30\n"
		       "109 t1 gc-\n"
		       "110 t1 pause-\n");
	runtime_script__end(&s);
}

static void a_lost_before_makes_no_collection_of_its_own(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	gc_begin(&s, 0);
	before(&s, "Copy", "Eden", 70);
	after(&s, "Copy", "Eden", 0);
	after(&s, "Copy", "Old", 30);
	gc_end(&s);
	expect_log(&s, "100 t1 gc+ young generations=1\n"
		       "102 t1 pool Eden before=70 after=0\n"
		       "102 t1 gc-\n"
		       "103 t1 pool Old after=30\n");
	runtime_script__end(&s);
}

static void memory_is_bounded(void **state)
{
	struct runtime_script s;
	char name[16];
	int answer = 0;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	for (int i = 0; i < 1000 && answer == 0; i++) {
		snprintf(name, sizeof(name), "M%d", i);
		answer = play_pool(&s, RECORD_HOTSPOT_POOL_BEGIN, name, "P", 1);
	}
	assert_int_equal(answer, -EBADMSG);
	answer = 0;
	for (int i = 0; i < 1000 && answer == 0; i++) {
		snprintf(name, sizeof(name), "P%d", i);
		answer = play_pool(&s, RECORD_HOTSPOT_POOL_BEGIN, "M1", name, 1);
	}
	assert_int_equal(answer, -EBADMSG);
	for (int i = 0; i < 1000; i++) {
		s.tid = 100 + i;
		cause(&s, "Some Cause");
		operation_begin(&s, "Nested");
		play_text(&s, RECORD_HOTSPOT_VMOP_BEGIN, "Nested");
	}
	runtime_script__end(&s);
}

static void malformed_records(void **state)
{
	struct {
		struct record_pool pool;
		char names[2 * RECORD_TEXT_BYTES];
	} pool = { .pool.head = { .kind = RECORD_HOTSPOT_POOL_END, .target = 3 } };
	struct {
		struct record_text text;
		char name[RECORD_TEXT_BYTES];
	} text = { .text.head = { .kind = RECORD_HOTSPOT_VMOP_BEGIN, .target = 3 } };
	struct record_call call = { .head = { .kind = RECORD_HOTSPOT_GC_BEGIN, .target = 3 } };
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &hotspot_translator);
	call.head.bytes = sizeof(call) - 1;
	assert_int_equal(play_record(&s, &call.head), -EBADMSG);
	call.head.bytes = sizeof(call);
	call.head.kind = RECORD_HOTSPOT_CAUSE + 1;
	assert_int_equal(play_record(&s, &call.head), -EBADMSG);

	text.text.head.bytes = sizeof(text.text) + 4;
	text.text.bytes = 5;
	assert_int_equal(play_record(&s, &text.text.head), -EBADMSG);
	text.text.bytes = UINT32_MAX;
	assert_int_equal(play_record(&s, &text.text.head), -EBADMSG);
	text.text.head.bytes = sizeof(struct record);
	assert_int_equal(play_record(&s, &text.text.head), -EBADMSG);

	pool.pool.head.bytes = sizeof(pool.pool) + RECORD_TEXT_BYTES + 3;
	pool.pool.pool_bytes = 4;
	assert_int_equal(play_record(&s, &pool.pool.head), -EBADMSG);
	pool.pool.pool_bytes = 3;
	pool.pool.manager_bytes = RECORD_TEXT_BYTES + 1;
	assert_int_equal(play_record(&s, &pool.pool.head), -EBADMSG);
	pool.pool.head.bytes = sizeof(pool.pool);
	pool.pool.manager_bytes = pool.pool.pool_bytes = 0;
	assert_int_equal(play_record(&s, &pool.pool.head), -EBADMSG);
	expect_log(&s, "");
	runtime_script__end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(g1_young),
		cmocka_unit_test(old_pools_are_known_by_their_names),
		cmocka_unit_test(g1_full_after_young_in_one_operation),
		cmocka_unit_test(g1_start_of_a_marking_is_a_young_collection),
		cmocka_unit_test(remark_is_a_collection_without_pools_and_cause),
		cmocka_unit_test(remark_with_pools_around_it),
		cmocka_unit_test(an_unknown_operation_is_shown_by_its_name),
		cmocka_unit_test(parallel_collections_share_a_pause),
		cmocka_unit_test(serial_keeps_the_cause_for_both),
		cmocka_unit_test(safepoints_without_a_collection_are_no_pauses),
		cmocka_unit_test(without_probes_of_safepoints_a_pause_is_the_collectors),
		cmocka_unit_test(a_stop_without_an_end_ends_where_the_next_one_begins),
		cmocka_unit_test(zgc_cycle),
		cmocka_unit_test(generational_zgc_has_two_cycles_at_once),
		cmocka_unit_test(shenandoah_says_when_a_cycle_degenerated),
		cmocka_unit_test(in_the_middle_of_a_pause),
		cmocka_unit_test(in_the_middle_of_a_cycle),
		cmocka_unit_test(in_the_middle_of_an_operation),
		cmocka_unit_test(pools_attached_after_the_pause_began),
		cmocka_unit_test(a_lost_after_ends_with_the_next_before),
		cmocka_unit_test(a_lost_before_makes_no_collection_of_its_own),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(malformed_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
