/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a program is traced from its first collection, and its children too.
 *
 *	fork, seize the child, let it exec
 *	       |
 *	       v
 *	ptrace: fork, vfork, clone, exec  ----------------> started, exec
 *	BPF:    return from an executable file mapping
 *	        = a signal to that thread ----------------> mapped
 *
 * Two mechanisms, each for what it alone can do. ptrace reports new processes and images
 * without a race and hides our stops from the real parent (a shell with job control would
 * otherwise see its child stopped). It cannot stop at an mmap, unless every system call is
 * stopped at: that is what the BPF program adds (bpf/launch.bpf.c). Its SIGWINCH is told apart
 * from others by a map of the threads it was sent to; its SIGSTOP, where that one is blocked, by
 * coming from the kernel itself (si_code SI_KERNEL). What somebody else sends is delivered.
 *
 * A process costs some stops when it starts and a stop for each thread that it makes; after
 * that nothing, and signals pass through us. Threads are seized too, since what they map counts.
 *
 * If gctrace is killed, the kernel lets all of them go. A SIGWINCH on its way is then delivered,
 * which does nothing; a SIGSTOP would leave the process stopped. So the latter remains for a thread
 * that blocks SIGWINCH while it maps code, and a gctrace that is killed within that millisecond.
 *
 * What is not guaranteed: a process that ptraces another of the family fails to (a debugger
 * under `gctrace run` does not work), and programs with set-user-id bits run as they would under
 * strace: with the rights of root kept only when gctrace is root.
 */
#include "attach/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/limits.h"
#include "base/clock.h"
#include "base/ram.h"
#include "base/report.h"
#include "base/vec.h"
#include "skel/launch.skel.h"

#define RELEASE_NS NS_PER_S

/*
 * A thread of the family. Processes are their first threads: tid == pid. Whoever made it may report
 * that earlier than it reports itself; until then pid is 0.
 */
struct member {
	pid_t tid, pid;
};

struct launch {
	struct launch_bpf *bpf;
	struct launch_watcher watcher;
	VEC(struct member) members;
	pid_t program;
	int fd; /* of SIGCHLD */
	sigset_t mask; /* as it was before */
	bool ended;
	int status;
	bool released;
};

static struct member *member_of(const struct launch *launch, pid_t tid)
{
	for (size_t i = 0; i < launch->members.count; i++)
		if (launch->members.items[i].tid == tid)
			return &launch->members.items[i];
	return NULL;
}

static void forget(struct launch *launch, struct member *member)
{
	*member = launch->members.items[--launch->members.count];
}

/* What /proc says of a thread after a key such as "Tgid:"; 0: nothing, or it is gone. */
static pid_t look_up(pid_t tid, const char *key)
{
	char path[64], line[128];
	pid_t found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0) {
			found = atoi(line + strlen(key));
			break;
		}
	fclose(file);
	return found;
}

static void go_on(pid_t tid, int signal)
{
	/* ESRCH: it was killed meanwhile, which a later wait reports. */
	ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal);
}

/* A thread that we did not know reports for the first time. */
static struct member *welcome(struct launch *launch, pid_t tid)
{
	struct member *member = member_of(launch, tid);
	pid_t pid = look_up(tid, "Tgid:");

	if (!member && vec__push(&launch->members, (struct member){ tid, 0 })) {
		error("no memory to follow thread %d: it runs on untraced", tid);
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		return NULL;
	}
	member = member_of(launch, tid);
	member->pid = pid ? pid : tid;
	if (member->pid == tid)
		launch->watcher.started(launch->watcher.context, tid);
	return member_of(launch, tid);
}

/*
 * A stopped thread has made another, which the kernel has seized for us already. It may have run
 * before its maker said so, and be over: then nothing of it is to be expected.
 */
static void expect(struct launch *launch, pid_t by)
{
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, by, NULL, &tid) || member_of(launch, (pid_t)tid) ||
	    look_up((pid_t)tid, "TracerPid:") != getpid())
		return;
	if (vec__push(&launch->members, (struct member){ (pid_t)tid, 0 }))
		debug("no memory to expect thread %lu", tid);
}

static bool makes_thread(int event)
{
	return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	       event == PTRACE_EVENT_CLONE;
}

static bool stopped_by_us(const struct launch *launch, pid_t tid, int signal)
{
	__u32 key = tid;
	siginfo_t info;
	__u8 is;

	if (signal == SIGWINCH)
		return launch->bpf && !bpf_map__lookup_and_delete_elem(launch->bpf->maps.held,
				&key, sizeof(key), &is, sizeof(is), 0);
	return signal == SIGSTOP && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) &&
	       info.si_code == SI_KERNEL;
}

/* All threads but the first have ended by an exec of one of them, which is the first now. */
static void keep_first(struct launch *launch, pid_t pid)
{
	for (size_t i = launch->members.count; i-- > 0;) {
		struct member *member = &launch->members.items[i];

		if (member->pid == pid && member->tid != pid)
			forget(launch, member);
	}
}

