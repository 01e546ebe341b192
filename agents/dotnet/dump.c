/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump, from the wish to its end, and on which thread:
 *
 *	 asks for  readers     session opened,      events of a whole      session     statics,
 *	  a dump   of names     ForceGC             collection's walk      closed        C_END
 *	 --------> ---------> ------------- . . . . ----------------> . . . ------ . . . ------>
 *	 IDLE      PREPARING       ARMED                RUNNING               TOLD        IDLE
 *	 watcher    names        collector          runtime's own            closer    collector
 *
 * ONE DUMP. From the call of ForceGC until it has its own collection, those of other threads walk
 * the whole heap too, each as long as a dump. It has to wait only while a background collection is
 * under way, so that is waited for first: the events of collections tell of one. A walk in vain of
 * another thread's collection costs the program a pause; closing the session behind it would make
 * ForceGC's own collection an ordinary one, and the next try a second whole one, which costs more:
 * so the session stays open. Only where a background one began all the same, behind which any
 * number of walks may come, it is closed, and another try is made. When the first good dump has
 * ended the session is closed at once too, by another thread, and what comes of further ones is not
 * listened to.
 *
 * A GOOD ONE is of a collection of all generations. A younger one's walk tells all objects, but not
 * all roots: what only a pointer into its inside holds (a Span's, a ref's) is told only where the
 * object was condemned. Such walks are passed over; ForceGC's own is whole.
 *
 * THE PAUSE. The runtime's walk tells static fields, types, roots, objects, in this order, all on
 * one thread; they are told as they come. Nothing is allocated and no lock is taken by us; what
 * grows stands in regions (agents/common/region.h). What is not needed for what follows waits until
 * the program runs again.
 *
 * CLASSES that are asked for afterwards may have to be loaded, which only a thread of the runtime's
 * survives, and of those only one that has called ForceGC may ask: the collector, once that is
 * back.
 *
 * ABORT. When the request falls, nothing more is told but C_END.
 */
#include "dump.h"
#include "agents/common/clock.h"
#include "agents/common/emitter.h"
#include "agents/common/leftover.h"
#include "agents/common/pace.h"
#include "agents/common/thread.h"
#include "agents/common/unnamed.h"
#include "collections.h"
#include "frozen.h"
#include "gone.h"
#include "modules.h"
#include "nodes.h"
#include "pauses.h"
#include "payload.h"
#include "roots.h"
#include "session.h"
#include "statics.h"
#include "structs.h"
#include "thread_statics.h"
#include "types.h"

#include <stdatomic.h>
#include <time.h>

#define GENERATION_ALL 2

#define LOOK_NS 1000000
#define LOOKS_UNKNOWN 30 /* until it is taken that there is none */
#define LOOKS_MOST 10000 /* at what stands still */
#define BACKGROUND_MOST_NS UINT64_C(15000000000) /* gctrace waits 20 s for a beginning */
#define TRIES 4

enum background { BACKGROUND_UNKNOWN, BACKGROUND_NONE, BACKGROUND_RUNS };

enum state { IDLE, PREPARING, ARMED, RUNNING, TOLD };

static struct {
	_Atomic enum state state;
	atomic_bool is_stopped;
	bool is_ready, cannot;	/* threads and address space are there; cannot be had */
	atomic_bool was_wanted; /* by the watcher */
	struct worker names, collector, closer;
	uint64_t number;
	struct totals totals;
	/* The collection that started last, by the runtime's own number. */
	uint32_t collection, generation, type;
	bool has_started; /* its start was heard, and not yet its end */
	_Atomic enum background background;
	unsigned tries_left; /* to have a good one at once */
	uint64_t until_ns;   /* no background collection is waited for any longer */
	bool was_passed_over; /* a walk of the collection under way */
	uint32_t walked;  /* the collection that the dump is of */
	const char *fault; /* why it is not whole; NULL: it is, or nobody wants it any more */
} dump;

static struct gctrace_writer *take_writer(void)
{
	return emitter__take(collections__now(), pauses__now());
}

/* Of two that want to, at the same time, one can. */
static bool go_on(enum state from, enum state to)
{
	return atomic_compare_exchange_strong(&dump.state, &from, to);
}

/* ---- In the pause ---- */

static void begin(void)
{
	struct gctrace_writer *writer = take_writer();

	dump.number++;
	dump.walked = dump.collection;
	dump.totals = (struct totals){ 0 };
	dump.fault = NULL;
	pace__begin();
	gctrace_write_container(writer, GCTRACE_C_BEGIN, dump.number, collections__now());
	roots__begin(writer);
	nodes__begin();
	emitter__release(writer);
}

static bool is_good(void)
{
	return dump.has_started && dump.generation >= GENERATION_ALL &&
	       dump.type != GC_TYPE_BACKGROUND;
}

