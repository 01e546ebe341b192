/* SPDX-License-Identifier: BSD-2-Clause */
#include "collections.h"
#include "agents/common/clock.h"
#include "agents/common/emitter.h"
#include "bounds.h"
#include "history.h"
#include "movement.h"
#include "payload.h"
#include "pauses.h"
#include "producer.h"
#include "session.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* A background one, one that it lets in, and room for what was not foreseen. */
#define MOST_AT_ONCE 4
#define NO_COUNT UINT64_MAX /* of one that is told by callbacks, or whose GC_START is to come */

/*
 * The start of a collection. The runtime says "background" before it knows: such a collection may
 * be made at once, in its pause, and of all generations. So its start is told when that shows: it
 * is a blocking one if ranges or its end come in that pause, else a background one.
 */
enum start {
	START_UNKNOWN,
	START_UNDECIDED,
	START_BEING_TOLD,
	START_TOLD,
};

struct collection {
	uint64_t number;	/* ours, from 1 */
	uint64_t count;		/* the runtime's */
	uint64_t started_ns;
	bool by_events;
	_Atomic enum start start;
	bool is_over;		/* GC_END has come, HEAP_STATS and history may be to come */
	bool is_background;
	uint32_t generation;	/* the oldest that is condemned, by GC_START */
	uint32_t reason;
	uint64_t generations;	/* condemned, as a mask */
	bool has_ranges;	/* from its start on */
	unsigned openings;	/* of SESSION_MOVEMENT, at its start */
	uint64_t before[GENERATIONS]; /* sizes */
	/* By callbacks, of gen2: what its first pause shows (collections.h). */
	uint64_t let_in_ns;	/* when a young one starts, if there is one */
	uint64_t over_ns;	/* Finished came; 0: not yet */
	bool has_taken_gen1;	/* the young one */
	bool may_be_two;	/* it has started by callbacks alone */
	atomic_bool is_behind;	/* BGC_BEGIN came */
	struct history history;
};

/*
 * The innermost is the last. Changed by one thread at a time (the runtime's lock of its collector);
 * read by others of its threads, between a start and an end.
 */
static struct collection running[MOST_AT_ONCE];
static atomic_uint depth;
static uint64_t numbers;
static atomic_uint by_events; /* of those that run, and one that is about to start */

static struct collection *innermost(void)
{
	const unsigned n = atomic_load_explicit(&depth, memory_order_relaxed);

	return n ? &running[n - 1] : NULL;
}

static bool is_told(const struct collection *c)
{
	return atomic_load(&c->start) == START_TOLD;
}

uint64_t collections__now(void)
{
	const struct collection *c = innermost();

	return c && is_told(c) ? c->number : 0;
}

bool collections__background_has_ranges(void)
{
	const struct collection *c = innermost();

	return c && c->is_background && c->has_ranges;
}

/* ---- Starts ---- */

static struct collection *push(bool is_by_events)
{
	const unsigned n = atomic_load(&depth);
	struct collection *c = &running[n < MOST_AT_ONCE ? n : MOST_AT_ONCE - 1];

	if (n == MOST_AT_ONCE && c->by_events)
		atomic_fetch_sub(&by_events, 1);
	memset(c, 0, sizeof(*c));
	c->number = ++numbers;
	c->started_ns = clock__now();
	c->count = NO_COUNT;
	c->by_events = is_by_events;
	bounds__sizes(c->before);
	history__clear(&c->history);
	if (n < MOST_AT_ONCE)
		atomic_store(&depth, n + 1);
	return c;
}

static void pop(void)
{
	const unsigned n = atomic_load(&depth);

	if (running[n - 1].by_events)
		atomic_fetch_sub(&by_events, 1);
	atomic_store(&depth, n - 1);
}

static void tell_start(struct collection *c, uint64_t generations, uint32_t how)
{
	struct gctrace_writer *writer = emitter__take(0, pauses__now());

	c->generations = generations;
	producer__define_reason(writer, c->reason);
	if (gctrace_wants_gc__start())
		gctrace_write_gc_start_of(writer, c->started_ns, c->number, generations, c->reason,
					  how);
	if (c->has_ranges)
		bounds__write(writer, GCTRACE_BEFORE, c->number);
	emitter__release(writer);
	atomic_store(&c->start, START_TOLD);
}

