/* SPDX-License-Identifier: BSD-2-Clause */
#include "background.h"
#include "old.h"
#include "options.h"

#include <pthread.h>

/* A sweep takes this many pieces, with a rest after each, so that the program gets its share and
 * young collections come in between. */
#define PIECES 16
#define STEPS 4 /* young collections that a deterministic sweep takes */
#define REST_NS 4000000u

static struct {
	struct gc gc;
	bool active, swept, end;
	uint64_t piece;
	pthread_mutex_t lock; /* of active, swept, end */
	pthread_mutex_t sweep; /* held while a piece is swept */
	pthread_cond_t begin;
} background = { .lock = PTHREAD_MUTEX_INITIALIZER, .sweep = PTHREAD_MUTEX_INITIALIZER,
		 .begin = PTHREAD_COND_INITIALIZER };

static bool get_flag(const bool *flag)
{
	bool value;

	pthread_mutex_lock(&background.lock);
	value = *flag;
	pthread_mutex_unlock(&background.lock);
	return value;
}

static void set_flag(bool *flag, bool value)
{
	pthread_mutex_lock(&background.lock);
	*flag = value;
	pthread_mutex_unlock(&background.lock);
}

/* One piece; false: there is none left, or the collector sweeps the rest itself. */
static bool sweep_some(void)
{
	bool more = false;

	pthread_mutex_lock(&background.sweep);
	if (!get_flag(&background.swept)) {
		more = old__sweep_step(background.piece);
		if (!more)
			set_flag(&background.swept, true);
	}
	pthread_mutex_unlock(&background.sweep);
	return more;
}

static void *run(void *argument)
{
	(void)argument;
	pthread_setname_np(pthread_self(), "minivm-sweeper");
	for (;;) {
		pthread_mutex_lock(&background.lock);
		while (!background.active || background.swept)
			pthread_cond_wait(&background.begin, &background.lock);
		pthread_mutex_unlock(&background.lock);
		while (sweep_some())
			sleep_ns(REST_NS);
		collector__wake();
	}
	return NULL;
}

void background__init(void)
{
	pthread_t thread;

	if (opt.collector != COLLECTOR_CONCURRENT || opt.deterministic)
		return;
	if (pthread_create(&thread, NULL, run, NULL))
		die("cannot start the sweeper's thread");
	pthread_detach(thread);
}

void background__begin(const struct gc *gc)
{
	background.gc = *gc;
	old__sweep_begin();
	background.piece = (old.sweep_end - heap.old) / (opt.deterministic ? STEPS : PIECES) + 1;
	pthread_mutex_lock(&background.lock);
	background.active = true;
	background.swept = false;
	pthread_cond_signal(&background.begin);
	pthread_mutex_unlock(&background.lock);
}

struct gc *background__gc(void)
{
	return background.active ? &background.gc : NULL;
}

void background__step(void)
{
	if (background.active && opt.deterministic)
		sweep_some();
}

bool background__is_swept(void)
{
	return background.active && get_flag(&background.swept);
}

void background__end(void)
{
	background__hold();
	if (!get_flag(&background.swept)) {
		while (old__sweep_step(UINT64_MAX / 2))
			;
		set_flag(&background.swept, true);
	}
	set_flag(&background.active, false);
	background__release();
}

void background__hold(void)
{
	pthread_mutex_lock(&background.sweep);
}

void background__release(void)
{
	pthread_mutex_unlock(&background.sweep);
}
