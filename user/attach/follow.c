/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What targets do while they are traced.
 *
 *   maps a file   scanned again, what is new is attached
 *   exec          the target has ended, a new one takes its links over. The kernel keeps uprobes
 *                 over an exec and sets them in what the new image maps, so nothing is detached or
 *                 missed: records still name the old target's index, and whose they are is told by
 *                 their stamp (session__target_of)
 *   thread exit   links are made for one thread and end with it, which happens where a process's
 *                 first thread exits before others, or when another one execs. They are made again
 *   fork          the child is a target too, if the session follows
 *   exit          told by a pidfd; links are detached in the background
 *
 * Where perf's records were lost, all targets are looked at again; an exec among the lost ones is
 * found by the process's memory, which our descriptor of the old image cannot read any more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/session_private.h"
#include "base/clock.h"
#include "base/report.h"
#include "target/process.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum source { SOURCE_WATCH, SOURCE_RING, SOURCE_PROCESS };

static int listen_to(struct session *session, int fd, uint32_t events, enum source source,
		     uint32_t index)
{
	struct epoll_event wanted = {
		.events = events,
		.data.u64 = (uint64_t)source << 32 | index,
	};

	return epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &wanted) ? -errno : 0;
}

int follow__start(struct session *session)
{
	int err;

	/* A ring is readable as long as there is something in it: only its wake-ups matter. */
	for (unsigned int i = 0; i < session->rings.shards; i++) {
		err = listen_to(session, session->rings.fd[i], EPOLLIN | EPOLLET, SOURCE_RING, i);
		if (err)
			return error_errno(err, "cannot wait for a ring");
	}
	err = watch__new(&session->watch);
	if (err == 0)
		err = listen_to(session, watch__fd(session->watch), EPOLLIN, SOURCE_WATCH, 0);
	if (err == -ENOMEM)
		return error_errno(err, "cannot watch processes");
	if (err)
		warning("processes cannot be watched (%s): what they load later, and what they "
			"exec, is only noticed on SIGHUP", strerror(-err));
	return 0;
}

void follow__process(struct session *session, struct target *target)
{
	int fd = target->process->pidfd;

	if (fd >= 0 && listen_to(session, fd, EPOLLIN, SOURCE_PROCESS, target->index))
		warning("pid %d: its exit cannot be waited for", target->process->pid);
}

void follow__leave(struct session *session, struct target *target)
{
	if (target->state != TARGET_LIVE)
		return;
	if (target->process->pidfd >= 0)
		epoll_ctl(session->epoll, EPOLL_CTL_DEL, target->process->pidfd, NULL);
	target->state = TARGET_LEFT;
	target->ended_ns = clock__monotonic_ns();
}

/* ---- Ends ---- */

static struct target *live_target(const struct session *session, pid_t pid)
{
	for (size_t i = session->targets.count; i-- > 0;) {
		struct target *target = session->targets.items[i];

		if (target->state == TARGET_LIVE && target->process->pid == pid)
			return target;
	}
	return NULL;
}

static void end(struct session *session, struct target *target, enum target_state state,
		uint64_t time)
{
	follow__leave(session, target);
	target->state = state;
	target->ended_ns = time;
	if (session->options.handlers.ended)
		session->options.handlers.ended(session->options.handlers.context, target);
	target__close(target, session->tables);
}