static void handle_event(struct launch *launch, pid_t tid, int event, int signal)
{
	struct member *member = member_of(launch, tid);

	if (event == PTRACE_EVENT_EXEC) {
		keep_first(launch, member->pid);
		launch->watcher.exec(launch->watcher.context, tid);
	} else if (makes_thread(event)) {
		expect(launch, tid);
	} else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* somebody stopped the process */
		return;
	}
	go_on(tid, 0);
}

static void handle_stop(struct launch *launch, pid_t tid, int status)
{
	const int event = status >> 16, signal = WSTOPSIG(status);
	struct member *member = member_of(launch, tid);

	if ((!member || !member->pid) && !(member = welcome(launch, tid)))
		return;
	if (event) {
		handle_event(launch, tid, event, signal);
	} else if (stopped_by_us(launch, tid, signal)) {
		launch->watcher.mapped(launch->watcher.context, member->pid);
		go_on(tid, 0);
	} else {
		go_on(tid, signal);
	}
}

static void note_end(struct launch *launch, pid_t tid, int status)
{
	if (tid != launch->program)
		return;
	launch->ended = true;
	launch->status = status;
}

static void handle_end(struct launch *launch, pid_t tid, int status)
{
	struct member *member = member_of(launch, tid);
	bool process = !member || !member->pid || member->pid == tid;
	__u32 key = tid;

	if (member)
		forget(launch, member);
	if (launch->bpf)
		bpf_map__delete_elem(launch->bpf->maps.held, &key, sizeof(key), 0);
	if (process)
		launch->watcher.ended(launch->watcher.context, tid, status);
	note_end(launch, tid, status);
}

