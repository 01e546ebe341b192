/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a process: its directory in /proc, then what stands there in the order of the
 * rights that it takes. What anybody may read comes first, so that a refusal can name the
 * process; a process may end at any point, and then reads fail with ESRCH.
 */
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/refuse.h"
#include "host.h"
#include "proc_stat.h"
#include "procfs.h"

#define DELETED " (deleted)"

static int gone(pid_t pid, struct buf *why)
{
	return refuse(why, -ESRCH, "process %d has ended while gctrace looked at it", pid);
}

static int forbidden(const struct process *process, const char *what, struct buf *why)
{
	if (host__has_capability(CAP_SYS_PTRACE))
		return refuse(why, -EACCES,
			      "the kernel lets nobody here read /proc/%d/%s (%s, of user %u), not"
			      " even with CAP_SYS_PTRACE: a security module forbids it, or the"
			      " process is of a user namespace around this one",
			      process->pid, what, escape(process->comm),
			      (unsigned int)process->uid);
	return refuse(why, -EACCES,
		      "no right to read /proc/%d/%s (%s, of user %u): run gctrace as root,"
		      " or give it CAP_SYS_PTRACE%s",
		      process->pid, what, escape(process->comm), (unsigned int)process->uid,
		      host__has_capability(CAP_BPF) || host__has_capability(CAP_SYS_ADMIN)
			      ? ""
			      : " (and, to attach, CAP_BPF and CAP_PERFMON)");
}

static int take_text(struct process *process, const char *name, char **out, size_t *len)
{
	struct buf text = BUF_INIT;
	int err = process__read(process, name, &text);

	/* A copy: the buffer has far more room than a name needs, and is kept for hours. */
	if (!err) {
		*out = malloc(text.len + 1);
		err = *out ? 0 : -ENOMEM;
	}
	if (!err) {
		memcpy(*out, buf__str(&text), text.len + 1);
		*len = text.len;
	}
	buf__free(&text);
	return err;
}

static int take_comm(struct process *process)
{
	size_t len;
	int err = take_text(process, "comm", &process->comm, &len);

	if (!err && len && process->comm[len - 1] == '\n')
		process->comm[len - 1] = '\0';
	return err;
}

/* ENAMETOOLONG: the kernel's readlink() knows no path beyond 4,096 bytes. */
static int take_link(struct process *process, const char *name, struct buf *text)
{
	int err = procfs__read_link(process->procfd, name, text);

	return err == -ENAMETOOLONG ? 0 : err;
}

static int take_root(struct process *process)
{
	struct buf text = BUF_INIT;
	int err = take_link(process, "root", &text);

	if (!err) {
		process->root = strdup(text.len ? text.data : "/");
		err = process->root ? 0 : -ENOMEM;
	}
	buf__free(&text);
	return err;
}

static int take_exe(struct process *process)
{
	struct buf text = BUF_INIT;
	int err = take_link(process, "exe", &text);
	size_t tail = strlen(DELETED);

	if (!err && text.len > tail &&
	    memcmp(text.data + text.len - tail, DELETED, tail) == 0) {
		process->exe_deleted = true;
		buf__truncate(&text, text.len - tail);
	}
	if (!err) {
		process->exe = strdup(process__path(process, buf__str(&text)));
		err = process->exe ? 0 : -ENOMEM;
	}
	buf__free(&text);
	return err;
}

