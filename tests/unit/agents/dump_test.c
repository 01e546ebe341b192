/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap dump of .NET from the wish to its end, with an invented runtime: who waits for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/dump.c"

struct clr clr;

static const struct timespec moment = { .tv_nsec = 1000000 };

static struct {
	atomic_uint ends, forgotten; /* C_ENDs told; how often all was forgotten */
	_Atomic uint64_t status;
	atomic_bool was_forgotten_early; /* the session was still open */
	HRESULT forced;
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
	(void)type;
	(void)id1;
	(void)id2;
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

HRESULT session__open(enum session session)
{
	assert_int_equal(session, SESSION_DUMP);
	return S_OK;
}

/* As the runtime's, it comes back when no event is being delivered any more. */
void session__close(enum session session)
{
	assert_int_equal(session, SESSION_DUMP);
	while (!seen.ends)
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

NOTHING(pace__begin, void)
NOTHING(leftover__give_back, void)
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

/* ---- The runtime ---- */

static void collection(uint32_t id, uint32_t number)
{
	const uint32_t start[] = { number, GENERATION_ALL, 1, 0 };

	dump__deliver(id, 2, (const uint8_t *)start, sizeof(start));
}

static HRESULT force(void *self)
{
	(void)self;
	if (seen.forced != S_OK)
		return seen.forced;
	collection(EVENT_GC_START, 7);
	dump__deliver(EVENT_BULK_NODE, 0, NULL, 0);
	collection(EVENT_GC_END, 7);
	return S_OK;
}

/* As the watcher does, until the dump is over and nobody is at work. */
static void dump_one(HRESULT forced)
{
	seen.ends = seen.forgotten = 0;
	seen.forced = forced;
	dump__want(false);
	do {
		dump__want(true);
		nanosleep(&moment, NULL);
	} while (dump.state != IDLE);
}

/* ---- Tests ---- */

static void a_dump_is_told_once_and_then_forgotten(void **state)
{
	(void)state;
	dump_one(S_OK);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_COMPLETE);
	assert_int_equal(seen.forgotten, 1);
}

static void a_refused_one_is_told_as_stopped(void **state)
{
	(void)state;
	dump_one(E_FAIL);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.status, GCTRACE_DUMP_ABORTED);
	assert_int_equal(seen.forgotten, 1);
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
		cmocka_unit_test(nothing_is_forgotten_while_events_may_come),
	};

	clr.info = &info;
	return cmocka_run_group_tests_name("agents/dump", tests, NULL, NULL);
}
