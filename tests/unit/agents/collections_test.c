/* SPDX-License-Identifier: BSD-2-Clause */
/* Collections and pauses of .NET: what a runtime calls back and tells, and what comes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agents/common/emitter.h"
#include "agents/dotnet/clr.h"
#include "agents/dotnet/collections.h"
#include "agents/dotnet/movement.h"
#include "agents/dotnet/pauses.h"
#include "fake_runtime.h"
#include "listener.h"

#define COMPACTION 2

/* gen0 at 0x10000, gen1 at 0x20000, gen2 at 0x30000, each of 0x1000 bytes, of which 0x100 * n. */
static void lay_out(void)
{
	fake.part_count = 0;
	fake_runtime__part(2, 0x30000, 0x300, 0x1000);
	fake_runtime__part(0, 0x10000, 0x100, 0x1000);
	fake_runtime__part(1, 0x20000, 0x200, 0x1000);
}

static int begin(void **state)
{
	(void)state;
	fake_runtime__begin();
	lay_out();
	return 0;
}

static int end(void **state)
{
	(void)state;
	session__close(SESSION_BACKGROUND);
	session__close(SESSION_MOVEMENT);
	session__close(SESSION_DUMP);
	assert_int_equal(fake_runtime__keywords(), 0);
	assert_int_equal(collections__now(), 0);
	return 0;
}

static void suspend(int32_t reason)
{
	pauses__suspend(reason);
	pauses__suspended();
}

static void expect(const char *text)
{
	const char *told = listener__told();

	if (!strcmp(told, text))
		return;
	print_error("told:\n%swanted:\n%s", told, text);
	fail();
}

static unsigned long lines_with(const char *told, const char *what)
{
	unsigned long count = 0;

	for (; (told = strstr(told, what)); told++)
		count++;
	return count;
}

#define POOLS                                                                    \
	"pool gc=1 before=256 used=256 committed=-1 max=-1 name=\"gen0\"\n"      \
	"pool gc=1 before=512 used=512 committed=-1 max=-1 name=\"gen1\"\n"      \
	"pool gc=1 before=768 used=768 committed=-1 max=-1 name=\"gen2\"\n"      \
	"pool gc=1 before=0 used=0 committed=-1 max=-1 name=\"LOH\"\n"           \
	"pool gc=1 before=0 used=0 committed=-1 max=-1 name=\"POH\"\n"

/* ---------------------------------------------------------------- by callbacks alone */

static void callbacks_tell_what_they_know(void **state)
{
	(void)state;
	suspend(SUSPEND_FOR_GC);
	collections__started(1, true);
	collections__finished();
	pauses__resuming();
	expect("pause_begin pause=1 why=1\n"
	       "gc_start gc=1 generations=1 reason=2 how=0 what=\"\" cause=\"\"\n" POOLS
	       "gc_finish gc=1 collected=-1 untold\n"
	       "pause_end pause=1\n");
}

/* The one that it begins with has no callback of its own. Its session is not open yet. */
static void a_background_one_that_seems_to_end_at_once_may_be_two(void **state)
{
	const char *told;

	(void)state;
	suspend(SUSPEND_FOR_GC);
	collections__started(0x1f, false);
	collections__finished();
	pauses__resuming();
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	collections__finished();
	told = listener__told();
	assert_int_equal(lines_with(told, "gc_start"), 1);
	assert_int_equal(lines_with(told, "gc_finish"), 1);
	assert_non_null(strstr(told, "gc_finish gc=1 collected=-1 untold may_be_two\n"));
	assert_non_null(strstr(told, "pause_begin pause=2 why=257\n"));
}

static void end_behind(void)
{
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	collections__finished();
}

