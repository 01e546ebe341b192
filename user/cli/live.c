/* SPDX-License-Identifier: BSD-2-Clause */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "../attach/agent.h"
#include "../attach/ring.h"
#include "../attach/session.h"
#include "../base/clock.h"
#include "../base/ending.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../base/vec.h"
#include "../stream/cutoff.h"
#include "../stream/facts.h"
#include "../stream/loss.h"
#include "../stream/merge.h"
#include "../target/process.h"
#include "../target/reader.h"
#include "../target/runtime.h"
#include "dump_ring.h"
#include "live_facts.h"
#include "processes.h"
#include "signals.h"

/* What was handed on so far of a target's losses. */
struct told {
	const struct target *target;
	struct loss_counts losses;
	uint64_t missed, unattached, unanswered;
};

struct live {
	struct live_options options;
	struct session *session;
	struct merge *merge;
	struct facts *facts;
	struct ring *rings; /* never moved: the merge knows their places */
	size_t ring_count;
	struct dump_ring dump_ring;
	VEC(struct told) told; /* of those that have not ended; in no order */
	int error;		      /* of a handler, which cannot answer */
	bool stopped;
	struct cutoff cutoff;
};

/* ---------------------------------------------------------------- records made here */

/* Room for a record_text with the longest name. */
union made {
	struct record head;
	struct record_text text;
	struct record_call call;
	char room[sizeof(struct record_text) + RECORD_TEXT_BYTES];
};

static void inject(struct live *live, union made *made, uint32_t target, uint16_t kind,
		   uint64_t stamp, size_t bytes)
{
	int err;

	made->head.target = target;
	made->head.kind = kind;
	made->head.stamp = stamp;
	made->head.bytes = (uint32_t)bytes;
	err = merge__inject(live->merge, &made->head);
	if (err && !live->error)
		live->error = error_errno(err, "cannot note what happened to a process");
}

static void inject_joined(struct live *live, const struct target *target)
{
	union made made = { .head = { .bytes = 0 } };

	inject(live, &made, target->index, RECORD_TARGET, clock__monotonic_ns(),
	       sizeof(made.head));
}

static void inject_exec(struct live *live, const struct target *target)
{
	union made made = { .head = { .bytes = 0 } };
	const struct target *new = target->successor;
	const char *name = new ? new->process->comm : "";
	size_t whole = strlen(name), bytes = whole;

	if (bytes > RECORD_TEXT_BYTES)
		bytes = RECORD_TEXT_BYTES;
	made.text.a = new ? new->index : target->index;
	made.text.bytes = (uint32_t)bytes;
	made.text.whole = (uint32_t)whole;
	memcpy(&made.text + 1, name, bytes);
	inject(live, &made, target->index, RECORD_EXEC, target->ended_ns,
	       sizeof(made.text) + bytes);
}

static void inject_exit(struct live *live, const struct target *target)
{
	union made made = { .head = { .bytes = 0 } };

	made.call.args[0] = target->exit_status < 0 ? UINT64_MAX : (uint64_t)target->exit_status;
	inject(live, &made, target->index, RECORD_EXIT, target->ended_ns, sizeof(made.call));
}

/* ---------------------------------------------------------------- what happens to targets */

static void refresh_facts(struct live *live, const struct target *target)
{
	int err = live_facts__target(live->facts, target);

	if (!err && live->options.joined)
		err = live->options.joined(live->options.context, target->index);
	if (err && !live->error)
		live->error = err;
}

static void watch_losses(struct live *live, const struct target *target)
{
	if (vec__push(&live->told, (struct told){ .target = target }) && !live->error)
		live->error = error_errno(-ENOMEM, "cannot count losses");
}

static void joined(void *context, struct target *target)
{
	watch_losses(context, target);
	refresh_facts(context, target);
	inject_joined(context, target);
}

static void attached(void *context, struct target *target)
{
	refresh_facts(context, target);
}

static int tell_losses(struct live *live, struct told *told)
{
	const struct target *target = told->target;
	const uint64_t unanswered = reader__failed(target->process->pid);
	struct loss_counts now;
	int err = session__losses(live->session, target, &now);

	for (unsigned int kind = 0; kind < BPF_LOSS_KINDS && !err; kind++) {
		if (now.records[kind] <= told->losses.records[kind])
			continue;
		err = merge__lose(live->merge, target->index, kind,
				  now.records[kind] - told->losses.records[kind]);
		told->losses.records[kind] = now.records[kind];
	}
	if (!err && target->missed > told->missed)
		err = merge__lose(live->merge, target->index, LOSS_PERF,
				  target->missed - told->missed);
	told->missed = target->missed;
	if (!err && target->unattached > told->unattached)
		err = merge__lose(live->merge, target->index, LOSS_UNATTACHED,
				  target->unattached - told->unattached);
	told->unattached = target->unattached;
	if (!err && unanswered > told->unanswered)
		err = merge__lose(live->merge, target->index, LOSS_UNANSWERED,
				  unanswered - told->unanswered);
	told->unanswered = unanswered;
	return err ? error_errno(err, "cannot read what was lost") : 0;
}