static int take_nspid(struct process *process, const struct buf *status)
{
	const char *at, *end;
	uint64_t value;
	size_t len, count = 0;

	process->nspid = calloc(1, sizeof(*process->nspid));
	if (!process->nspid)
		return -ENOMEM;
	process->nspid[0] = process->pid;
	process->nspid_count = 1;
	if (!procfs__field(status, "NSpid", &at, &len))
		return 0;
	for (end = at + len; procfs__number(&at, end, 10, &value); count++) {
		pid_t *grown = reallocarray(process->nspid, count + 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		process->nspid = grown;
		grown[count] = (pid_t)value;
		process->nspid_count = count + 1;
		procfs__skip_blanks(&at, end);
	}
	return 0;
}

/* "Uid:" and "Gid:" have real, effective, saved and file system ids. */
static void take_ids(const struct buf *status, const char *key, unsigned int *real,
		     unsigned int *effective)
{
	const char *at, *end;
	uint64_t value;
	size_t len;

	if (!procfs__field(status, key, &at, &len))
		return;
	end = at + len;
	if (procfs__number(&at, end, 10, &value))
		*real = (unsigned int)value;
	procfs__skip_blanks(&at, end);
	if (procfs__number(&at, end, 10, &value))
		*effective = (unsigned int)value;
}

static void take_seccomp(struct process *process, const struct buf *status)
{
	const char *at;
	uint64_t mode;
	size_t len;

	process->seccomp = PROCESS_SECCOMP_UNKNOWN;
	if (procfs__field(status, "Seccomp", &at, &len) &&
	    procfs__number(&at, at + len, 10, &mode) && mode <= PROCESS_SECCOMP_FILTER)
		process->seccomp = (enum process_seccomp)mode;
}

/* Is this thread the first of its process? Else -EINVAL, with the process that is meant. */
static int check_leader(const struct process *process, const struct buf *status, struct buf *why)
{
	const char *at;
	uint64_t tgid;
	size_t len;

	if (!procfs__field(status, "Tgid", &at, &len) ||
	    !procfs__number(&at, at + len, 10, &tgid))
		return refuse(why, -EIO, "/proc/%d/status has no Tgid line", process->pid);
	if ((pid_t)tgid == process->pid)
		return 0;
	return refuse(why, -EINVAL,
		      "%d is a thread (%s) of process %d: gctrace traces whole processes,"
		      " give it %d",
		      process->pid, escape(process->comm), (int)tgid, (int)tgid);
}

static int take_status(struct process *process, struct buf *why)
{
	struct buf status = BUF_INIT;
	int err = process__read(process, "status", &status);

	if (!err)
		err = check_leader(process, &status, why);
	else if (err == -ESRCH)
		gone(process->pid, why);
	if (!err) {
		take_ids(&status, "Uid", &process->uid, &process->euid);
		take_ids(&status, "Gid", &process->gid, &process->egid);
		take_seccomp(process, &status);
		err = take_nspid(process, &status);
	}
	buf__free(&status);
	return err;
}

static bool other_namespace(const struct process *process, const char *name)
{
	char theirs[32], ours[32];
	struct stat a, b;

	snprintf(theirs, sizeof(theirs), "ns/%s", name);
	snprintf(ours, sizeof(ours), "/proc/self/ns/%s", name);
	if (fstatat(process->procfd, theirs, &a, 0) || stat(ours, &b))
		return false;
	return a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

static void take_class(struct process *process)
{
	unsigned char ident[EI_NIDENT];
	int fd = openat(process->procfd, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (read(fd, ident, sizeof(ident)) == sizeof(ident) &&
	    memcmp(ident, ELFMAG, SELFMAG) == 0)
		process->is_32bit = ident[EI_CLASS] == ELFCLASS32;
	close(fd);
}

static int open_proc(struct process *process, struct buf *why)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/%d", process->pid);
	process->procfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (process->procfd >= 0)
		return 0;
	err = -errno;
	if (access("/proc/self/stat", F_OK))
		return refuse(why, -ENOENT, "/proc is not there: mount it (mount -t proc proc"
			      " /proc)");
	if (err == -ENOENT && kill(process->pid, 0) && errno == ESRCH)
		return refuse(why, -ESRCH, "there is no process %d; gctrace probes lists those that"
			      " can be traced", process->pid);
	if (err == -ENOENT || err == -EACCES || err == -EPERM)
		return refuse(why, -EACCES,
			      "process %d is hidden from this user (/proc is mounted with"
			      " hidepid): run gctrace as root, or give it CAP_SYS_PTRACE",
			      process->pid);
	return refuse(why, err, "cannot open %s: %s", path, strerror(-err));
}

static int check_state(struct process *process, const struct proc_stat *stat,
		       struct buf *why)
{
	if (stat->kernel_thread)
		return refuse(why, -ENOTSUP,
			      "%d is a thread of the kernel (%s), not a process with a runtime",
			      process->pid, escape(process->comm));
	/* Of its first thread: others may go on, and /proc/PID shows nothing of them. */
	if (!proc_stat__has_ended(stat) || process__look_by_living(process) == 0)
		return 0;
	return refuse(why, -ESRCH,
		      "process %d (%s) has ended already; it is a zombie that its"
		      " parent %d has not waited for",
		      process->pid, escape(process->comm), (int)stat->parent);
}

/* What needs the right to look into another's process: its program and namespaces. */
static int take_private(struct process *process, struct buf *why)
{
	struct proc_stat stat;
	int err = take_root(process);

	if (!err)
		err = take_exe(process);
	if (err == -EACCES || err == -EPERM)
		return forbidden(process, "exe", why);
	if (err == -ENOENT || err == -ESRCH) {
		/* A process without an image is one that is just leaving. */
		if (proc_stat__read(process, &stat))
			return gone(process->pid, why);
		err = check_state(process, &stat, why);
		return err ? err : gone(process->pid, why);
	}
	if (!err)
		err = take_text(process, "cmdline", &process->cmdline, &process->cmdline_len);
	if (err)
		return err;
	process->other_mount_ns = other_namespace(process, "mnt");
	process->other_pid_ns = other_namespace(process, "pid");
	process->other_user_ns = other_namespace(process, "user");
	take_class(process);
	return 0;
}

static int take_all(struct process *process, struct buf *why)
{
	struct proc_stat stat;
	int err = proc_stat__read(process, &stat);

	if (!err)
		err = take_comm(process);
	if (err == -ESRCH)
		return gone(process->pid, why);
	if (err)
		return err;
	process->parent = (pid_t)stat.parent;
	process->start_ticks = stat.start_ticks;
	err = take_status(process, why);
	if (!err)
		err = check_state(process, &stat, why);
	if (!err)
		err = take_private(process, why);
	return err;
}

/*
 * A pidfd of the process behind procfd: one made from the number could be that of a
 * successor, unless procfd still answers afterwards.
 */
static void open_pidfd(struct process *process)
{
	struct proc_stat stat;

	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (process->pidfd >= 0 && proc_stat__read(process, &stat)) {
		close(process->pidfd);
		process->pidfd = -1;
	}
}

int process__open(pid_t pid, struct process **out, struct buf *why)
{
	struct process *process;
	size_t before = why ? why->len : 0;
	int err;

	*out = NULL;
	if (pid <= 0)
		return refuse(why, -EINVAL, "%d is not the id of a process", pid);
	process = calloc(1, sizeof(*process));
	if (!process)
		return refuse(why, -ENOMEM, "out of memory");
	process->pid = process->by = pid;
	process->procfd = process->firstfd = process->pidfd = -1;
	err = open_proc(process, why);
	if (!err)
		err = take_all(process, why);
	if (!err) {
		open_pidfd(process);
		*out = process;
		return 0;
	}
	if (why && why->len == before && err == -ESRCH)
		gone(pid, why);
	else if (why && why->len == before)
		refuse(why, err, "cannot look at process %d: %s", pid, strerror(-err));
	process__free(process);
	return err;
}