/* Of a walk that was in vain the session may still be about to be closed, in this one's midst. */
static bool is_whole(void)
{
	return worker__is_idle(&dump.closer);
}

static void tell(uint32_t id, struct payload *payload)
{
	struct gctrace_writer *writer = take_writer();

	if (id == EVENT_BULK_TYPE)
		types__event(writer, payload);
	else if (id == EVENT_BULK_ROOT_EDGE)
		roots__event(writer, payload, &dump.totals);
	else if (id == EVENT_BULK_DEPENDENT)
		roots__dependent_event(writer, payload, &dump.totals);
	else if (id == EVENT_BULK_NODE)
		nodes__event(writer, payload, &dump.totals);
	emitter__release(writer);
}

static void walk_event(uint32_t id, struct payload *payload)
{
	if (dump.state == ARMED && is_good() && is_whole() && pace__is_wanted() &&
	    go_on(ARMED, RUNNING))
		begin();
	dump.was_passed_over = dump.state == ARMED;
	if (dump.state != RUNNING || dump.walked != dump.collection || !pace__may_go_on())
		return;
	if (id == EVENT_BULK_STATIC)
		statics__event(payload);
	else
		tell(id, payload);
}

/* ---- When the program runs again ---- */

static void close_session(void *context)
{
	(void)context;
	if (dump.is_stopped)
		return;
	session__close(SESSION_DUMP);
	session__renew();
}

static void end(enum gctrace_dump_status status)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	if (status == GCTRACE_DUMP_COMPLETE && pace__may_go_on()) {
		structs__tell(writer);
		statics__tell(writer, &dump.totals);
		thread_statics__name_threads(writer);
	}
	if (!pace__may_go_on())
		status = GCTRACE_DUMP_ABORTED;
	unnamed__tell(writer);
	if (dump.fault)
		gctrace_write_notice(writer, GCTRACE_NOTICE_OTHER, dump.fault);
	gctrace_write_container(writer, GCTRACE_C_END, status, 0);
	gctrace_write_dump_end(writer, dump.number, status, dump.totals.objects,
			       dump.totals.references, dump.totals.roots, dump.totals.bytes);
	emitter__release(writer);
}

static void await_closer(void)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };

	while (!worker__is_idle(&dump.closer))
		nanosleep(&look, NULL);
}

/* Where a walk was given up it may be at work still: closing the session waits for it. */
static void forget(void)
{
	await_closer();
	modules__close();
	types__empty();
	roots__empty();
	statics__empty();
	thread_statics__empty();
	structs__empty();
}

static void finish(void)
{
	if (dump.is_stopped)
		dump.fault = "the runtime ends";
	end(dump.fault ? GCTRACE_DUMP_ABORTED : GCTRACE_DUMP_COMPLETE);
	if (!dump.is_stopped)
		forget();
}

/* Nothing more comes of it. */
static void be_told(void)
{
	if (go_on(RUNNING, TOLD))
		worker__post(&dump.closer, close_session, NULL);
}

/* One of gen0 or gen1 may also be made in the pause in which a background one starts. */
static void collection_started(uint32_t number, uint32_t generation, uint32_t type)
{
	dump.collection = number;
	dump.generation = generation;
	dump.type = type;
	dump.has_started = true;
	if (type == GC_TYPE_BACKGROUND || type == GC_TYPE_DURING_BACKGROUND)
		dump.background = BACKGROUND_RUNS;
	else if (dump.background == BACKGROUND_UNKNOWN)
		dump.background = BACKGROUND_NONE;
}

static void collection_ended(uint32_t number, uint32_t generation)
{
	if (generation >= GENERATION_ALL)
		dump.background = BACKGROUND_NONE;
	if (dump.state == ARMED && dump.was_passed_over && dump.tries_left &&
	    dump.background == BACKGROUND_RUNS)
		worker__post(&dump.closer, close_session, NULL);
	dump.has_started = dump.was_passed_over = false;
	if (dump.state == RUNNING && number == dump.walked)
		be_told();
}

static void collection_event(uint32_t id, struct payload *payload)
{
	const uint32_t number = payload__u32(payload), generation = payload__u32(payload);
	uint32_t type = 0;

	if (id == EVENT_GC_START) {
		payload__u32(payload); /* reason */
		type = payload__u32(payload);
	}
	if (payload->bad)
		return;
	if (id == EVENT_GC_START)
		collection_started(number, generation, type);
	else
		collection_ended(number, generation);
}