/* No more is lost of it. */
static void forget_losses(struct live *live, const struct target *target)
{
	size_t i = 0;
	int err;

	while (i < live->told.count && live->told.items[i].target != target)
		i++;
	if (i == live->told.count)
		return;
	err = tell_losses(live, &live->told.items[i]);
	if (err && !live->error)
		live->error = err;
	live->told.items[i] = live->told.items[--live->told.count];
}

static void ended(void *context, struct target *target)
{
	forget_losses(context, target);
	if (target->state == TARGET_EXECED)
		inject_exec(context, target);
	else
		inject_exit(context, target);
}

/* The merge asks, in each round: what else has happened by now? */
static int collect(void *context, struct merge *merge)
{
	struct live *live = context;
	int err;

	(void)merge;
	if (!live->stopped) {
		err = session__poll(live->session, 0);
		if (err)
			return err;
	}
	for (size_t i = 0; i < live->told.count; i++) {
		err = tell_losses(live, &live->told.items[i]);
		if (err)
			return err;
	}
	return live->error;
}

/* ---------------------------------------------------------------- life */

/* Rings take a part of --mem-limit, and no more than they need where there is plenty. */
static uint64_t share_of_limit(uint64_t parts, uint64_t most)
{
	const uint64_t limit = ram__limit_bytes();

	return limit && limit / parts < most ? limit / parts : most;
}

static int open_parts(struct live *live)
{
	const struct merge_options merging = { .collect = collect, .ctx = live };
	const struct session_options options = {
		.ring_bytes = share_of_limit(4, SESSION_RING_BYTES),
		.dump_bytes = live->options.dump_bytes ? live->options.dump_bytes :
			      share_of_limit(8, SESSION_DUMP_BYTES),
		.follow = live->options.follow,
		.keep_kill = live->options.keep_kill,
		.fault_in = live->options.fault_in,
		.handlers = { live, joined, attached, ended },
	};
	int err;

	ram__set_aside(options.ring_bytes + options.dump_bytes);
	live->facts = facts__new();
	if (!live->facts || live_facts__host(live->facts) ||
	    (live->options.count && facts__set_u64(live->facts, "count", live->options.count)))
		return error_errno(-ENOMEM, "cannot start a trace");
	err = merge__new(&merging, &live->merge);
	if (err)
		return error_errno(err, "cannot start a trace");
	return session__new(&options, &live->session);
}

int live__new(const struct live_options *options, struct live **out)
{
	struct live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return error_errno(-ENOMEM, "cannot start a trace");
	live->options = *options;
	live->cutoff.ending = ending__now;
	err = open_parts(live);
	if (err) {
		live__free(live);
		return err;
	}
	*out = live;
	return 0;
}

void live__free(struct live *live)
{
	if (!live)
		return;
	merge__free(live->merge);
	session__free(live->session);
	for (size_t i = 0; i < live->ring_count; i++)
		ring__close(&live->rings[i]);
	dump_ring__free(&live->dump_ring);
	free(live->rings);
	vec__free(&live->told);
	facts__free(live->facts);
	free(live);
}

int live__add(struct live *live, struct process *process)
{
	struct target *target;
	int err = session__add(live->session, process, live->options.levels, &target);

	if (err)
		return err;
	watch_losses(live, target);
	refresh_facts(live, target);
	inject_joined(live, target);
	return live->error;
}

/*
 * Something must be attached now: what a process that was named may map later is no answer. Of one
 * that is killed just then nothing could be read, and that tells nothing of what it runs.
 */
static int check_attached(const struct live *live, uint32_t index)
{
	const struct target *target = session__target(live->session, index);

	if (target->on)
		return 0;
	if (process__look_by_living(target->process)) {
		error("pid %d has ended while gctrace attached to it", target->process->pid);
		return -ESRCH;
	}
	if (target->runtime->advice)
		error("%s", target->runtime->advice);
	else
		error("nothing could be attached to in pid %d: expected probes of a runtime's "
		      "collector, found none that this kernel lets us use; try gctrace probes"
		      " -p %d",
		      target->process->pid, target->process->pid);
	return -ENOENT;
}