/* A young one and the background one that let it in, from callbacks and one light event. */
static void a_young_one_is_told_apart_from_the_background_one(void **state)
{
	const char *told;

	(void)state;
	session__open(SESSION_BACKGROUND);
	suspend(SUSPEND_FOR_GC);
	collections__started(0x1f, true);
	collections__finished();
	fake_runtime__bgc_begin();
	assert_int_equal(lines_with(listener__told(), "gc_"), 0);
	pauses__resuming();
	end_behind();
	told = listener__told();
	assert_non_null(strstr(told, "gc_start gc=1 generations=1 reason=0 how=0"));
	assert_non_null(strstr(strstr(told, "gc_finish gc=1 collected=-1 untold\n"),
			       "gc_start gc=0 generations=1c reason=2 how=a"));
	assert_non_null(strstr(strstr(told, "gc_start gc=0 "), "pause_end pause=1"));
	assert_non_null(strstr(strstr(told, "pause_begin pause=2 why=3\n"),
			       "gc_finish gc=0 collected=-1 untold\n"));
	assert_int_equal(lines_with(told, "gc_start"), 2);
	assert_int_equal(lines_with(told, "gc_finish"), 2);
}

/* Gen1 has gone elsewhere, or gen2 has grown: the young one was of gen1. */
static void a_young_one_of_gen1_is_known_by_where_it_was(void **state)
{
	(void)state;
	session__open(SESSION_BACKGROUND);
	for (int grows = 0; grows < 2; grows++) {
		listener__begin();
		lay_out();
		suspend(SUSPEND_FOR_GC);
		collections__started(0x1f, false);
		fake.part_count = 0;
		fake_runtime__part(2, 0x30000, grows ? 0x500 : 0x300, 0x1000);
		fake_runtime__part(1, grows ? 0x20000 : 0x10000, 0x200, 0x1000);
		collections__finished();
		fake_runtime__bgc_begin();
		pauses__resuming();
		end_behind();
		assert_non_null(strstr(listener__told(), "generations=3 "));
	}
}

static void a_blocking_one_is_one(void **state)
{
	const char *told;

	(void)state;
	session__open(SESSION_BACKGROUND);
	suspend(SUSPEND_FOR_GC);
	collections__started(0x1f, true);
	collections__finished();
	pauses__resuming();
	told = listener__told();
	assert_non_null(strstr(told, "gc_start gc=1 generations=1f reason=2 how=0"));
	assert_non_null(strstr(strstr(told, "gc_finish gc=1 collected=-1 untold\n"),
			       "pause_end pause=1"));
	assert_int_equal(lines_with(told, "gc_start"), 1);
}

/* The one that begins with no other is under way until its own end. */
static void a_background_one_alone_ends_at_its_end(void **state)
{
	const char *told;

	(void)state;
	suspend(SUSPEND_FOR_GC);
	collections__started(0x1f, false);
	pauses__resuming();
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	collections__finished();
	pauses__resuming();
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	collections__finished();
	told = listener__told();
	assert_int_equal(lines_with(told, "gc_start"), 2);
	assert_non_null(strstr(told, "gc_finish gc=2 "));
	assert_non_null(strstr(told, "pause_begin pause=3 why=3\n"));
	assert_non_null(strstr(strstr(told, "pause_end pause=3"), "gc_finish gc=1 "));
}

static void nobody_listens(void **state)
{
	(void)state;
	gctrace_batch_semaphore = 0;
	emitter__to_descriptor(-1);
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	fake_runtime__begin();
	collections__finished();
	pauses__resuming();
	expect("");
}

static void one_who_comes_late_hears_what_is_in_progress(void **state)
{
	(void)state;
	gctrace_batch_semaphore = 0;
	emitter__to_descriptor(-1);
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	fake_runtime__begin();
	pauses__tell_progress(true);
	expect("pause_begin pause=1 why=1\n"); /* while it lasts */
	pauses__tell_progress(true);
	collections__finished();
	pauses__resuming();
	expect("pause_end pause=1\n");

	/* Another one comes when the first has left, and hears it as well; once. */
	suspend(SUSPEND_FOR_GC);
	expect("pause_begin pause=2 why=1\n");
	pauses__tell_progress(true);
	expect("");
	pauses__tell_progress(false);
	fake_runtime__begin();
	pauses__tell_progress(true);
	pauses__tell_progress(true);
	expect("pause_begin pause=1 why=1\n");
	pauses__resuming();
	expect("pause_end pause=1\n");

	/* One that is over is told to nobody. */
	emitter__to_descriptor(-1);
	suspend(SUSPEND_FOR_GC);
	pauses__resuming();
	fake_runtime__begin();
	pauses__tell_progress(true);
	expect("");
}

