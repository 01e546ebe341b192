/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap dump of .NET from the wish to its end, with an invented runtime: who waits for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <time.h>

#include "agents/common/clock.h"

static int fake_sleep(const struct timespec *time, struct timespec *left);
static uint64_t fake_now(void);

#define nanosleep fake_sleep
#define clock__now fake_now
#include "agents/dotnet/dump.c"
#undef nanosleep

struct clr clr;

static const struct timespec moment = { .tv_nsec = 1000000 };

static struct {
	atomic_uint begins, ends, forgotten; /* C_BEGINs, C_ENDs; how often all was forgotten */
	_Atomic uint64_t status;
	const char *_Atomic words; /* why it is not whole */
	atomic_bool was_forgotten_early; /* the session was still open */
	HRESULT forced;
	atomic_bool walks_by_another; /* where it is refused, another thread's collection walks */
	atomic_uint looks_of_walk;    /* so long; a batch before each look */
	atomic_bool walks_at_begin;   /* just when it is begun, one walks */
	atomic_bool tells_between;    /* types, behind a collection that has not walked */
	atomic_uint batches;
	atomic_bool has_background; /* a collection that does not end */
	_Atomic uint64_t waited_ns; /* for that one */
	atomic_uint forces;
	atomic_bool walks_of_young; /* another thread's, before each whole one */
} seen;

/* ---- The other files, as far as they matter here ---- */

struct gctrace_writer *emitter__take(uint64_t gc, uint64_t pause)
{
	static struct gctrace_writer writer;

	(void)gc;
	(void)pause;
	return &writer;
}

void emitter__release(struct gctrace_writer *writer)
{
	(void)writer;
}

void gctrace_write_container(struct gctrace_writer *writer, uint64_t type, uint64_t id1,
			     uint64_t id2)
{
	(void)writer;
	(void)id1;
	(void)id2;
	seen.begins += type == GCTRACE_C_BEGIN;
}

void gctrace_write_dump_end(struct gctrace_writer *writer, uint64_t number, uint64_t status,
			    uint64_t objects, uint64_t references, uint64_t roots, uint64_t bytes)
{
	(void)writer;
	(void)number;
	(void)objects;
	(void)references;
	(void)roots;
	(void)bytes;
	seen.status = status;
	seen.ends++;
}

void gctrace_write_notice(struct gctrace_writer *writer, uint32_t what, const char *text)
{
	(void)writer;
	assert_int_equal(what, GCTRACE_NOTICE_OTHER);
	seen.words = text;
}

HRESULT session__open(enum session session)
{
	const uint32_t start[] = { 5, GENERATION_ALL, 1, GC_TYPE_BACKGROUND };

	assert_int_equal(session, SESSION_DUMP);
	if (seen.has_background)
		dump__deliver(EVENT_GC_START, 2, (const uint8_t *)start, sizeof(start));
	return S_OK;
}

/* As the runtime's, it comes back when no event is being delivered any more. */
void session__close(enum session session)
{
	assert_int_equal(session, SESSION_DUMP);
	while (!seen.ends && dump.state != ARMED)
		nanosleep(&moment, NULL);
	for (int i = 0; i < 20; i++)
		nanosleep(&moment, NULL);
	seen.was_forgotten_early = seen.forgotten;
}

void session__renew(void)
{
}

void modules__close(void)
{
	seen.forgotten++;
}

bool pace__is_wanted(void)
{
	return true;
}

bool pace__may_go_on(void)
{
	return true;
}

#define NOTHING(name, ...) void name(__VA_ARGS__) {}
#define READY(name) bool name(void) { return true; }
#define EVENT(name) \
	void name(struct gctrace_writer *w, struct payload *p, struct totals *t) \
	{ (void)w; (void)p; (void)t; }