/* All of them first: who can't have it is to be told before anything is attached to. */
static int load_agents(const struct processes *processes, const char *options)
{
	int result = 0;

	for (size_t i = 0; i < processes->count; i++) {
		int err = agent__load(processes->items[i], options, signals__stop_fd());

		if (!result)
			result = err;
	}
	return result;
}

int live__add_named(struct live *live, const struct target_settings *settings)
{
	struct processes processes = VEC_INIT;
	int result = processes__open(&settings->processes, &processes);

	if (!result && settings->load_agent)
		result = load_agents(&processes, settings->agent_options);
	for (size_t i = 0; i < processes.count && !result; i++) {
		uint32_t index = (uint32_t)session__target_count(live->session);

		result = live__add(live, processes.items[i]);
		processes.items[i] = NULL;
		if (!result)
			result = check_attached(live, index);
	}
	processes__free(&processes);
	return result;
}

static int open_rings(struct live *live)
{
	size_t slots = session__ring_count(live->session);
	struct session_ring slot;
	int err = 0;

	live->rings = calloc(slots, sizeof(*live->rings));
	if (!live->rings)
		return -ENOMEM;
	for (size_t i = 0; i < slots && !err; i++) {
		if (session__ring(live->session, i, &slot))
			continue;
		err = ring__open(&live->rings[live->ring_count], slot.fd, slot.bytes);
		if (err)
			return err;
		err = merge__add_ring(live->merge, &live->rings[live->ring_count++],
				      (unsigned int)i);
	}
	return err;
}

/* A trace begins when the first of its processes is attached to: none is older than the whole. */
static uint64_t began_ns(const struct live *live)
{
	uint64_t began = clock__monotonic_ns();

	for (uint32_t i = 0; i < session__target_count(live->session); i++) {
		const struct target *target = session__target(live->session, i);

		if (target->attached_ns && target->attached_ns < began)
			began = target->attached_ns;
	}
	return began;
}

int live__begin(struct live *live)
{
	int err = open_rings(live);

	if (!err)
		err = live__wake_by(live, session__poll_fd(live->session));
	if (!err)
		err = facts__set_u64(live->facts, "started_ns", began_ns(live));
	if (err)
		return error_errno(err, "cannot read what the probes tell");
	return live->options.keep_rights ? 0 : session__drop(live->session);
}

/* ---------------------------------------------------------------- use */

static int pull(void *context, uint64_t timeout_ns, const struct record_sink *sink)
{
	struct live *live = context;
	const struct record_sink bounded = cutoff__sink(&live->cutoff, sink);
	int answer;

	if (!live->stopped)
		return cutoff__answer(&live->cutoff,
				      dump_ring__pull(&live->dump_ring, live->merge, timeout_ns,
						      &bounded));
	live->cutoff.has_come_back = true; /* it is not called again */
	answer = merge__finish(live->merge, &bounded);
	if (answer == SOURCE_END) {
		const int told = cutoff__tell(&live->cutoff, sink);

		answer = told ? source__answer(told) : answer;
	}
	return answer;
}

struct source live__source(struct live *live)
{
	return (struct source){ pull, live };
}

const struct facts *live__facts(const struct live *live)
{
	return live->facts;
}

struct session *live__session(struct live *live)
{
	return live->session;
}

int live__open_dump_ring(struct live *live, uint32_t index, const struct dump_ring_watch *watch)
{
	struct target *target = session__target(live->session, index);

	if (!target || target->state != TARGET_LIVE)
		return -ESRCH;
	return dump_ring__open(&live->dump_ring, live->session, target, live->merge, watch);
}

struct dump_ring *live__dump_ring(struct live *live)
{
	return &live->dump_ring;
}

size_t live__alive(const struct live *live)
{
	return session__live_count(live->session);
}

int live__wake_by(struct live *live, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0 };

	if (fd < 0)
		return 0;
	return epoll_ctl(merge__epoll_fd(live->merge), EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int live__miss(struct live *live, uint64_t processes)
{
	int err = merge__lose(live->merge, LOSS_ANY_TARGET, LOSS_PERF, processes);

	return err ? error_errno(err, "cannot count what was lost") : 0;
}

int live__rescan(struct live *live)
{
	return session__rescan(live->session);
}

void live__identify(struct live *live, uint32_t target)
{
	struct target *of = session__target(live->session, target);

	if (of)
		session__identify(live->session, of);
}

void live__stop(struct live *live, uint64_t now_ns)
{
	/* Without it a recording of this seems to end with the last that happened. */
	if (facts__set_u64(live->facts, "ended_ns", now_ns))
		debug("no memory to note when the trace ended");
	session__detach(live->session, NULL);
	live->stopped = true;
}