/* ---------------------------------------------------------------- by events */

static void open_movement(void)
{
	movement__want(true);
	assert_int_equal(fake_runtime__keywords(), 0x400001);
	assert_true(session__tells(SESSION_COLLECTIONS));
	assert_int_equal(fake.high_mask, MONITOR_HIGH | HIGH_MONITOR_LARGE_ALLOCATIONS);
}

static void close_movement(void)
{
	movement__want(false);
	assert_int_equal(fake_runtime__keywords(), 0);
	assert_int_equal(fake.high_mask, MONITOR_HIGH);
}

static void begin_by_events(uint32_t count, uint32_t generation, uint32_t type)
{
	suspend(SUSPEND_FOR_GC);
	collections__started(generation == 2 ? 0x1f : (2u << generation) - 1, false);
	fake_runtime__gc_start(count, generation, 0, type);
}

static void end_by_events(uint32_t count)
{
	fake_runtime__history(COMPACTION);
	collections__finished();
	fake_runtime__gc_end(count);
	fake_runtime__stats();
}

static void events_tell_all(void **state)
{
	const char *told;

	(void)state;
	open_movement();
	begin_by_events(100, 1, 0);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	fake_runtime__moved(0x20100, 0x20100, 8);
	end_by_events(100);
	pauses__resuming();
	told = listener__told();
	assert_non_null(strstr(told, "gc_start gc=1 generations=3 reason=1 how=0"));
	assert_non_null(strstr(told, "moved target=0 gc=1 generation=0 phase=0 width=8 "
				     "10010 -> 20200 + 32\n"
				     "moved target=0 gc=1 generation=1 phase=0 width=8 "
				     "20100 -> 20100 + 8\n"));
	assert_non_null(strstr(told, "gc_finish gc=1 collected=-1 how=4\npause_end pause=1\n"));
	assert_int_equal(lines_with(told, "generation gc=1"), 6);
	/* free: on lists and in objects, before and after; alive: pinned and others */
	assert_non_null(strstr(told, "figure gc=1 what=1 generation=2 value=403\n"));
	assert_non_null(strstr(told, "figure gc=1 what=2 generation=2 value=409\n"));
	assert_non_null(strstr(told, "figure gc=1 what=3 generation=1 value=215\n"));
	assert_null(strstr(told, "what=3 generation=2"));
	assert_non_null(strstr(told, "figure gc=1 what=4 generation=-1 value=3\n"));
	assert_non_null(strstr(told, "figure gc=1 what=5 generation=-1 value=5\n"));
	close_movement();
}

/* What a background one tells when its second pause is over: its survivors in a third, its end. */
static void end_in_background(uint32_t count)
{
	suspend(SUSPEND_FOR_GC_PREP);
	fake_runtime__survived(0x30010, 0x40);
	fake_runtime__survived(0x10010, 0x80); /* gen0 was not at stake */
	pauses__resuming();
	collections__finished();
	fake_runtime__gc_end(count);
	fake_runtime__stats();
	assert_int_not_equal(collections__now(), 0);
	fake_runtime__history(1); /* server GC tells it last */
	assert_int_equal(collections__now(), 0);
}

/*
 * As .NET 10 does it: two in one pause, one in between, two more pauses, and its end in none. The
 * other one of the first pause comes first (1): what it promotes is condemned by this one (0).
 */
