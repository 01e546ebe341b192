/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whatever of a trace gets lost, what is said of the rest is true (damage.h has the rule): for each
 * runtime, every run of records is lost once, told exactly or with a margin, or cut off; and each
 * block of a recording is damaged once.
 *
 * `damage_test FILE...` does the same with recordings of real runtimes.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "damage.h"
#include "gctrace/wire.h"
#include "stream/loss.h"
#include "stream/recording.h"

#define VM_THREAD 1
#define DRIVER 9
#define MOST_RECORDS 3000 /* of a file */
#define FILE_RUNS 400

/* ---------------------------------------------------------------- reels of runtimes */

static void operation_begin(struct reel *reel, const char *name)
{
	reel->tid = VM_THREAD;
	reel->now += 1000;
	reel__call(reel, RECORD_HOTSPOT_SAFEPOINT_BEGIN, 0, 0, 0, 0);
	reel__text(reel, RECORD_HOTSPOT_VMOP_BEGIN, name);
}

static void operation_end(struct reel *reel, const char *name)
{
	reel__text(reel, RECORD_HOTSPOT_VMOP_END, name);
	reel__call(reel, RECORD_HOTSPOT_SAFEPOINT_END, 0, 0, 0, 0);
}

static void pools(struct reel *reel, const char *manager)
{
	static uint64_t used = 1000;

	used += 7;
	reel__pool(reel, RECORD_HOTSPOT_POOL_BEGIN, manager, "G1 Eden Space", used);
	reel__pool(reel, RECORD_HOTSPOT_POOL_BEGIN, manager, "G1 Survivor Space", used / 2);
	reel__pool(reel, RECORD_HOTSPOT_POOL_BEGIN, manager, "G1 Old Gen", used * 3);
	reel->now += used % 5 * 100;
	reel__pool(reel, RECORD_HOTSPOT_POOL_END, manager, "G1 Eden Space", 0);
	reel__pool(reel, RECORD_HOTSPOT_POOL_END, manager, "G1 Survivor Space", used / 3);
	reel__pool(reel, RECORD_HOTSPOT_POOL_END, manager, "G1 Old Gen", used * 3 + 100);
}

static void g1_pause(struct reel *reel, const char *manager, const char *cause)
{
	reel__text(reel, RECORD_HOTSPOT_CAUSE, cause);
	reel__call(reel, RECORD_HOTSPOT_GC_BEGIN, 0, 0, 0, 0);
	if (manager)
		pools(reel, manager);
	reel__call(reel, RECORD_HOTSPOT_GC_END, 0, 0, 0, 0);
}

static void play_g1(struct reel *reel)
{
	static const char *const names[] = { "G1CollectForAllocation", "G1TryInitiateConcMark",
					     "G1CollectForAllocation", "G1PauseRemark",
					     "HandshakeAllThreads", "G1CollectForAllocation" };

	for (unsigned int i = 0; i < 12; i++) {
		const char *name = names[i % 6];

		operation_begin(reel, name);
		if (strstr(name, "Collect") || strstr(name, "Try"))
			g1_pause(reel, "G1 Young Generation",
				 i % 2 ? "G1 Humongous Allocation" : "G1 Evacuation Pause");
		if (i % 6 == 5)
			g1_pause(reel, "G1 Old Generation", "G1 Compaction Pause");
		if (strstr(name, "Remark"))
			g1_pause(reel, NULL, "No GC");
		reel__text(reel, RECORD_HOTSPOT_CAUSE, "No GC");
		operation_end(reel, name);
	}
}

/* Young and full ones share a pause. */
static void play_parallel(struct reel *reel)
{
	for (unsigned int i = 0; i < 8; i++) {
		operation_begin(reel, "ParallelGCFailedAllocation");
		reel__text(reel, RECORD_HOTSPOT_CAUSE, "Allocation Failure");
		reel__call(reel, RECORD_HOTSPOT_GC_BEGIN, 0, 0, 0, 0);
		pools(reel, "PS Scavenge");
		if (i % 3 == 0)
			pools(reel, "PS MarkSweep");
		reel__call(reel, RECORD_HOTSPOT_GC_END, 0, 0, 0, 0);
		operation_end(reel, "ParallelGCFailedAllocation");
	}
}

static void z_pause(struct reel *reel, const char *name)
{
	operation_begin(reel, name);
	reel__call(reel, RECORD_HOTSPOT_GC_BEGIN, 0, 0, 0, 0);
	reel__call(reel, RECORD_HOTSPOT_GC_END, 0, 0, 0, 0);
	operation_end(reel, name);
}

