/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../attach/request.h"
#include "../attach/session.h"
#include "../base/clock.h"
#include "../base/report.h"
#include "../target/process.h"
#include "dump_ring.h"
#include "live.h"

/*
 * Lowering a request takes the kernel long, and it cannot be raised again in the meantime. So the
 * target is held by two in turns: while one goes down the other may go up.
 */
#define HOLDS 2

struct dump_live {
	struct live *live;
	uint32_t target;
	char name[32];
	struct request *ask;
	struct request *flat; /* NULL: not wanted */
	struct request *holds[HOLDS];
	unsigned int next; /* of holds, to be raised next, or up now */
	struct dump *dump;
};

/* ---------------------------------------------------------------- what the dump does */

static uint64_t now_ns(void *context)
{
	(void)context;
	return clock__monotonic_ns();
}

static int is_taken(void *context)
{
	const struct dump_live *of_live = context;

	return request__is_taken(of_live->ask);
}

static void lower_leftover(void *context)
{
	const struct dump_live *of_live = context;

	request__lower_leftover(of_live->ask);
}

static void see_record(void *context, size_t bytes, size_t used, size_t size)
{
	const struct dump_live *of_live = context;

	dump__record(of_live->dump, bytes, used, size);
}

static int open_ring(void *context)
{
	struct dump_live *of_live = context;
	const struct dump_ring_watch watch = { see_record, of_live };

	return live__open_dump_ring(of_live->live, of_live->target, &watch);
}

/* The list's request first: the target looks at it when it begins. */
static int ask(void *context)
{
	struct dump_live *of_live = context;
	int err = of_live->flat ? request__raise(of_live->flat) : 0;

	return err ? err : request__raise(of_live->ask);
}

static void unask(void *context)
{
	struct dump_live *of_live = context;

	request__set(of_live->ask, false);
	if (of_live->flat)
		request__set(of_live->flat, false);
}

static void hold(void *context, bool wait)
{
	struct dump_live *of_live = context;

	request__set(of_live->holds[of_live->next], wait);
	if (!wait)
		of_live->next = (of_live->next + 1) % HOLDS;
}

static bool is_silent(void *context)
{
	const struct dump_live *of_live = context;
	bool is_up = request__is_up(of_live->ask);

	for (int i = 0; i < HOLDS; i++)
		is_up |= request__is_up(of_live->holds[i]);
	return !is_up && !(of_live->flat && request__is_up(of_live->flat));
}

static void leave_ring(void *context)
{
	const struct dump_live *of_live = context;

	dump_ring__leave(live__dump_ring(of_live->live));
}

static void close_ring(void *context)
{
	const struct dump_live *of_live = context;

	dump_ring__close(live__dump_ring(of_live->live));
}

static size_t used(void *context)
{
	const struct dump_live *of_live = context;

	return dump_ring__used(live__dump_ring(of_live->live));
}

/* ---------------------------------------------------------------- life */

static int open_requests(struct dump_live *of_live, struct target *target, bool flat)
{
	struct session *session = live__session(of_live->live);
	int err = request__new(session, target, "dump", &of_live->ask);

	if (!err && flat)
		err = request__new(session, target, "postpone", &of_live->flat);
	for (int i = 0; i < HOLDS && !err; i++)
		err = request__new(session, target, "pause", &of_live->holds[i]);
	return err;
}

static int open_dump(struct dump_live *of_live, const struct dump_options *options)
{
	const struct dump_ops ops = {
		.context = of_live,
		.now_ns = now_ns,
		.is_taken = is_taken,
		.lower_leftover = lower_leftover,
		.open_ring = open_ring,
		.ask = ask,
		.unask = unask,
		.hold = hold,
		.is_silent = is_silent,
		.leave_ring = leave_ring,
		.close_ring = close_ring,
		.used = used,
	};
	struct dump_options own = *options;

	if (!own.name)
		own.name = of_live->name;
	of_live->dump = dump__new(&own, &ops);
	return of_live->dump ? 0 : -ENOMEM;
}

int dump_live__new(struct live *live, const struct dump_options *options, bool flat,
		   struct dump_live **out)
{
	struct target *target = session__target(live__session(live), options->target);
	struct dump_live *of_live;
	int err;

	if (!target)
		return error_errno(ESRCH, "no heap dump");
	of_live = calloc(1, sizeof(*of_live));
	if (!of_live)
		return error_errno(ENOMEM, "cannot ask for a heap dump");
	of_live->live = live;
	of_live->target = options->target;
	snprintf(of_live->name, sizeof(of_live->name), "pid %d", target->process->pid);
	err = open_requests(of_live, target, flat);
	if (!err)
		err = open_dump(of_live, options);
	if (err) {
		dump_live__free(of_live);
		return err;
	}
	*out = of_live;
	return 0;
}

struct dump *dump_live__dump(struct dump_live *of_live)
{
	return of_live->dump;
}

void dump_live__free(struct dump_live *of_live)
{
	if (!of_live)
		return;
	dump__free(of_live->dump);
	for (int i = 0; i < HOLDS; i++)
		request__free(of_live->holds[i]);
	request__free(of_live->flat);
	request__free(of_live->ask);
	free(of_live);
}