NOTHING(leftover__give_back, void)
NOTHING(unnamed__begin, void)
NOTHING(frozen__learn, void)
NOTHING(gone__begin, void)
NOTHING(modules__open, void)
NOTHING(nodes__begin, void)
NOTHING(roots__empty, void)
NOTHING(statics__empty, void)
NOTHING(structs__empty, void)
NOTHING(thread_statics__empty, void)
NOTHING(thread_statics__learn, void)
NOTHING(types__empty, void)
READY(modules__init)
READY(roots__init)
READY(statics__init)
READY(structs__init)
READY(thread_statics__init)
READY(types__init)
EVENT(nodes__event)
EVENT(roots__event)
EVENT(roots__dependent_event)

void unnamed__tell(struct gctrace_writer *writer)
{
	(void)writer;
}

void roots__begin(struct gctrace_writer *writer)
{
	(void)writer;
}

void types__event(struct gctrace_writer *writer, struct payload *payload)
{
	(void)writer;
	(void)payload;
}

void statics__event(struct payload *payload)
{
	(void)payload;
}

void statics__tell(struct gctrace_writer *writer, struct totals *totals)
{
	(void)writer;
	(void)totals;
}

void structs__tell(struct gctrace_writer *writer)
{
	(void)writer;
}

void thread_statics__name_threads(struct gctrace_writer *writer)
{
	(void)writer;
}

uint64_t collections__now(void)
{
	return 0;
}

uint64_t pauses__now(void)
{
	return 0;
}

uint64_t emitter__batches(void)
{
	return seen.batches;
}

/* ---- The runtime ---- */

static void collection(uint32_t id, uint32_t number)
{
	const uint32_t start[] = { number, GENERATION_ALL, 1, 0 };

	dump__deliver(id, 2, (const uint8_t *)start, sizeof(start));
}

static void walk(uint32_t number)
{
	collection(EVENT_GC_START, number);
	dump__deliver(EVENT_BULK_NODE, 0, NULL, 0);
}

/* Of another thread, before ForceGC has its own. */
static void walk_young(uint32_t number)
{
	const uint32_t start[] = { number, 0, 1, 0 };

	dump__deliver(EVENT_GC_START, 2, (const uint8_t *)start, sizeof(start));
	dump__deliver(EVENT_BULK_NODE, 0, NULL, 0);
	dump__deliver(EVENT_GC_END, 1, (const uint8_t *)start, sizeof(start));
}

static HRESULT force(void *self)
{
	(void)self;
	seen.forces++;
	if (seen.has_background)
		return S_OK; /* all of them were others' */
	if (seen.walks_of_young)
		walk_young(5);
	if (seen.walks_by_another)
		walk(6);
	if (seen.tells_between) {
		collection(EVENT_GC_START, 6);
		collection(EVENT_GC_END, 6);
		dump__deliver(EVENT_BULK_TYPE, 0, NULL, 0);
	}
	if (seen.forced != S_OK)
		return seen.forced;
	walk(7);
	collection(EVENT_GC_END, 7);
	return S_OK;
}

void pace__begin(void)
{
	if (atomic_exchange(&seen.walks_at_begin, false))
		walk(8);
}

/* Time goes by while it is waited for a background collection. */
static uint64_t fake_now(void)
{
	return 1 + seen.waited_ns;
}

static bool are_idle_but_collector(void)
{
	return worker__is_idle(&dump.names) && worker__is_idle(&dump.closer);
}

/* Whoever waits for a walk looks whether it goes on: then a batch has gone. */
static int fake_sleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	sched_yield();
	if (dump.state == ARMED && dump.background == BACKGROUND_RUNS && are_idle_but_collector())
		seen.waited_ns += (uint64_t)time->tv_nsec;
	if (dump.state != RUNNING || !seen.looks_of_walk)
		return 0;
	seen.batches++;
	if (!--seen.looks_of_walk)
		collection(EVENT_GC_END, 6);
	return 0;
}

static bool is_anybody_at_work(void)
{
	return !worker__is_idle(&dump.collector) || !are_idle_but_collector();
}