static void a_background_one_is_told_whole(void **state)
{
	const char *told;

	(void)state;
	open_movement();
	begin_by_events(100, 2, 1);
	fake_runtime__gc_start(101, 0, 0, 0);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	end_by_events(101);
	pauses__resuming();
	begin_by_events(102, 0, 2);
	end_by_events(102);
	pauses__resuming();
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	end_in_background(100);
	told = listener__told();
	assert_non_null(strstr(told, "gc_start gc=1 generations=1 "));
	assert_non_null(strstr(told, "moved target=0 gc=1 "));
	assert_non_null(strstr(strstr(told, "gc_finish gc=1 "),
			       "gc_start gc=0 generations=1c reason=1 how=a"));
	assert_non_null(strstr(strstr(told, "gc_start gc=0 "), "pause_end pause=1"));
	assert_non_null(strstr(told, "gc_start gc=2 generations=1 "));
	assert_int_equal(lines_with(told, "surviving"), 1);
	assert_non_null(strstr(told, "gc=0 generation=2 phase=0 width=8 30010 -> 30010 + 64\n"));
	assert_non_null(strstr(told, "pause_begin pause=3 why=3\n"));
	assert_non_null(strstr(told, "pause_begin pause=4 why=256\n"));
	assert_non_null(strstr(told, "gc_finish gc=0 collected=-1 how=a\n"));
	assert_int_equal(lines_with(told, "gc_finish"), 3);
	assert_int_equal(lines_with(told, "untold"), 0);
	close_movement();
}

/* From its second pause to its end new objects get room that nobody has told to be free. */
static void room_that_is_given_away_is_said(void **state)
{
	const char *told;

	(void)state;
	gctrace_surviving__references_semaphore = 1;
	open_movement();
	begin_by_events(100, 2, 1);
	pauses__resuming();
	movement__allocated(0x40020); /* nothing is swept yet */
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	movement__allocated(0x41030);
	end_in_background(100);
	movement__allocated(0x42040);
	told = listener__told();
	assert_non_null(strstr(strstr(told, "pause_begin pause=2 why=3\n"),
			       "reuse generations=13 start=0 length=ffffffffffffffff\n"));
	assert_non_null(strstr(told, "reuse generations=ffffffffffffffff start=41030 length=30\n"));
	assert_int_equal(lines_with(told, "reuse"), 2);
	close_movement();
	gctrace_surviving__references_semaphore = 0;
}

/* Of a runtime that does not call back for large objects nothing is known of them either. */
static void large_objects_may_be_unseen(void **state)
{
	(void)state;
	gctrace_moved__references_semaphore = 1;
	fake.mask_result = E_FAIL;
	movement__want(true);
	suspend(SUSPEND_FOR_GC_PREP); /* of one whose start nobody was told */
	pauses__resuming();
	assert_non_null(strstr(listener__told(), "reuse generations=1b start=0 "));
	movement__want(false);
	gctrace_moved__references_semaphore = 0;
	suspend(SUSPEND_FOR_GC_PREP);
	pauses__resuming();
	assert_int_equal(lines_with(listener__told(), "reuse"), 0);
}

/* The runtime has changed its mind behind GC_START: all generations are at stake. */
static void a_background_one_made_at_once_is_a_blocking_one(void **state)
{
	const char *told;

	(void)state;
	open_movement();
	begin_by_events(100, 2, 1);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	fake_runtime__survived(0x20010, 0x40);
	end_by_events(100);
	pauses__resuming();
	told = listener__told();
	assert_non_null(strstr(told, "gc_start gc=1 generations=1f reason=1 how=0"));
	assert_int_equal(lines_with(told, "gc_start"), 1);
	assert_int_equal(lines_with(told, "moved"), 1);
	assert_int_equal(lines_with(told, "surviving"), 1);
	assert_int_equal(lines_with(told, "gc_finish"), 1);
	assert_true(strstr(told, "gc_start") < strstr(told, "moved"));
	assert_true(strstr(told, "pause_begin") < strstr(told, "gc_start"));
	close_movement();
}

