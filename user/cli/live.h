/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Live processes as a source of records (stream/source.h), for every command that takes -p:
 *
 *	live__new(&options, &live);
 *	live__add_named(live, &settings);     or live__add(live, process), any number
 *	live__begin(live);                    from here on without what attaching alone needed
 *	while (feed__pull(feed, live__source(live), ...) == SOURCE_MORE)
 *		if (time is up || live__alive(live) == 0)
 *			live__stop(live);     the source ends when all that is left is handed on
 *	live__free(live);
 *
 * What is known of the targets is in live__facts() (names: stream/facts.h and `Facts` below), as a
 * recording holds it; they grow when targets join. What happens to targets (exec, exit) and what
 * is lost stands among the records.
 *
 * Facts of a target besides those of facts.h: `known` and `on_request` (sets of enum known, as
 * numbers: view/view.h), `attached_ns`. Without `runtime` it has not said yet what it is.
 */
#ifndef GCTRACE_CLI_LIVE_H
#define GCTRACE_CLI_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../stream/source.h"
#include "settings.h"

struct dump_ring;
struct dump_ring_watch;
struct facts;
struct live;
struct process;
struct session;

struct live_options {
	unsigned int levels; /* enum level (attach/target.h) */
	uint64_t count;	     /* collections that the trace ends with, a fact of it; 0: none */
	uint64_t dump_bytes; /* of a dump's ring; 0: a part of --mem-limit */
	bool follow;	     /* children of targets, too */
	bool keep_kill;	     /* keep the right to signal others' processes */
	bool keep_rights;    /* more will be attached later: drop nothing */
	bool fault_in;	     /* probes wait for memory that is not present */
	/* Facts have changed: a target joined, or more is known of one. May be NULL. */
	int (*joined)(void *context, uint32_t target);
	void *context;
};

/* 0, or negative errno after an error message, as all of these. */
int live__new(const struct live_options *options, struct live **out);
void live__free(struct live *live); /* detaches */

/*
 * The processes that -p names, where --load-agent says so with gctrace's agent in them. -ENOENT
 * also when one has nothing to attach to: its runtime has no probes (said).
 */
int live__add_named(struct live *live, const struct target_settings *settings);

/* Takes the process. Without probes it is a target all the same: they may come. */
int live__add(struct live *live, struct process *process);

int live__begin(struct live *live);

struct source live__source(struct live *live);
const struct facts *live__facts(const struct live *live);
struct session *live__session(struct live *live);

/* Targets that have not ended. */
size_t live__alive(const struct live *live);

/* A descriptor that shall end a pull's wait early when it is readable. */
int live__wake_by(struct live *live, int fd);

/*
 * Have a ring for a target's dump (dump_ring.h); pulls hand on what comes in it, in order with all
 * else. -ESRCH: the target has ended, and says nothing.
 */
int live__open_dump_ring(struct live *live, uint32_t target, const struct dump_ring_watch *watch);
struct dump_ring *live__dump_ring(struct live *live);

/* So many processes came and went that nobody could look at: counted as lost (LOSS_PERF). */
int live__miss(struct live *live, uint64_t processes);

/* Look at mappings anew (SIGHUP). */
int live__rescan(struct live *live);

/* Look anew at what a target is; its facts are what is known then. Failures were said. */
void live__identify(struct live *live, uint32_t target);

/* Detach from all. */
void live__stop(struct live *live, uint64_t now_ns);

#endif
