/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's thread, and its pauses:
 *
 *   request ─▶ all threads stand ─▶ pause__begin ─▶ gc__start ─▶ ranges ─▶ gc__finish ─▶
 *   verify, truth ─▶ pause__end ─▶ threads run
 *
 * Only the collector's thread does any of this; mutators ask for it and wait. It is worker 0 of
 * the collector's workers, and the only one that fires anything but ranges.
 */
#include "collector.h"
#include "background.h"
#include "dump.h"
#include "load.h"
#include "mutator.h"
#include "options.h"
#include "report.h"
#include "requests.h"
#include "safepoint.h"
#include "truth_write.h"
#include "vm.h"
#include "weak.h"

#include <pthread.h>

struct pause pause_now;

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	bool wanted;	 /* a collection */
	bool collecting; /* the one that was wanted is on its way */
	bool dump, stop;
	uint32_t reason;
	uint64_t served;    /* requests of mutators, as a count of collections for them */
	uint64_t next_tick; /* when a collection may be, by --rate */
} collector = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };

/* ---- Pauses ---- */

enum operation { COLLECT, FINISH_CONCURRENT, DUMP };

static uint64_t why_of(enum operation operation, uint32_t reason)
{
	if (operation == DUMP)
		return GCTRACE_WHY_DUMP;
	if (operation == FINISH_CONCURRENT)
		return WHY_SWEPT;
	if (opt.collector == COLLECTOR_CONCURRENT && !background__gc() &&
	    collection__is_full_due(reason))
		return GCTRACE_WHY_MARK_START;
	return GCTRACE_WHY_COLLECTION;
}

static void begin_pause(enum operation operation, uint32_t reason)
{
	pause_now.requested_ns = now_ns();
	safepoint__stop_world();
	mutators__close_buffers();
	weak__gather();
	pause_now.number++;
	pause_now.why = why_of(operation, reason);
	pause_now.gc = operation == COLLECT	      ? collections__started() + 1
		       : operation == FINISH_CONCURRENT ? background__gc()->number
							: 0;
	pause_now.begin_ns = now_ns();
	report__pause_begin(&pause_now);
}

static void end_pause(void)
{
	const uint64_t passed = now_ns() - pause_now.begin_ns;

	if (passed < opt.pause_ns)
		sleep_ns(opt.pause_ns - passed);
	report__pause_end(&pause_now, pause_now.begin_ns - pause_now.requested_ns);
	pause_now.end_ns = now_ns();
	truth__pause(&pause_now);
	if (opt.exec_after && collections__finished() >= opt.exec_after)
		vm__exec();
	load__wake_finalizer();
	safepoint__start_world();
}

static void dump(void)
{
	background__hold();
	dump__run(collections__started());
	background__release();
}

static void stop_for(enum operation operation, uint32_t reason)
{
	begin_pause(operation, reason);
	switch (operation) {
	case COLLECT:
		collection__run(reason);
		break;
	case FINISH_CONCURRENT:
		collection__finish_concurrent();
		break;
	case DUMP:
		dump();
	}
	end_pause();
}

/* ---- The thread ---- */

static uint64_t tick_ns(void)
{
	return opt.rate ? 1000000000u / opt.rate : 0;
}

/* With the lock held: until there is something to do, or `until` (0: no limit). */
static void wait_for_work(uint64_t until)
{
	struct timespec t = { .tv_sec = (time_t)(until / 1000000000u),
			      .tv_nsec = (long)(until % 1000000000u) };

	if (until)
		pthread_cond_timedwait(&collector.wake, &collector.lock, &t);
	else
		pthread_cond_wait(&collector.wake, &collector.lock);
}

static bool is_tick_due(void)
{
	return opt.rate && now_ns() >= collector.next_tick;
}

/* Collections keep to the rate: those that the program needs wait for the tick. */
static bool may_collect(void)
{
	return opt.rate ? is_tick_due() : collector.wanted;
}

static void collect_now(void)
{
	const bool asked = collector.wanted;
	const uint32_t reason = asked ? collector.reason : REASON_TIMER;

	collector.wanted = false;
	collector.collecting = true;
	if (opt.rate) {
		collector.next_tick += tick_ns();
		if (collector.next_tick < now_ns())
			collector.next_tick = now_ns();
	}
	pthread_mutex_unlock(&collector.lock);
	stop_for(COLLECT, reason);
	pthread_mutex_lock(&collector.lock);
	collector.collecting = false;
	collector.served++;
	pthread_cond_broadcast(&collector.done);
}

/* With the lock held. Returns whether there was something to do. */
static bool do_something(void)
{
	if (collector.dump) {
		collector.dump = false;
		if (!requests__dump_is_wanted())
			return true;
		pthread_mutex_unlock(&collector.lock);
		stop_for(DUMP, 0);
		pthread_mutex_lock(&collector.lock);
		return true;
	}
	if (background__is_swept() && !opt.deterministic) {
		pthread_mutex_unlock(&collector.lock);
		stop_for(FINISH_CONCURRENT, 0);
		pthread_mutex_lock(&collector.lock);
		return true;
	}
	if (!may_collect())
		return false;
	collect_now();
	return true;
}

static bool is_over(void)
{
	return collector.stop ||
	       (opt.collections && collections__finished() >= opt.collections);
}

static void *run(void *argument)
{
	(void)argument;
	pthread_setname_np(pthread_self(), "minivm-gc-0");
	pthread_mutex_lock(&collector.lock);
	collector.next_tick = now_ns() + tick_ns();
	while (!is_over()) {
		if (!do_something())
			wait_for_work(opt.rate ? collector.next_tick : 0);
	}
	pthread_mutex_unlock(&collector.lock);
	if (background__gc())
		stop_for(FINISH_CONCURRENT, 0);
	safepoint__stop_world();
	vm__finished();
	return NULL;
}

void collector__start(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&collector.wake, &attributes);
	if (pthread_create(&collector.thread, NULL, run, NULL))
		die("cannot start the collector's thread");
}

void collector__stop(void)
{
	pthread_mutex_lock(&collector.lock);
	collector.stop = true;
	pthread_cond_signal(&collector.wake);
	pthread_mutex_unlock(&collector.lock);
	pthread_join(collector.thread, NULL);
}

void collector__wake(void)
{
	pthread_mutex_lock(&collector.lock);
	pthread_cond_signal(&collector.wake);
	pthread_mutex_unlock(&collector.lock);
}

/* With the lock held. */
static void want(uint32_t reason)
{
	if (!collector.wanted || reason == GCTRACE_REASON_EXPLICIT)
		collector.reason = reason;
	collector.wanted = true;
	pthread_cond_signal(&collector.wake);
}

void collector__request(uint32_t reason)
{
	pthread_mutex_lock(&collector.lock);
	want(reason);
	pthread_mutex_unlock(&collector.lock);
}

void collector__collect(uint32_t reason)
{
	uint64_t before;

	pthread_mutex_lock(&collector.lock);
	before = collector.served;
	/* One on its way waits for this thread to stand still, and serves it too. */
	if (!collector.collecting)
		want(reason);
	pthread_mutex_unlock(&collector.lock);
	safepoint__leave();
	pthread_mutex_lock(&collector.lock);
	while (collector.served == before)
		pthread_cond_wait(&collector.done, &collector.lock);
	pthread_mutex_unlock(&collector.lock);
	safepoint__enter();
}

void collector__request_dump(void)
{
	pthread_mutex_lock(&collector.lock);
	collector.dump = true;
	pthread_cond_signal(&collector.wake);
	pthread_mutex_unlock(&collector.lock);
}
