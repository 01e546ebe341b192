/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What targets do while they are traced.
 *
 *   maps a file   scanned again, what is new is attached
 *   exec          the target has ended, a new one takes its links over. The kernel keeps uprobes
 *                 over an exec and sets them in what the new image maps, so nothing is detached or
 *                 missed: records still name the old target's index, and whose they are is told by
 *                 their stamp (session__target_of). The new one is unseen at first: the process may
 *                 have executed yet another image before it is looked at, which the news tell that
 *                 come between. Each image is a target of its own; one that was never looked at
 *                 may have had probes that nobody attached to, and counts as missed
 *   thread exit   links are made for one thread and end with it, which happens where a process's
 *                 first thread exits before others, or when another one execs. They are made again.
 *                 What was told between is missed, which counts where the process lives on
 *   fork          the child is a target too, if the session follows
 *   exit          told by a pidfd; links are detached in the background
 *
 * Where perf's records were lost, all targets are looked at again; an exec among the lost ones is
 * found by the process's memory, which our descriptor of the old image cannot read any more. What
 * is found then that news should have told counts as missed; a library that was loaded and
 * unloaded meanwhile is not found.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/session_private.h"
#include "attach/thread.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/report.h"
#include "target/process.h"
#include "target/reader.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

#define GAP_NS NS_PER_S
#define EXIT_NS (50 * NS_PER_MS)

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
	for (size_t i = 0; i < session->live.count; i++) {
		if (session->live.items[i] != target)
			continue;
		session->live.items[i] = session->live.items[--session->live.count];
		break;
	}
}

/* ---- Ends ---- */