static void play_zgc(struct reel *reel)
{
	for (unsigned int i = 0; i < 6; i++) {
		reel->tid = DRIVER;
		reel->now += 1000;
		reel__text(reel, RECORD_HOTSPOT_CAUSE, i % 2 ? "Proactive" : "Allocation Rate");
		reel__pool(reel, RECORD_HOTSPOT_POOL_BEGIN, "ZGC Cycles", "ZHeap", 5000 + i);
		z_pause(reel, "ZMarkStart");
		operation_begin(reel, "HandshakeAllThreads");
		operation_end(reel, "HandshakeAllThreads");
		z_pause(reel, "ZMarkEnd");
		z_pause(reel, "ZRelocateStart");
		reel->tid = DRIVER;
		reel__pool(reel, RECORD_HOTSPOT_POOL_END, "ZGC Cycles", "ZHeap", 4000 + i);
		reel__text(reel, RECORD_HOTSPOT_CAUSE, "No GC");
	}
}

static void play_python(struct reel *reel)
{
	for (unsigned int i = 0; i < 12; i++) {
		reel->tid = i % 4 == 3 ? 2 : 1;
		reel->now += 300 + i;
		reel__call(reel, RECORD_PYTHON_GC_START, i % 3, 0, 0, 0);
		if (i % 4 == 2) {
			/* Another interpreter's, side by side. */
			reel->tid = 2;
			reel__call(reel, RECORD_PYTHON_GC_START, 0, 0, 0, 0);
			reel__call(reel, RECORD_PYTHON_GC_DONE, 7, 0, 0, 0);
			reel->tid = 1;
		}
		reel->now += i * 10;
		reel__call(reel, RECORD_PYTHON_GC_DONE, i * 11, 0, 0, 0);
	}
}

static void play_ruby(struct reel *reel)
{
	reel->tid = 1;
	for (unsigned int i = 0; i < 8; i++) {
		reel->now += 500;
		reel__call(reel, RECORD_RUBY_MARK_BEGIN, 0, 0, 0, 0);
		reel__call(reel, RECORD_RUBY_SWEEP_BEGIN, 0, 0, 0, 0);
		reel__call(reel, RECORD_RUBY_SWEEP_END, 0, 0, 0, 0);
		reel__call(reel, RECORD_RUBY_MARK_END, 0, 0, 0, 0);
		for (unsigned int j = 0; j < i % 4; j++) {
			reel->now += 100 * j;
			reel__call(reel, RECORD_RUBY_SWEEP_BEGIN, 0, 0, 0, 0);
			reel__call(reel, RECORD_RUBY_SWEEP_END, 0, 0, 0, 0);
		}
	}
}

/*
 * Single probes of a runtime that numbers everything; background collections among them, in turn
 * with a pause of their own and in that of a young one.
 */
static void play_numbered(struct reel *reel)
{
	uint64_t pause = 1, gc = 0, background = 0;

	reel->tid = 1;
	for (uint64_t turn = 0; turn < 12; turn++) {
		const bool begins = turn % 4 == 0, is_young = turn % 8 != 4;

		reel->now += 500;
		reel__call(reel, RECORD_PAUSE_BEGIN, pause,
			   begins ? GCTRACE_WHY_MARK_START : GCTRACE_WHY_COLLECTION, 0, 0);
		if (is_young) {
			reel__call(reel, RECORD_GC_START, ++gc, 1, 0, GCTRACE_HOW_COPYING);
			reel->now += turn * 10;
			reel__call(reel, RECORD_GC_FINISH, gc, 0, 0, 0);
		}
		if (begins) {
			background = ++gc;
			reel__call(reel, RECORD_GC_START, gc, 2, 0, GCTRACE_HOW_CONCURRENT);
			reel->now += 10;
		}
		reel__call(reel, RECORD_PAUSE_END, pause++, 5, 0, 0);
		if (turn % 4 != 3)
			continue;
		reel__call(reel, RECORD_PAUSE_BEGIN, pause, GCTRACE_WHY_REMARK, 0, 0);
		reel__call(reel, RECORD_PAUSE_END, pause++, 5, 0, 0);
		reel__call(reel, RECORD_GC_FINISH, background, 0, 0, 0);
	}
}

/* ---------------------------------------------------------------- what gets lost */

