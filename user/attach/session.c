/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a session. What follows processes around is in follow.c.
 */
#include "attach/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "attach/closer.h"
#include "attach/limits.h"
#include "attach/opener.h"
#include "base/privileges.h"
#include "attach/session_private.h"
#include "base/clock.h"
#include "base/report.h"
#include "target/process.h"

static int open_parts(struct session *session)
{
	const struct session_options *options = &session->options;
	int err = kernel__look(&session->kernel, options->fault_in);

	if (err)
		return err;
	if (options->as_before_6)
		kernel__forget(&session->kernel);
	session->kernel.closer = closer__new();
	session->rings.shards = rings__shards(options->ring_bytes, options->shards);
	err = tables__new(&session->tables);
	if (err)
		return err;
	err = programs__new(&session->kernel, session->tables, session->rings.shards,
			    &session->programs);
	if (err)
		return err;
	session->attacher = (struct attacher){
		.kernel = &session->kernel,
		.tables = session->tables,
		.programs = session->programs,
		.notes = session->notes,
		.reaper = session->reaper,
	};
	err = rings__open(&session->rings, session->tables, options->ring_bytes);
	return err ? err : follow__start(session);
}

int session__new(const struct session_options *options, struct session **out)
{
	struct session *session = calloc(1, sizeof(*session));
	int err;

	if (!session)
		return error_errno(-ENOMEM, "no memory");
	limits__raise();
	rings__init(&session->rings);
	session->options = *options;
	if (!session->options.ring_bytes)
		session->options.ring_bytes = SESSION_RING_BYTES;
	if (!session->options.dump_bytes)
		session->options.dump_bytes = SESSION_DUMP_BYTES;
	session->notes = note_cache__new();
	session->reaper = reaper__new();
	session->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!session->notes || !session->reaper || session->epoll < 0)
		err = error_errno(session->epoll < 0 ? errno : ENOMEM, "cannot start a session");
	else
		err = open_parts(session);
	if (err) {
		session__free(session);
		return err;
	}
	*out = session;
	return 0;
}

void session__free(struct session *session)
{
	if (!session)
		return;
	session__detach(session, NULL);
	reaper__free(session->reaper);
	for (size_t i = 0; i < session->targets.count; i++)
		target__free(session->targets.items[i]);
	vec__free(&session->targets);
	vec__free(&session->live);
	watch__free(session->watch);
	rings__close(&session->rings);
	programs__free(session->programs);
	tables__free(session->tables);
	note_cache__free(session->notes);
	opener__free(session->kernel.opener);
	closer__free(session->kernel.closer);
	if (session->epoll >= 0)
		close(session->epoll);
	free(session);
}

/* ---- Targets ---- */

int session__enter(struct session *session, struct process *process, unsigned int levels,
		   struct target **out)
{
	struct target *target;

	programs__want(session->programs, levels);
	target = target__new(process, session->targets.count, levels);
	if (!target)
		return -ENOMEM;
	if (vec__reserve(&session->live, 1) || vec__push(&session->targets, target)) {
		target__free(target);
		return error_errno(-ENOMEM, "no memory");
	}
	session->live.items[session->live.count++] = target;
	follow__process(session, target);
	*out = target;
	return 0;
}

int session__attach(struct session *session, struct target *target)
{
	uint64_t start = clock__monotonic_ns();
	unsigned int before = target->on;
	int err = target__attach(target, &session->attacher);

	session->attach_ns += clock__monotonic_ns() - start;
	debug("pid %d: %zu sites attached, %.1f ms", target->process->pid, target->attached,
	      (double)(clock__monotonic_ns() - start) / NS_PER_MS);
	if (err == 0 && target->on != before && session->options.handlers.attached)
		session->options.handlers.attached(session->options.handlers.context, target);
	return err;
}

int session__identify(struct session *session, struct target *target)
{
	int err = target->state == TARGET_LIVE && !target->unseen ?
			  target__identify(target, &session->attacher) :
			  -ESRCH;

	if (err == 0 && session->options.handlers.attached)
		session->options.handlers.attached(session->options.handlers.context, target);
	return err;
}

int session__add(struct session *session, struct process *process, unsigned int levels,
		 struct target **out)
{
	struct target *target;
	int err = session__enter(session, process, levels, &target);

	if (err)
		return err;
	err = session__attach(session, target);
	if (err == -ESRCH)
		error("pid %d has ended while gctrace attached to it", process->pid);
	*out = target;
	return err;
}