int launch__handle(struct launch *launch)
{
	struct signalfd_siginfo drained[16];
	int status;
	pid_t tid;

	while (read(launch->fd, drained, sizeof(drained)) > 0)
		;
	while ((tid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (WIFSTOPPED(status))
			handle_stop(launch, tid, status);
		else
			handle_end(launch, tid, status);
	}
	return tid < 0 && errno != ECHILD && errno != EINTR ? -errno : 0;
}

static int load(struct launch *launch)
{
	__u8 is = 1;
	__u32 pid = launch->program;
	int err;

	launch->bpf = launch_bpf__open_and_load();
	if (!launch->bpf)
		return error_errno(
			errno, "cannot load the BPF program that watches what a new process maps "
			       "(gctrace doctor says what this host lacks)");
	err = launch_bpf__attach(launch->bpf);
	if (err)
		return error_errno(-err, "cannot attach to the kernel's tracepoints of fork and "
			"system calls (gctrace doctor says what this host lacks)");
	err = bpf_map__update_elem(launch->bpf->maps.members, &pid, sizeof(pid), &is, sizeof(is),
				   BPF_ANY);
	return err ? error_errno(-err, "cannot watch process %u", pid) : 0;
}

/* In the child: waits for the word, becomes the program, or says why not. */
static _Noreturn void become(const struct launch *launch, char *const arguments[], int word,
			     int why, void (*in_child)(void))
{
	char byte;
	int err;

	if (read(word, &byte, 1) != 1)
		_exit(126); /* gctrace has failed and said so */
	in_child();
	limits__restore();
	ram__unlimit();
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	execvp(arguments[0], arguments);
	err = errno;
	if (write(why, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static int seize(struct launch *launch)
{
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE;
	struct member first = { launch->program, launch->program };

	if (ptrace(PTRACE_SEIZE, launch->program, NULL, (void *)options))
		return error_errno(errno, "cannot follow the new process %d with ptrace "
			"(needs CAP_SYS_PTRACE, and kernel.yama.ptrace_scope below 3)",
			launch->program);
	return vec__push(&launch->members, first);
}

/* Gives the word and waits until the program runs; the errno of its exec if it does not. */
static int let_go(struct launch *launch, int word, int why, const char *name)
{
	int err = 0, status;
	ssize_t got;

	if (write(word, "", 1) != 1)
		return error_errno(errno, "cannot start %s", name);
	/*
	 * The pipe closes by the exec, which waits for us: ptrace's first report is about that, or
	 * about the child's end after it wrote why.
	 */
	while (waitpid(launch->program, &status, __WALL) == launch->program) {
		if (!WIFSTOPPED(status)) {
			got = read(why, &err, sizeof(err));
			launch->members.count = 0;
			return error_errno(got == sizeof(err) ? err : EIO, "cannot start %s", name);
		}
		handle_stop(launch, launch->program, status);
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
	}
	return error_errno(errno, "cannot start %s", name);
}

static void close_pipe(int ends[2])
{
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

static int start(struct launch *launch, char *const arguments[], void (*in_child)(void))
{
	int word[2] = { -1, -1 }, why[2] = { -1, -1 }, err;
	sigset_t all, before;

	if (pipe2(word, O_CLOEXEC) || pipe2(why, O_CLOEXEC)) {
		err = error_errno(errno, "cannot make a pipe");
		goto out;
	}
	/* In the child none may come to our handlers. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	launch->program = fork();
	if (!launch->program) {
		close(word[1]); /* so that our end by whatever cause ends the wait */
		become(launch, arguments, word[0], why[1], in_child);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	/* The child's alone: where it dies without a word, reading ends. */
	close(why[1]);
	why[1] = -1;
	if (launch->program < 0) {
		err = error_errno(errno, "cannot make a process");
		goto out;
	}
	err = seize(launch);
	if (!err)
		err = load(launch);
	if (!err) {
		launch->watcher.started(launch->watcher.context, launch->program);
		err = let_go(launch, word[1], why[0], arguments[0]);
	}
out:
	close_pipe(word);
	close_pipe(why);
	return err;
}

int launch__new(struct launch **out, char *const arguments[], void (*in_child)(void),
		const struct launch_watcher *watcher)
{
	struct launch *launch = calloc(1, sizeof(*launch));
	sigset_t children;
	int err;

	if (!launch)
		return -ENOMEM;
	launch->watcher = *watcher;
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &children, &launch->mask);
	launch->fd = signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
	err = launch->fd < 0 ? error_errno(errno, "cannot make a signal descriptor")
			     : start(launch, arguments, in_child);
	if (err) {
		launch__free(launch);
		return err;
	}
	*out = launch;
	return 0;
}

/* ---- Letting go ---- */

/* It has reported a stop. What it has just made is ours too, and will report one. */
static void detach(struct launch *launch, pid_t tid, int status)
{
	const int event = status >> 16, signal = WSTOPSIG(status);
	bool ours;

	if (makes_thread(event))
		expect(launch, tid);
	ours = event || stopped_by_us(launch, tid, signal);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)(ours ? 0 : signal));
}

static void let_go_of(struct launch *launch, pid_t tid, int status)
{
	struct member *member;

	if (WIFSTOPPED(status))
		detach(launch, tid, status);
	else
		note_end(launch, tid, status);
	member = member_of(launch, tid);
	if (member)
		forget(launch, member);
}

/* Only a stopped thread can be let go of. One that is gone has nothing to report. */
static void interrupt_all(struct launch *launch)
{
	for (size_t i = launch->members.count; i-- > 0;)
		if (ptrace(PTRACE_INTERRUPT, launch->members.items[i].tid, NULL, NULL))
			forget(launch, &launch->members.items[i]);
}

void launch__release(struct launch *launch)
{
	const uint64_t end = clock__monotonic_ns() + RELEASE_NS;
	const struct timespec rest = { .tv_nsec = NS_PER_MS };
	int status;
	pid_t tid;

	if (launch->released)
		return;
	launch->released = true;
	if (launch->bpf)
		launch_bpf__detach(launch->bpf); /* first: no more of our stops from here on */
	interrupt_all(launch);
	while (launch->members.count && clock__monotonic_ns() < end) {
		tid = waitpid(-1, &status, WNOHANG | __WALL);
		if (tid > 0)
			let_go_of(launch, tid, status);
		else if (tid < 0 && errno == ECHILD)
			vec__reset(&launch->members);
		else
			nanosleep(&rest, NULL);
	}
	if (launch->members.count)
		note("threads of the program that wait for the kernel (for a disk, or a child of"
		     " vfork): %zu; each is let go when that is over", launch->members.count);
}

int launch__wait(struct launch *launch, void (*interrupted)(void *context))
{
	int status;
	pid_t tid;

	while (!launch->ended) {
		tid = waitpid(-1, &status, __WALL);
		if (tid > 0)
			let_go_of(launch, tid, status);
		else if (errno == EINTR)
			interrupted(launch->watcher.context);
		else
			return 0;
	}
	return launch->status;
}

void launch__free(struct launch *launch)
{
	if (!launch)
		return;
	launch__release(launch);
	launch_bpf__destroy(launch->bpf);
	vec__free(&launch->members);
	if (launch->fd >= 0)
		close(launch->fd);
	pthread_sigmask(SIG_SETMASK, &launch->mask, NULL);
	free(launch);
}

int launch__fd(const struct launch *launch)
{
	return launch->fd;
}

pid_t launch__pid(const struct launch *launch)
{
	return launch->program;
}

bool launch__ended(const struct launch *launch, int *status)
{
	if (launch->ended)
		*status = launch->status;
	return launch->ended;
}

size_t launch__alive(const struct launch *launch)
{
	size_t alive = 0;

	for (size_t i = 0; i < launch->members.count; i++)
		alive += !launch->members.items[i].pid ||
			 launch->members.items[i].tid == launch->members.items[i].pid;
	return alive;
}

size_t launch__unwatched(const struct launch *launch)
{
	return launch->bpf ? launch->bpf->bss->crowded_out : 0;
}