/* As the watcher does, until the dump is over and nobody is at work. */
static void dump_one(HRESULT forced)
{
	seen.begins = seen.ends = seen.forgotten = 0;
	seen.words = NULL;
	seen.forced = forced;
	dump__want(false);
	do {
		dump__want(true);
		nanosleep(&moment, NULL);
	} while (dump.state != IDLE || is_anybody_at_work());
}

/* ---- Tests ---- */

static void a_dump_is_told_once_and_then_forgotten(void **state)
{
	(void)state;
	dump_one(S_OK);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_COMPLETE);
	assert_null(seen.words);
	assert_int_equal(seen.forgotten, 1);
}

static void a_refused_one_is_told_as_stopped(void **state)
{
	(void)state;
	dump_one(E_FAIL);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_ABORTED);
	assert_string_equal(seen.words, "the runtime made no collection that tells all objects");
	assert_int_equal(seen.forgotten, 1);
}

static void another_threads_walk_may_take_its_time(void **state)
{
	(void)state;
	seen.walks_by_another = true;
	seen.looks_of_walk = 3 * LOOKS_MOST;
	dump_one(E_FAIL);
	assert_int_equal(seen.begins, 1);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_COMPLETE);
	seen.walks_by_another = false;
}

static void another_threads_walk_that_stands_still_is_given_up(void **state)
{
	(void)state;
	seen.walks_by_another = true;
	seen.looks_of_walk = 0;
	dump_one(E_FAIL);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_ABORTED);
	assert_string_equal(seen.words, "a collection that told objects did not come to its end");
	seen.walks_by_another = false;
}

/* As it happens where another session is open: the runtime tells types between collections. */
static void what_is_told_between_collections_begins_nothing(void **state)
{
	(void)state;
	seen.tells_between = true;
	dump_one(S_OK);
	seen.tells_between = false;
	assert_int_equal(seen.begins, 1);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_COMPLETE);
}

static void a_walk_does_not_begin_what_was_given_up(void **state)
{
	(void)state;
	seen.walks_at_begin = true;
	dump_one(E_FAIL);
	assert_int_equal(seen.begins, 1);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_ABORTED);
}

/* Not before each try anew: whoever asks waits little longer in all. */
static void a_background_collection_is_waited_for_once(void **state)
{
	(void)state;
	seen.has_background = true;
	seen.forces = 0;
	seen.waited_ns = 0;
	dump_one(S_OK);
	assert_int_equal(seen.forces, TRIES);
	assert_int_equal(seen.waited_ns, BACKGROUND_MOST_NS);
	assert_int_equal(seen.status, GCTRACE_DUMP_ABORTED);
	seen.has_background = false;
}

/* The program pays for one whole collection, not for one more with each walk in vain. */
static void walks_of_young_collections_cost_no_further_whole_one(void **state)
{
	(void)state;
	seen.walks_of_young = true;
	seen.forces = 0;
	dump_one(S_OK);
	assert_int_equal(seen.forces, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_COMPLETE);
	seen.walks_of_young = false;
}

/* Another thread's collection may be walking still, and look into what would be gone. */
static void nothing_is_forgotten_while_events_may_come(void **state)
{
	(void)state;
	dump_one(E_FAIL);
	assert_false(seen.was_forgotten_early);
	dump_one(S_OK);
	assert_false(seen.was_forgotten_early);
}

int main(void)
{
	static const struct info_table table = { .force_gc = force };
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_is_told_once_and_then_forgotten),
		cmocka_unit_test(a_refused_one_is_told_as_stopped),
		cmocka_unit_test(another_threads_walk_may_take_its_time),
		cmocka_unit_test(another_threads_walk_that_stands_still_is_given_up),
		cmocka_unit_test(what_is_told_between_collections_begins_nothing),
		cmocka_unit_test(a_walk_does_not_begin_what_was_given_up),
		cmocka_unit_test(a_background_collection_is_waited_for_once),
		cmocka_unit_test(walks_of_young_collections_cost_no_further_whole_one),
		cmocka_unit_test(nothing_is_forgotten_while_events_may_come),
	};

	clr.info = &info;
	return cmocka_run_group_tests_name("agents/dump", tests, NULL, NULL);
}