int session__want(struct session *session, struct target *target, unsigned int levels)
{
	if (target->state != TARGET_LIVE)
		return -ESRCH;
	target->wanted |= levels;
	programs__want(session->programs, levels);
	return target->unseen ? 0 : session__attach(session, target); /* else when it is seen */
}

size_t session__live_count(const struct session *session)
{
	return session->live.count;
}

bool session__has(const struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->live.count; i++)
		if (session->live.items[i]->process->pid == pid)
			return true;
	return false;
}

size_t session__target_count(const struct session *session)
{
	return session->targets.count;
}

struct target *session__target(const struct session *session, uint32_t index)
{
	return index < session->targets.count ? session->targets.items[index] : NULL;
}

struct target *session__target_of(const struct session *session, const struct record *record)
{
	struct target *target = session__target(session, record->target);

	while (target && target->successor && record->stamp > target->ended_ns)
		target = target->successor;
	return target;
}

/* ---- Rings and losses ---- */

size_t session__ring_count(const struct session *session)
{
	return session->rings.shards + 1;
}

int session__ring(const struct session *session, size_t slot, struct session_ring *ring)
{
	size_t place = slot == session->rings.shards ? RING_DUMP : slot;

	if (slot > session->rings.shards || session->rings.fd[place] < 0)
		return -ENOENT;
	*ring = (struct session_ring){
		.fd = session->rings.fd[place],
		.bytes = session->rings.bytes[place],
		.generation = session->rings.generation[place],
		.dump = place == RING_DUMP,
	};
	return 0;
}

int session__dump_begin(struct session *session, struct target *target)
{
	int err;

	if (target->slot == NO_SLOT)
		return -ESRCH;
	err = rings__open_dump(&session->rings, session->tables, session->options.dump_bytes);
	if (err)
		return err;
	err = tables__set_dumping(session->tables, target->slot, true);
	if (err) {
		session__dump_release(session);
		return error_errno(err, "the dump's ring cannot be chosen");
	}
	session->dumping = target;
	return 0;
}

void session__dump_end(struct session *session)
{
	if (session->dumping && session->dumping->slot != NO_SLOT)
		tables__set_dumping(session->tables, session->dumping->slot, false);
	session->dumping = NULL;
}

void session__dump_release(struct session *session)
{
	session__dump_end(session);
	rings__close_dump(&session->rings, session->tables, session->kernel.keep_inner_maps);
}

int session__losses(const struct session *session, const struct target *target,
		    struct loss_counts *losses)
{
	return target__losses(target, session->tables, losses);
}

/* ---- The rest ---- */

int session__drop(struct session *session)
{
	struct kernel *kernel = &session->kernel;
	int err = 0;

	/* Where there are links of many sites, too: they end with a process's first thread. */
	if (!kernel->opener)
		err = opener__new(&kernel->opener);
	if (err == -EPIPE) {
		error("the helper process that opens uprobes ended as it started: it was killed,"
		      " or may not give up capabilities (is gctrace under a seccomp filter?)");
		return err;
	}
	if (err)
		return error_errno(err, "cannot start the helper that opens uprobes");
	return privileges__drop(session->options.keep_kill);
}

void session__detach(struct session *session, struct target *target)
{
	uint64_t start = clock__monotonic_ns();
	struct links all = LINKS_INIT;
	size_t count;

	for (size_t i = 0; i < session->targets.count; i++) {
		struct target *one = session->targets.items[i];

		if (target && one != target)
			continue;
		/* All at once is faster; where there is no memory for that, one by one. */
		if (one->links.count && vec__reserve(&all, one->links.count) == 0) {
			memcpy(all.items + all.count, one->links.items,
			       one->links.count * sizeof(*all.items));
			all.count += one->links.count;
			vec__reset(&one->links);
		}
		target__detach(one);
		follow__leave(session, one);
	}
	count = all.count;
	links__free(&all);
	session->detach_ns += clock__monotonic_ns() - start;
	debug("detached from %zu sites in %.1f ms", count,
	      (double)(clock__monotonic_ns() - start) / NS_PER_MS);
}

void session__times(const struct session *session, struct session_times *times)
{
	*times = (struct session_times){
		.load_ns = session->programs ? programs__load_ns(session->programs) : 0,
		.attach_ns = session->attach_ns,
		.detach_ns = session->detach_ns,
	};
	for (size_t i = 0; i < session->targets.count; i++)
		times->sites += session->targets.items[i]->attached;
}