static struct target *live_target(const struct session *session, pid_t pid)
{
	for (size_t i = session->live.count; i-- > 0;)
		if (session->live.items[i]->process->pid == pid)
			return session->live.items[i];
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

static void tell_joined(struct session *session, struct target *target)
{
	if (session->options.handlers.joined)
		session->options.handlers.joined(session->options.handlers.context, target);
}

/* An image has ended before anybody looked at it: what it may have told by files that its
 * predecessor did not map is missed. */
static void give_up_seeing(struct session *session, struct target *target)
{
	target->missed++;
	target->attached_ns = target->opened_ns;
	tell_joined(session, target);
	warning("pid %d executed %s and ended that again before gctrace could look at it: what it "
		"told by files of its own is missed", target->process->pid,
		*target->process->comm ? escape(target->process->comm) : "something");
}

static void exited(struct session *session, struct target *target)
{
	if (target->state != TARGET_LIVE)
		return;
	if (target->unseen)
		give_up_seeing(session, target);
	/* The thread that ends the process may look for a moment as if it lived on. */
	target->missed += target->gap && clock__monotonic_ns() - target->gone_ns > EXIT_NS;
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
	tell_joined(session, target);
	/* It may be gone already: its pidfd tells. */
	session__attach(session, target);
}

/* Our descriptor is of the old image's memory: empty when there is a new one. */
static bool has_execed(const struct target *target)
{
	const struct module *module = target->modules.first;
	char byte;

	return target->memory_fd >= 0 && process__alive(target->process) &&
	       reader__pread(target->process->pid, target->memory_fd, &byte, 1,
			     module ? module->start : 0) == 0;
}

/* That image is the one that we know. */
static bool is_old_news(const struct target *target, uint64_t time)
{
	return time <= target->opening_ns || (time <= target->opened_ns && !has_execed(target));
}

static void execed(struct session *session, struct target *old, uint64_t time, const char *comm)
{
	struct process *process = process__after_exec(old->process, comm);
	struct target *new;

	if (!process) {
		error_errno(-ENOMEM, "pid %d has executed another image, which is not traced",
			    old->process->pid);
		return;
	}
	if (session__enter(session, process, old->wanted, &new))
		return;
	new->opening_ns = new->opened_ns = time;
	new->unseen = true;
	if (old->unseen)
		give_up_seeing(session, old);
	take_over(session, old, new, time);
	old->attached = 0;
	end(session, old, TARGET_EXECED, time);
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

/* Are links for threads that have exited, unheard? */
static void check_threads(struct target *target)
{
	pid_t seen = 0;

	for (size_t i = 0; i < target->links.count && !target->gone; i++) {
		pid_t tid = target->links.items[i].site.tid;

		if (tid != seen && !thread__is_there(target, tid))
			target__thread_exited(target, tid);
		seen = tid;
	}
}

static void look_at_all(struct session *session, bool suspect)
{
	size_t count = session->live.count;

	for (size_t i = count; i-- > 0;) {
		struct target *target = session->live.items[i];

		if (target->unseen)
			continue;
		if (has_execed(target)) {
			target->missed += suspect;
			execed(session, target, clock__monotonic_ns(), "");
			continue;
		}
		check_threads(target);
		target->suspect |= suspect;
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
	warning("the kernel dropped %llu notices of mappings, execs and exits on this host,"
		" because gctrace was too slow to take them; what targets load meanwhile is found a"
		" little later",
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
		if (target && !is_old_news(target, event->time))
			execed(session, target, event->time, event->name);
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
		look_at_all(session, true);
		break;
	}
}

/*
 * A process's first thread exits in most cases because the process does: its pidfd tells, or no
 * thread is left that has not been told to exit.
 */
static bool is_ending(const struct target *target)
{
	return target->leader_gone && target->gone && !thread__living(target);
}

/*
 * Links had ended with their thread, and were made anew for one that lives on. That may be one that
 * executes another image: it waits for the others to end, and tells nothing any more. So it is
 * judged a little later; where it is seen to wait for that, a little later than that.
 */
static void judge_gap(struct target *target)
{
	const uint64_t now = clock__monotonic_ns();
	pid_t thread;

	if (!target->gap || now - target->gone_ns < GAP_NS)
		return;
	thread = thread__living(target);
	if (thread && thread__executes(target, thread)) {
		target->gone_ns = now;
		return;
	}
	target->gap = false;
	target->missed += thread != 0;
}

/* Those whose mappings changed. Attaching may take long enough for more to happen. */
static int look_again(struct session *session)
{
	int result = 0;

	for (size_t i = 0; i < session->live.count; i++) {
		struct target *target = session->live.items[i];
		size_t files = target->modules.count;
		int err;

		judge_gap(target);
		if (!target->look || target->unseen || is_ending(target))
			continue;
		err = session__attach(session, target);
		if (err && err != -ESRCH)
			result = err;
		target->missed += target->suspect && target->modules.count > files;
		target->suspect = false;
	}
	return result;
}

static void see(struct session *session, struct target *target, uint64_t start, uint64_t end)
{
	struct process *process = target->candidate;

	target->candidate = NULL;
	epoll_ctl(session->epoll, EPOLL_CTL_DEL, target->process->pidfd, NULL);
	target__see(target, process);
	target->opening_ns = start;
	target->opened_ns = end;
	follow__process(session, target);
	joined(session, target);
}

/*
 * Look at the images that processes have executed. What is read of a process is of the image that
 * we were told of, unless the news that came while we read tell of another.
 */
static void see_unseen(struct session *session)
{
	bool some = false;
	uint64_t start = clock__monotonic_ns(), end;

	for (size_t i = 0; i < session->live.count; i++) {
		struct target *target = session->live.items[i];

		if (target->unseen && !target->candidate)
			some |= process__open(target->process->pid, &target->candidate, NULL) == 0;
	}
	if (!some)
		return;
	end = clock__monotonic_ns();
	if (session->watch)
		watch__read(session->watch, handle, session);
	for (size_t i = 0; i < session->live.count; i++) {
		struct target *target = session->live.items[i];

		if (!target->candidate)
			continue;
		see(session, target, start, end);
	}
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
	see_unseen(session);
	return look_again(session);
}

int session__poll_fd(const struct session *session)
{
	return session->epoll;
}

int session__rescan(struct session *session)
{
	look_at_all(session, false);
	see_unseen(session);
	return look_again(session);
}