/* Its session was closed and opened again in its course. */
static void ranges_of_two_openings_are_not_all(void **state)
{
	const char *told;

	(void)state;
	open_movement();
	begin_by_events(100, 2, 1);
	pauses__resuming();
	session__renew();
	suspend(SUSPEND_FOR_GC_PREP);
	fake_runtime__survived(0x30010, 0x40);
	pauses__resuming();
	collections__finished();
	fake_runtime__gc_end(100);
	fake_runtime__stats();
	fake_runtime__history(1);
	told = listener__told();
	assert_int_equal(lines_with(told, "gc_finish"), 1);
	assert_int_equal(lines_with(told, "untold"), 1);
	close_movement();
}

/* ---------------------------------------------------------------- from one to the other */

static void what_began_by_callbacks_ends_by_them(void **state)
{
	const char *told;

	(void)state;
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	open_movement();
	fake_runtime__gc_start(100, 0, 0, 0);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	end_by_events(100);
	pauses__resuming();
	told = listener__told();
	assert_int_equal(lines_with(told, "gc_start"), 1);
	assert_int_equal(lines_with(told, "moved"), 0);
	assert_int_equal(lines_with(told, "gc_finish"), 1);
	assert_non_null(strstr(told, "untold"));
	close_movement();
}

static void the_first_of_a_session_is_told_whole(void **state)
{
	const char *told;

	(void)state;
	movement__want(true);
	begin_by_events(100, 1, 0);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	end_by_events(100);
	pauses__resuming();
	told = listener__told();
	assert_int_equal(lines_with(told, "moved"), 1);
	assert_non_null(strstr(told, "gc_finish gc=1 collected=-1 how=4\n"));
	close_movement();
}

/* A session was open when it started, and yet no event tells that. */
static void a_start_without_an_event_is_told_by_callbacks(void **state)
{
	const char *told;

	(void)state;
	movement__want(true);
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	end_by_events(100);
	pauses__resuming();
	suspend(SUSPEND_FOR_GC);
	collections__started(0x1f, true); /* a background one, and one that it begins with */
	fake_runtime__gc_start(102, 0, 0, 0);
	fake_runtime__moved(0x10010, 0x20200, 0x20);
	end_by_events(102);
	pauses__resuming();
	told = listener__told();
	assert_int_equal(lines_with(told, "moved"), 0);
	assert_non_null(strstr(told, "gc_start gc=1 generations=1 reason=0"));
	assert_non_null(strstr(told, "gc_finish gc=1 collected=-1 how=4 untold\n"));
	assert_non_null(strstr(told, "gc_start gc=2 generations=1f reason=2"));
	assert_non_null(strstr(told, "gc_finish gc=2 collected=-1 untold may_be_two\n"));
	assert_int_equal(lines_with(told, "gc_start"), 2);
	close_movement();
}

/* Who has its objects from a dump knows by them which the next one condemns: not all. */
static void where_all_lies_is_told_before_any_ranges(void **state)
{
	volatile unsigned short *const wants[] = { &gctrace_moved__references_semaphore,
						   &gctrace_surviving__references_semaphore };
	const char *told;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		*wants[i] = 1;
		suspend(SUSPEND_FOR_GC);
		collections__started(3, true);
		collections__finished();
		pauses__resuming();
		*wants[i] = 0;
		told = listener__told();
		assert_int_equal(lines_with(told, "generation gc="), 3);
		assert_int_equal(lines_with(told, "collected=-1 untold\n"), 1);
	}
}