/* Only a parent is told the status; it stays there for whoever waits for it. */
static int exit_status(const struct target *target)
{
	siginfo_t info = { 0 };

	if (waitid((idtype_t)P_PIDFD, target->process->pidfd, &info,
		   WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
		return -1;
	if (info.si_code == CLD_EXITED)
		return info.si_status << 8;
	return info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

static void exited(struct session *session, struct target *target)
{
	if (target->state != TARGET_LIVE)
		return;
	target->exit_status = exit_status(target);
	reaper__take(session->reaper, &target->links);
	target->attached = 0;
	end(session, target, TARGET_EXITED, clock__monotonic_ns());
}

/* ---- Beginnings ---- */

static void take_over(struct session *session, struct target *old, struct target *new,
		      uint64_t time)
{
	int err = target__pass(old, new, session->tables);

	if (err)
		error_errno(err, "pid %d: the image before its exec cannot be told from this one",
			    new->process->pid);
	old->successor = new;
	/* Unless it turns out to map files whose probes have no links yet. */
	if (new->links.count)
		new->attached_ns = time;
	if (session->dumping == old)
		session->dumping = new;
}

static void joined(struct session *session, struct target *target)
{
	if (session->options.handlers.joined)
		session->options.handlers.joined(session->options.handlers.context, target);
	/* It may be gone already: its pidfd tells. */
	session__attach(session, target);
}

static void execed(struct session *session, struct target *old, uint64_t time)
{
	struct process *process;
	struct target *new;

	if (time <= old->opened_ns)
		return; /* that image is the one that we know */
	if (process__open(old->process->pid, &process, NULL))
		return; /* gone: its pidfd tells */
	if (session__enter(session, process, old->wanted, &new))
		return;
	take_over(session, old, new, time);
	old->attached = 0;
	end(session, old, TARGET_EXECED, time);
	joined(session, new);
}

static void forked(struct session *session, const struct watch_event *event)
{
	struct target *parent = live_target(session, event->parent);
	struct process *process;
	struct target *child;

	if (!parent || !session->options.follow || live_target(session, event->pid))
		return;
	if (process__open(event->pid, &process, NULL))
		return; /* gone already */
	if (session__enter(session, process, parent->wanted, &child) == 0)
		joined(session, child);
}

/* ---- News ---- */

/* After losses. Our descriptor is of the old image's memory: empty when there is a new one. */
static bool has_execed(const struct target *target)
{
	struct module *module = target->modules.first;
	char byte;

	return target->memory_fd >= 0 && module && process__alive(target->process) &&
	       pread(target->memory_fd, &byte, 1, (off_t)module->start) == 0;
}

static void look_at_all(struct session *session)
{
	size_t count = session->targets.count;

	for (size_t i = 0; i < count; i++) {
		struct target *target = session->targets.items[i];

		if (target->state != TARGET_LIVE)
			continue;
		if (has_execed(target))
			execed(session, target, clock__monotonic_ns());
		else
			target->look = true;
	}
}

/*
 * No record of a probe is lost by that: they come through rings of their own. What may be missed is
 * the beginning of a library or an image that appeared since, until the look that follows.
 */
static void tell_lost_news(struct session *session, uint64_t count)
{
	debug("perf records were lost: all targets are looked at again");
	if (!count || session->news_lost)
		return;
	session->news_lost = true;
	warning("the kernel dropped %llu notices of mappings, execs and exits on this host, because "
		"gctrace was too slow to take them; what targets load meanwhile is found a little later",
		(unsigned long long)count);
}

static void handle(void *context, const struct watch_event *event)
{
	struct session *session = context;
	struct target *target = live_target(session, event->pid);

	switch (event->kind) {
	case WATCH_MMAP:
		if (target)
			target->look = true;
		break;
	case WATCH_EXEC:
		if (target)
			execed(session, target, event->time);
		break;
	case WATCH_FORK:
		forked(session, event);
		break;
	case WATCH_EXIT:
		if (target)
			target__thread_exited(target, event->tid);
		break;
	case WATCH_LOST:
		tell_lost_news(session, event->lost);
		look_at_all(session);
		break;
	}
}

/*
 * A process's first thread exits in most cases because the process does: wait a little for its
 * pidfd to tell, before links are made anew for another thread.
 */
static bool is_ending(const struct target *target)
{
	return target->leader_gone && target->gone &&
	       clock__monotonic_ns() - target->gone_ns < 50 * NS_PER_MS;
}

/* Those whose mappings changed. Attaching may take long enough for more to happen. */
static int look_again(struct session *session)
{
	int result = 0;

	for (size_t i = 0; i < session->targets.count; i++) {
		struct target *target = session->targets.items[i];
		int err;

		if (!target->look || target->state != TARGET_LIVE || is_ending(target))
			continue;
		err = session__attach(session, target);
		if (err && err != -ESRCH)
			result = err;
	}
	return result;
}

int session__poll(struct session *session, int timeout_ms)
{
	struct epoll_event events[16];
	int count = epoll_wait(session->epoll, events, 16, timeout_ms);

	if (count < 0)
		return errno == EINTR ? 0 : error_errno(errno, "cannot wait for events");
	/* First what perf tells: an exec by a thread also ends the first one, then comes exit. */
	if (session->watch)
		watch__read(session->watch, handle, session);
	for (int i = 0; i < count; i++)
		if (events[i].data.u64 >> 32 == SOURCE_PROCESS)
			exited(session, session__target(session, (uint32_t)events[i].data.u64));
	return look_again(session);
}

int session__poll_fd(const struct session *session)
{
	return session->epoll;
}

int session__rescan(struct session *session)
{
	look_at_all(session);
	return look_again(session);
}