/* No events come of it, though a session was open when it started: callbacks have to do. */
static void fall_back(struct collection *c)
{
	atomic_fetch_sub(&by_events, 1);
	c->by_events = false;
	c->may_be_two = c->generations >> 2 & 1;
	tell_start(c, c->generations, 0);
}

static bool is_expected(const struct collection *c)
{
	return c->by_events && c->count == NO_COUNT;
}

/* GCStart_V2: what is condemned. A background collection leaves gen0 and gen1 alone. */
static uint64_t generations_of(const struct collection *c)
{
	if (c->is_background)
		return 1 << 2 | 1 << 3 | 1 << 4;
	return c->generation >= 2 ? 0x1f : (2u << c->generation) - 1;
}

/* By any of the collector's threads, which may all have ranges of it at once: one of them tells. */
static void decide(struct collection *c, bool is_background)
{
	enum start undecided = START_UNDECIDED;

	if (atomic_compare_exchange_strong(&c->start, &undecided, START_BEING_TOLD)) {
		c->is_background = is_background;
		tell_start(c, generations_of(c),
			   is_background ? GCTRACE_HOW_CONCURRENT | GCTRACE_HOW_SWEEPING : 0);
	}
	while (atomic_load(&c->start) == START_BEING_TOLD)
		sched_yield();
}

struct ranges_of collections__with_ranges(void)
{
	struct collection *c = innermost();

	if (!c || !c->has_ranges)
		return (struct ranges_of){ 0, 0 };
	decide(c, false);
	return (struct ranges_of){ c->number, c->generations };
}

/* Closing a session looks at by_events after it has said that nothing is told by it any more. */
static bool begins_by_events(void)
{
	atomic_fetch_add(&by_events, 1);
	if (session__tells(SESSION_COLLECTIONS))
		return true;
	atomic_fetch_sub(&by_events, 1);
	return false;
}

static void settle_waiting(void);

void collections__started(uint64_t generations, bool is_induced)
{
	if (!emitter__is_heard()) {
		numbers++;
		return;
	}
	settle_waiting(); /* an earlier one of this pause */
	bounds__look();

	const bool is_by_events = begins_by_events(), is_whole = generations >> 2 & 1;
	struct collection *c = push(is_by_events);

	if (is_whole)
		movement__swept();
	c->reason = is_induced ? GCTRACE_REASON_EXPLICIT : GCTRACE_REASON_UNKNOWN;
	c->generations = generations;
	if (is_by_events)
		return;
	if (is_whole && session__tells(SESSION_BACKGROUND) && pauses__now()) {
		c->generation = 2;
		bounds__remember();
		c->let_in_ns = clock__now();
		atomic_store(&c->start, START_UNDECIDED);
		return;
	}
	c->may_be_two = is_whole;
	tell_start(c, generations, 0);
}

/* ---- Ends ---- */

static void write_pools(struct gctrace_writer *writer, const struct collection *c)
{
	uint64_t after[GENERATIONS];

	bounds__sizes(after);
	for (unsigned i = 0; i < GENERATIONS; i++) {
		if (after[i] != UINT64_MAX)
			gctrace_write_pool(writer, c->number, producer__generation(i),
					   c->before[i], after[i], UINT64_MAX, UINT64_MAX);
	}
}

/* From its start to its end. */
static bool has_told_ranges(const struct collection *c)
{
	return c->has_ranges && session__tells(SESSION_MOVEMENT) &&
	       session__openings(SESSION_MOVEMENT) == c->openings;
}

static void tell_end(const struct collection *c, uint64_t ended_ns)
{
	const unsigned flags = (has_told_ranges(c) ? 0 : GCTRACE_FINISH_UNTOLD) |
			       (c->may_be_two ? GCTRACE_FINISH_MAY_BE_TWO : 0);

	if (c->is_background)
		movement__swept();
	emitter__flush_all();

	struct gctrace_writer *writer = emitter__take(0, pauses__now());

	write_pools(writer, c);
	if (c->by_events)
		history__write(&c->history, writer, c->number, c->generations);
	/* Who will follow what moves has to know where all is, also from one without ranges. */
	if (c->has_ranges || emitter__wants_ranges())
		bounds__write(writer, GCTRACE_AFTER, c->number);
	if (gctrace_wants_gc__finish())
		gctrace_write_gc_finish_of(writer, ended_ns, c->number, c->history.how, flags);
	if (!pauses__now())
		gctrace_flush(writer);
	emitter__release(writer);
}