/* A dump's session alone: events tell, but no ranges. */
static void a_dump_brings_the_events(void **state)
{
	(void)state;
	assert_int_equal(session__open(SESSION_DUMP), S_OK);
	assert_int_equal(fake_runtime__keywords(), 0x1180001);
	begin_by_events(100, 0, 0);
	end_by_events(100);
	pauses__resuming();
	assert_non_null(strstr(listener__told(), "gc_finish gc=1 collected=-1 how=4 untold\n"));
	assert_int_equal(session__open(SESSION_MOVEMENT), S_OK);
	assert_int_equal(fake_runtime__keywords(), 0x1580001);
	session__close(SESSION_DUMP);
	assert_int_equal(fake_runtime__keywords(), 0x400001);
	session__renew();
	assert_int_equal(fake_runtime__keywords(), 0x400001);
	assert_true(session__tells(SESSION_MOVEMENT));
}

/* The session is closed in the midst: it is the callback that ends it then. */
static void closing_waits_and_then_does_not(void **state)
{
	const char *told;

	(void)state;
	open_movement();
	begin_by_events(100, 0, 0);
	close_movement();
	collections__finished();
	pauses__resuming();
	told = listener__told();
	assert_int_equal(lines_with(told, "gc_finish"), 1);
	assert_non_null(strstr(told, "untold"));
}

static void a_session_that_cannot_be_opened(void **state)
{
	(void)state;
	fake.session_result = E_FAIL;
	movement__want(true);
	assert_false(session__tells(SESSION_COLLECTIONS));
	fake.session_result = S_OK;
	movement__want(true);
	assert_true(session__tells(SESSION_MOVEMENT));
	close_movement();
}

/* Behind a dump all are closed and opened again. */
static void a_session_that_cannot_be_opened_again(void **state)
{
	(void)state;
	open_movement();
	fake.session_result = E_FAIL;
	session__renew();
	assert_int_equal(fake_runtime__keywords(), 0);
	assert_true(session__is_lost());
	movement__want(true);
	assert_int_equal(fake_runtime__keywords(), 0);
	fake.session_result = S_OK;
	open_movement();
	assert_false(session__is_lost());
	close_movement();
}

static void nobody_wants_a_session_that_was_lost(void **state)
{
	(void)state;
	open_movement();
	fake.session_result = E_FAIL;
	session__renew();
	close_movement();
	fake.session_result = S_OK;
	open_movement();
	assert_false(session__is_lost());
	close_movement();
}

/* ---------------------------------------------------------------- what cannot be */

/* Every event cut to every length, and ends that never began. */
static void payloads_may_be_short(void **state)
{
	static const enum event events[] = { EVENT_GC_START,	     EVENT_GC_END,
					     EVENT_HEAP_STATS,	     EVENT_SURVIVING_RANGES,
					     EVENT_MOVED_RANGES,     EVENT_HEAP_HISTORY,
					     EVENT_GLOBAL_HISTORY };
	uint8_t bytes[486];

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	open_movement();
	fake_runtime__gc_end(1);
	fake_runtime__stats();
	fake_runtime__moved(1, 2, 3);
	begin_by_events(100, 0, 0);
	for (size_t i = 1; i < sizeof(events) / sizeof(events[0]); i++)
		for (size_t n = 0; n <= sizeof(bytes); n++)
			fake_runtime__event(events[i], bytes, n);
	for (size_t n = 0; n < 16; n++)
		fake_runtime__event(EVENT_GC_START, bytes, n);
	end_by_events(100);
	pauses__resuming();
	assert_int_equal(lines_with(listener__told(), "gc_finish"), 1);
	close_movement();
}

/* Ends that never come end with the pause. */
static void a_pause_ends_what_it_held(void **state)
{
	(void)state;
	open_movement();
	begin_by_events(100, 0, 0);
	pauses__resuming();
	assert_int_equal(collections__now(), 0);
	assert_int_equal(lines_with(listener__told(), "gc_finish"), 1);
	close_movement();
}

/* ---------------------------------------------------------------- where generations lie */