static void check_one(const struct reel *reel, const struct reading *whole,
		      const struct damage *damage)
{
	struct reading *damaged = reading__damaged(reel, damage);
	const char *breach = reading__breach(whole, damaged);

	if (breach) {
		printf("whole:\n");
		reading__print(whole);
		printf("damaged:\n");
		reading__print(damaged);
		fail_msg("%zu records from %zu of %zu are lost, told %zu before and %zu after: %s",
			 damage->count, damage->first, reel->records.count, damage->before,
			 damage->after, breach);
	}
	reading__free(damaged);
}

static void check_all(const struct reel *reel, unsigned int kind)
{
	static const size_t counts[] = { 1, 2, 3, 5, 8, 13, 21, 34, SIZE_MAX / 2 };
	static const size_t margins[] = { 0, 1, 4, 17 };
	struct reading *whole = reading__whole(reel);

	assert_in_range(reading__collections(whole), 6, 1000);
	for (size_t first = 0; first < reel->records.count; first++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			for (size_t j = 0; j < 16; j++)
				check_one(reel, whole,
					  &(struct damage){ first, counts[i], margins[j / 4],
							    margins[j % 4], kind });
		}
	}
	reading__free(whole);
}

/* Overwrite some bytes here and there: each block is hit, and headers too. */
static void check_file(const struct reel *reel, size_t records_a_block)
{
	struct reading *whole = reading__whole(reel), *damaged;
	char path[] = "/tmp/gctrace-damage.XXXXXX";
	struct stat st;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	for (off_t at = sizeof(struct recording_header);; at += 37) {
		const char *breach;

		reel__write(reel, path, records_a_block);
		assert_int_equal(stat(path, &st), 0);
		if (at >= st.st_size)
			break;
		fd = open(path, O_WRONLY);
		if (at % 2)
			assert_int_equal(pwrite(fd, "XXXX", 4, at), 4);
		else
			assert_int_equal(ftruncate(fd, at), 0);
		close(fd);
		damaged = reading__of_file(path);
		breach = reading__breach(whole, damaged);
		if (breach)
			fail_msg("damaged at byte %lld: %s", (long long)at, breach);
		reading__free(damaged);
		unlink(path);
	}
	unlink(path);
	reading__free(whole);
}

static void check(void (*play)(struct reel *reel), bool files)
{
	struct reel reel = { .now = 1000 };

	play(&reel);
	check_all(&reel, LOSS_RING_FULL);
	check_all(&reel, LOSS_RECORDING);
	if (files) {
		check_file(&reel, 3);
		check_file(&reel, 16);
	}
	reel__free(&reel);
}

static void of_g1(void **state)
{
	(void)state;
	check(play_g1, true);
}

static void of_parallel(void **state)
{
	(void)state;
	check(play_parallel, false);
}

static void of_zgc(void **state)
{
	(void)state;
	check(play_zgc, true);
}

static void of_python(void **state)
{
	(void)state;
	check(play_python, false);
}

static void of_ruby(void **state)
{
	(void)state;
	check(play_ruby, false);
}

static void of_numbered_ones(void **state)
{
	(void)state;
	check(play_numbered, true);
}

static void of_a_file(void **state)
{
	struct reel reel = { 0 };
	struct reading *whole;

	reel__read(&reel, *state);
	while (reel.records.count > MOST_RECORDS)
		free(reel.records.items[--reel.records.count]);
	whole = reading__whole(&reel);
	assert_in_range(reading__collections(whole), 2, SIZE_MAX);
	srand(1);
	for (unsigned int i = 0; i < FILE_RUNS; i++) {
		size_t counts[] = { 1, 2, 5, 10, 40, 150, SIZE_MAX / 2 };
		struct damage damage = {
			.first = (size_t)rand() % reel.records.count,
			.count = counts[rand() % 7],
			.before = (size_t)(rand() % 3 * (rand() % 20)),
			.after = (size_t)(rand() % 3 * (rand() % 20)),
			.kind = rand() % 2 ? LOSS_RING_FULL : LOSS_RECORDING,
		};

		check_one(&reel, whole, &damage);
	}
	reading__free(whole);
	reel__free(&reel);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_g1),     cmocka_unit_test(of_parallel),
		cmocka_unit_test(of_zgc),    cmocka_unit_test(of_python),
		cmocka_unit_test(of_ruby),   cmocka_unit_test(of_numbered_ones),
	};
	int failed = 0;

	if (argc == 1)
		return cmocka_run_group_tests_name("model/damage", tests, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		const struct CMUnitTest test[] = { cmocka_unit_test_prestate(of_a_file, argv[i]) };

		failed += cmocka_run_group_tests_name(argv[i], test, NULL, NULL);
	}
	return failed;
}