static void end_innermost(void)
{
	struct collection *c = innermost();

	decide(c, false);
	if (is_told(c))
		tell_end(c, c->over_ns ? c->over_ns : clock__now());
	pop();
}

void collections__background_begins(void)
{
	struct collection *c = innermost();

	if (c)
		atomic_store(&c->is_behind, true);
}

/* Of one by callbacks that has waited for this: its pause is about to end. */
static void settle(struct collection *c)
{
	const uint64_t over_ns = c->over_ns;

	if (over_ns && !atomic_load(&c->is_behind)) {
		end_innermost();
		return;
	}
	if (over_ns) {
		struct collection young = *c;

		young.number = ++numbers;
		young.started_ns = c->let_in_ns;
		young.reason = GCTRACE_REASON_UNKNOWN;
		tell_start(&young, c->has_taken_gen1 ? 3 : 1, 0);
		tell_end(&young, over_ns);
		c->over_ns = 0;
	}
	decide(c, true);
}

static bool waits(struct collection *c)
{
	return !c->by_events && atomic_load(&c->start) == START_UNDECIDED;
}

static void settle_waiting(void)
{
	struct collection *c = innermost();

	if (c && waits(c))
		settle(c);
}

void collections__finished(void)
{
	struct collection *c = innermost();

	if (!c)
		return;
	bounds__look();
	if (is_expected(c))
		fall_back(c);
	if (waits(c)) {
		c->over_ns = clock__now();
		c->has_taken_gen1 = bounds__gen1_was_collected();
		return;
	}
	if (!c->by_events || !session__tells(SESSION_COLLECTIONS))
		end_innermost(); /* its GC_END will not come, or finds it ended */
}

/* ---- Events ---- */

static bool is_of(const struct collection *c, uint32_t generation)
{
	return generation < 3 && (c->generations & 7) == (2u << generation) - 1;
}

/*
 * The one that Started has announced; else, with another one under way by events, a new one. That
 * is a background one then, and if it began in this very pause, its start is told behind the end of
 * the new one: what this one promotes it condemns.
 */
static struct collection *announced(uint32_t generation)
{
	struct collection *c = innermost();

	if (c && c->is_over) {
		end_innermost();
		c = innermost();
	}
	if (!c || !c->by_events)
		return NULL;
	if (is_expected(c) && is_of(c, generation))
		return c;
	if (is_expected(c)) {
		fall_back(c);
		return NULL;
	}
	atomic_fetch_add(&by_events, 1);
	return push(true);
}

static void start(struct payload payload)
{
	const uint32_t count = payload__u32(&payload), generation = payload__u32(&payload);
	const uint32_t reason = payload__u32(&payload), type = payload__u32(&payload);
	struct collection *c = payload.bad ? NULL : announced(generation);

	if (!c)
		return;
	c->count = count;
	c->generation = generation;
	c->reason = producer__reason(reason);
	c->openings = session__openings(SESSION_MOVEMENT);
	c->has_ranges = session__tells(SESSION_MOVEMENT) && bounds__are_known();
	atomic_store(&c->start, START_UNDECIDED);
	if (type != GC_TYPE_BACKGROUND)
		decide(c, false);
}

static void end(struct payload payload)
{
	const uint32_t count = payload__u32(&payload);
	struct collection *c = innermost();

	if (!c || !c->by_events || payload.bad || c->count != count)
		return;
	decide(c, false);
	c->is_over = true;
}

/* In an older pause it was told, or it goes on behind this one. */
static bool is_in_background(struct collection *c)
{
	if (is_expected(c))
		fall_back(c);
	c->may_be_two = false;
	decide(c, true);
	return !c->by_events || c->is_background;
}

void collections__pause_ends(void)
{
	struct collection *c;

	settle_waiting();
	while ((c = innermost()) && !is_in_background(c))
		end_innermost();
}

void collections__event(uint32_t id, const uint8_t *bytes, uint32_t count)
{
	const struct payload payload = payload__of(bytes, count);
	struct collection *c = innermost();

	if (id == EVENT_GC_START)
		start(payload);
	else if (id == EVENT_GC_END)
		end(payload);
	else if (c && c->by_events)
		history__note(&c->history, id, payload);
	if (c && c->is_over && history__is_whole(&c->history))
		end_innermost(); /* else at the end of the pause, or when another one starts */
}

void collections__await_events(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < 2000 && atomic_load(&by_events); i++)
		nanosleep(&moment, NULL);
}
