/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump, from the wish to its end:
 *
 *	asks for    C_BEGIN, names    the pause: roots,    names of what    C_END
 *	 a dump     of classes and    objects, statics     came late, of
 *	            threads                                 methods
 *	 ------> | ----------------> | ------------------> | --------------> | ------>
 *	 watcher   gctrace-dump        the JVM's own thread   gctrace-dump
 *
 * The dump's thread is one of the JVM's for that time only, and has a JVMTI environment of its own
 * which goes with all its tags when the dump ends. What a dump needs stands in regions, which are
 * emptied behind it; between dumps nothing but address space is held. What the JVM itself needed
 * for it goes back to the system as well.
 *
 * ABORT. When the request falls, nothing more is told but C_END.
 *
 * POSTPONE. A list of all that lies on the heap comes in place of the walk.
 */
#include "dump.h"
#include "addresses.h"
#include "agents/common/emitter.h"
#include "agents/common/pace.h"
#include "agents/common/thread.h"
#include "agents/common/totals.h"
#include "classes.h"
#include "fault.h"
#include "held.h"
#include "newcomers.h"
#include "nodes.h"
#include "producer.h"
#include "roots.h"
#include "threads.h"
#include "types.h"
#include "vm.h"
#include "walk.h"

#include <stddef.h>

#define UNKNOWN UINT64_MAX /* collections are told by the JVM's own probes, and counted there */

static struct {
	bool is_ready, cannot; /* the thread and address space are there; cannot be had */
	bool was_wanted;       /* by the watcher */
	struct worker worker;
	uint64_t number;
	struct totals totals;
} dump;

/* ---- Before the pause ---- */

static void tell_begin(struct gctrace_writer *writer)
{
	dump.number++;
	dump.totals = (struct totals){ 0 };
	fault__clear();
	producer__write(writer);
	gctrace_write_container(writer, GCTRACE_C_BEGIN, dump.number, UNKNOWN);
}

static bool tell_names(struct visit *visit)
{
	struct gctrace_writer *writer = emitter__take(0, 0);
	bool is_learnt;

	newcomers__await(visit);
	is_learnt = classes__learn(visit);
	roots__begin(writer);
	if (!is_learnt)
		fault__raise("the JVM does not tell its classes");
	if (is_learnt) {
		classes__tell(writer);
		threads__tell(visit, writer);
		roots__leave_out(threads__own(visit));
	}
	emitter__release(writer);
	return !fault.what;
}

/* ---- The pause ---- */

static bool walk(struct visit *visit)
{
	struct gctrace_writer *writer = emitter__take(0, dump.number);
	bool is_whole;

	gctrace_write_pause_begin(writer, dump.number, GCTRACE_WHY_DUMP);
	if (gctrace_requests_postpone())
		is_whole = walk__list(visit, writer, &dump.totals);
	else
		is_whole = walk__follow(visit, writer, &dump.totals);
	gctrace_write_pause_end(writer, dump.number, UNKNOWN);
	emitter__release(writer);
	if (fault.is_of_addresses)
		addresses__give_up();
	return is_whole;
}

/* ---- Behind it ---- */

static void tell_late_names(struct visit *visit)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	classes__tell_late(visit, writer);
	threads__tell_late(visit, writer);
	roots__tell_methods(visit, writer);
	emitter__release(writer);
}

static void tell_end(struct gctrace_writer *writer, enum gctrace_dump_status status)
{
	producer__write(writer); /* how objects were named, and what went wrong */
	if (fault.what)
		gctrace_write_notice(writer, GCTRACE_NOTICE_OTHER, fault.what);
	gctrace_write_container(writer, GCTRACE_C_END, status, 0);
	gctrace_write_dump_end(writer, dump.number, status, dump.totals.objects,
			       dump.totals.references, dump.totals.roots, dump.totals.bytes);
}

/* Of glibc, and of few others. */
extern int malloc_trim(size_t pad) __attribute__((weak));

/*
 * What the JVM took for its walk, and for tags, it has freed; but its allocator keeps most of that:
 * some MiB, by tags 70 bytes an object.
 */
static void give_back(void)
{
	if (malloc_trim)
		malloc_trim(0);
}

static void forget(void)
{
	nodes__empty();
	held__empty();
	roots__empty();
	threads__empty();
	types__empty();
}

/* ---- All ---- */

static bool make(void)
{
	struct visit visit;
	bool is_whole;

	if (!vm__enter(&visit)) {
		fault__raise("the JVM ends, or has no memory");
		return false;
	}
	addresses__find_once(&visit);
	is_whole = tell_names(&visit) && pace__may_go_on() && walk(&visit);
	if (is_whole)
		tell_late_names(&visit);
	newcomers__let_go(&visit);
	vm__leave(&visit);
	return is_whole;
}

static void dump_all(bool is_possible)
{
	struct gctrace_writer *writer = emitter__take(0, 0);
	enum gctrace_dump_status status = GCTRACE_DUMP_ABORTED;

	pace__begin();
	tell_begin(writer);
	emitter__release(writer);
	if (!is_possible)
		fault__raise("there was no address space or no thread for dumps");
	else if (make())
		status = GCTRACE_DUMP_COMPLETE;
	else if (!vm__is_live())
		fault__replace("the JVM ends");
	writer = emitter__take(0, 0);
	tell_end(writer, status);
	emitter__release(writer);
}

static void work(void *context)
{
	(void)context;
	dump_all(true);
	forget();
	give_back();
}

static bool get_ready(void)
{
	if (dump.is_ready || dump.cannot)
		return dump.is_ready;
	dump.is_ready = types__init() && nodes__init() && held__init() && roots__init() &&
			threads__init() && worker__start(&dump.worker, "gctrace-dump");
	dump.cannot = !dump.is_ready;
	return dump.is_ready;
}

static void start(void)
{
	if (get_ready())
		worker__post(&dump.worker, work, NULL);
	else
		dump_all(false);
}

void dump__want(bool is_wanted)
{
	if (dump.is_ready && !worker__is_idle(&dump.worker)) {
		dump.was_wanted = dump.was_wanted && is_wanted; /* a fall is seen, a rise waits */
		return;
	}
	if (is_wanted && !dump.was_wanted)
		start();
	dump.was_wanted = is_wanted;
}