static void parts_beyond_the_room_wait(void **state)
{
	uint64_t sizes[GENERATIONS];

	(void)state;
	fake.part_count = 0;
	for (uint64_t i = 0; i < 3000; i++)
		fake_runtime__part((int32_t)(i % 5), (7 * i % 3000) << 12, 16, 0x1000);
	bounds__look();
	assert_false(bounds__are_known());
	bounds__sizes(sizes);
	assert_true(sizes[0] == UINT64_MAX);
	bounds__make_room();
	bounds__look();
	assert_true(bounds__are_known());
	bounds__sizes(sizes);
	for (unsigned i = 0; i < GENERATIONS; i++)
		assert_int_equal(sizes[i], 600 * 16);
	for (uint64_t i = 0; i < 3000; i++) {
		const uint64_t start = (7 * i % 3000) << 12;
		const struct bounds_part part = bounds__part(start + 8, 9);

		assert_int_equal(part.generation, i % 5);
		assert_true(bounds_part__has(&part, start));
		assert_true(bounds_part__has(&part, start + 0xfff));
		assert_false(bounds_part__has(&part, start - 1));
		assert_false(bounds_part__has(&part, start + 0x1000));
	}
}

/* Each range is told of the generation that it lies in, whatever the one before it lay in. */
static void neighbours_may_be_of_other_generations(void **state)
{
	(void)state;
	fake.part_count = 0;
	fake_runtime__part(1, 0x20000, 16, 0x1000);
	fake_runtime__part(3, 0x10000, 16, 0x1000);
	fake_runtime__part(7, 0x30000, 16, 0x1000); /* none that is known */
	bounds__look();
	for (int i = 0; i < 2; i++) {
		struct bounds_part part = bounds__part(0x10ff8, 9);

		assert_int_equal(part.generation, 3);
		assert_false(bounds_part__has(&part, 0x20000));
		part = bounds__part(0x20000, 9);
		assert_int_equal(part.generation, 1);
		assert_false(bounds_part__has(&part, 0x10fff));
		part = bounds__part(0x30000, 9);
		assert_int_equal(part.generation, 9);
		assert_false(bounds_part__has(&part, 0x30000));
		part = bounds__part(0xfff8, 9);
		assert_int_equal(part.generation, 9);
		assert_false(bounds_part__has(&part, 0xfff8));
	}
}

static void nothing_is_known_after_an_error(void **state)
{
	(void)state;
	fake.bounds_result = E_FAIL;
	suspend(SUSPEND_FOR_GC);
	collections__started(1, false);
	assert_int_equal(bounds__part(0x10000, 7).generation, 7);
	collections__finished();
	pauses__resuming();
	assert_int_equal(lines_with(listener__told(), "pool"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(callbacks_tell_what_they_know),
		TEST(a_background_one_that_seems_to_end_at_once_may_be_two),
		TEST(a_young_one_is_told_apart_from_the_background_one),
		TEST(a_young_one_of_gen1_is_known_by_where_it_was),
		TEST(a_blocking_one_is_one),
		TEST(a_background_one_alone_ends_at_its_end),
		TEST(nobody_listens),
		TEST(one_who_comes_late_hears_what_is_in_progress),
		TEST(events_tell_all),
		TEST(a_background_one_is_told_whole),
		TEST(room_that_is_given_away_is_said),
		TEST(large_objects_may_be_unseen),
		TEST(a_background_one_made_at_once_is_a_blocking_one),
		TEST(ranges_of_two_openings_are_not_all),
		TEST(what_began_by_callbacks_ends_by_them),
		TEST(the_first_of_a_session_is_told_whole),
		TEST(a_start_without_an_event_is_told_by_callbacks),
		TEST(where_all_lies_is_told_before_any_ranges),
		TEST(a_dump_brings_the_events),
		TEST(closing_waits_and_then_does_not),
		TEST(a_session_that_cannot_be_opened),
		TEST(a_session_that_cannot_be_opened_again),
		TEST(nobody_wants_a_session_that_was_lost),
		TEST(payloads_may_be_short),
		TEST(a_pause_ends_what_it_held),
		TEST(parts_beyond_the_room_wait),
		TEST(neighbours_may_be_of_other_generations),
		TEST(nothing_is_known_after_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