void dump__deliver(uint32_t id, uint32_t version, const uint8_t *payload, uint32_t bytes)
{
	struct payload all = payload__of(payload, bytes);

	(void)version;
	if (dump.state < ARMED)
		return;
	if (id == EVENT_GC_START || id == EVENT_GC_END)
		collection_event(id, &all);
	else if (id != EVENT_BULK_EDGE) /* nodes.h says why */
		walk_event(id, &all);
}

/* ---- Asking ---- */

static bool may_force(unsigned looks)
{
	if (dump.background == BACKGROUND_UNKNOWN)
		return looks >= LOOKS_UNKNOWN;
	return dump.background == BACKGROUND_NONE;
}

static void await_background(void)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };

	for (unsigned looks = 0; !may_force(looks) && pace__is_wanted() &&
				 clock__now() < dump.until_ns; looks++)
		nanosleep(&look, NULL);
}

/* False: there is no use in another try. */
static bool try_to_collect(void)
{
	dump.has_started = dump.was_passed_over = false;
	dump.background = BACKGROUND_UNKNOWN;
	if (dump.is_stopped || session__open(SESSION_DUMP) < 0)
		return false;
	await_background();
	if (!pace__is_wanted() || dump.is_stopped)
		return false;
	return CLR_CALL(force_gc) >= 0 && dump.state == ARMED;
}

/*
 * ForceGC is back and no walk has begun: the runtime refused, or had no good one. If nobody wants
 * it any more then nobody is told: who asks anew by now is to have a dump, and not the end of this
 * one. False: a walk has begun just now.
 */
static bool give_up(void)
{
	if (!go_on(ARMED, TOLD))
		return false;
	await_closer();
	worker__post(&dump.closer, close_session, NULL);
	if (!dump.was_wanted || !pace__is_wanted()) {
		if (!dump.is_stopped)
			forget();
		return true;
	}
	begin();
	dump.fault = "the runtime made no collection that tells all objects";
	finish();
	return true;
}

/*
 * Of a walk in another thread's collection, where ours was refused meanwhile. It may take as long
 * as it goes on.
 */
static void await_end(void)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	uint64_t batches = emitter__batches();

	for (unsigned looks = 0; dump.state == RUNNING && looks < LOOKS_MOST; looks++) {
		nanosleep(&look, NULL);
		if (emitter__batches() != batches)
			looks = 0;
		batches = emitter__batches();
	}
	if (go_on(RUNNING, TOLD)) {
		dump.fault = "a collection that told objects did not come to its end";
		worker__post(&dump.closer, close_session, NULL);
	}
}

static void collect(void *context)
{
	(void)context;
	dump.state = ARMED;
	dump.tries_left = TRIES;
	dump.until_ns = clock__now() + BACKGROUND_MOST_NS;
	do {
		dump.tries_left--;
		await_closer();
	} while (try_to_collect() && dump.tries_left);
	if (!give_up()) {
		await_end();
		finish();
	}
	leftover__give_back(); /* the collector worked on this thread */
}

static void prepare(void *context)
{
	(void)context;
	if (dump.is_stopped)
		return;
	gone__begin();
	unnamed__begin();
	modules__open();
	frozen__learn();
	thread_statics__learn();
	worker__post(&dump.collector, collect, NULL);
}

static bool get_ready(void)
{
	if (dump.is_ready || dump.cannot)
		return dump.is_ready;
	dump.is_ready = modules__init() && types__init() && roots__init() && statics__init() &&
			structs__init() && thread_statics__init() &&
			worker__start(&dump.names, "gctrace-names") &&
			worker__start(&dump.collector, "gctrace-dump") &&
			worker__start(&dump.closer, "gctrace-close");
	dump.cannot = !dump.is_ready;
	return dump.is_ready;
}

static void start(void)
{
	if (!get_ready()) {
		begin();
		dump.fault = "there was no address space or no thread for dumps";
		end(GCTRACE_DUMP_ABORTED);
		dump.state = IDLE;
		return;
	}
	dump.state = PREPARING;
	worker__post(&dump.names, prepare, NULL);
}

static bool are_idle(void)
{
	return worker__is_idle(&dump.names) && worker__is_idle(&dump.collector) &&
	       worker__is_idle(&dump.closer);
}

void dump__want(bool is_wanted)
{
	switch (atomic_load(&dump.state)) {
	case IDLE:
		if (is_wanted && !dump.was_wanted)
			start();
		dump.was_wanted = is_wanted;
		return;
	case PREPARING:
		break;
	case ARMED:
		if (!is_wanted)
			worker__post(&dump.closer, close_session, NULL);
		break;
	case RUNNING:
		break;
	case TOLD:
		if (are_idle())
			dump.state = IDLE;
		break;
	}
	dump.was_wanted = dump.was_wanted && is_wanted; /* a fall is seen, a rise waits */
}

void dump__stop(void)
{
	dump.is_stopped = true;
}
