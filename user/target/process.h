/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that is, or may be, traced.
 *
 * A pid is no identity: it is used again. A struct process holds the process's /proc
 * directory open, so that every later read through procfd is of this process or fails with
 * ESRCH, never of a successor; (pid, start_ticks) names it in a recording.
 *
 * What is text here is the target's to choose (comm, exe, cmdline): any bytes but 0. It
 * goes through escape() before a person sees it.
 */
#ifndef GCTRACE_TARGET_PROCESS_H
#define GCTRACE_TARGET_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/buf.h"

enum process_seccomp {
	PROCESS_SECCOMP_NONE = 0,
	PROCESS_SECCOMP_STRICT = 1,
	PROCESS_SECCOMP_FILTER = 2,
	PROCESS_SECCOMP_UNKNOWN = 3, /* the kernel does not tell */
};

struct process {
	pid_t pid;             /* as our /proc numbers it */
	uint64_t start_ticks;  /* since boot, in clock ticks: /proc/PID/stat field 22 */
	int procfd;            /* /proc/PID, or of a thread (process__look_by), for openat() */
	int firstfd;           /* /proc/PID where procfd is another; else -1 */
	pid_t by;              /* whose procfd is: pid, or that thread */
	int pidfd;             /* readable when it exits; -1 where the kernel has none */
	pid_t parent;

	pid_t *nspid;          /* its pid in each pid namespace from ours inwards */
	size_t nspid_count;    /* at least 1 */
	uid_t uid, euid;       /* as in our user namespace */
	gid_t gid, egid;

	char *comm;
	char *root;            /* its root directory in our view, "/" without a chroot */
	char *exe;             /* path in the target's view; "" when that is too long */
	bool exe_deleted;
	char *cmdline;         /* arguments, each closed by a 0 */
	size_t cmdline_len;

	bool other_mount_ns;
	bool other_pid_ns;
	bool other_user_ns;
	bool is_32bit;
	enum process_seccomp seccomp;
};

/*
 * Open a process. Refused, each with its reason in why (one line for a person, nothing
 * of it unescaped; why may be NULL):
 *   -ESRCH    no such process, or it is gone already (a zombie too, unless threads beside the
 *             first one go on: it is looked at by one of these, and firstfd is not -1)
 *   -ENOTSUP  a kernel thread
 *   -EINVAL   not a pid, or the id of a thread that is not its process's first
 *   -EACCES   not ours to look into: why names the capability
 * The caller frees *out by process__free().
 */
int process__open(pid_t pid, struct process **out, struct buf *why);
void process__free(struct process *process);

/*
 * The same process as the image that it has executed, which nobody has looked at: nothing is known
 * but what an exec keeps, and its comm. The pidfd is a copy, procfd is -1. NULL: no memory.
 */
struct process *process__after_exec(const struct process *process, const char *comm);

/*
 * Bytes of memory that are of no file, swapped out or not: no heap is larger. 0: not known.
 */
uint64_t process__own_memory(const struct process *process);

/* It has not exited (a zombie has) and still is the one that was opened. */
bool process__alive(const struct process *process);

/* By a signal or a debugger: it does nothing, and answers nobody. */
bool process__is_stopped(const struct process *process);

/* Its pid as it knows itself: the innermost of nspid. */
pid_t process__inner_pid(const struct process *process);

/* They may be megabytes; of a process that is kept for its names only. */
void process__forget_arguments(struct process *process);

/*
 * The first thread has exited and others go on: from then on /proc/PID has no mappings, files
 * or root any more. Look by this thread of the process instead. 0, or -ESRCH: it is gone.
 */
int process__look_by(struct process *process, pid_t tid);

/*
 * The same, as often as need be: by any of its threads that still has the process's memory, where
 * the one that it has been looked at by has not. 0, or -ESRCH: there is none.
 */
int process__look_by_living(struct process *process);

/* /proc/PID/task, for fdopendir(). The descriptor, or negative errno. */
int process__open_tasks(const struct process *process);

/*
 * /proc/PID/NAME (maps: maps.h). cmdline and environ are memory of the process, of any size and as
 * slow as it likes: they are read by the reader's helper, up to PROCESS_TEXT_MOST bytes, with a
 * warning. 0 or negative errno; -ESRCH when the process is gone.
 */
#define PROCESS_TEXT_MOST (128u << 10)
int process__read(const struct process *process, const char *name, struct buf *out);

/*
 * Open PATH as the target sees it: below its root, in its mount namespace, and with no
 * symbolic link or ".." leading out of there. flags as for open(), to read; O_CLOEXEC and
 * O_NONBLOCK are added, and anything but a regular file or, with O_DIRECTORY, a directory is
 * refused (-EINVAL; -ELOOP: a link, and O_NOFOLLOW). It is so before it is opened: opening a
 * device can have effects (a watchdog begins to count), and who may make one in a container
 * would choose which. The descriptor, or negative errno.
 */
int process__open_file(const struct process *process, const char *path, int flags);

/* The same without the reader's helper: for what runs in it. */
int process__open_below(int procfd, const char *path, int flags);

/*
 * Open what an O_PATH descriptor, which stays the caller's, was found to be a file that may be
 * opened. The descriptor, or negative errno.
 */
int process__reopen(int place, int flags);

/*
 * The kernel shows paths of mappings and programs from our point of view, a chroot of the
 * target's included. The part of such a path that the target sees (points into path).
 */
const char *process__path(const struct process *process, const char *path);

/* "pid 123 (java)", escaped, for messages. Appends. */
void process__describe(const struct process *process, struct buf *out);

/*
 * Every process whose comm, or whose base name of exe or of argv[0], is name: pids in
 * ascending order, kernel threads, zombies and the caller left out. *pids is the caller's
 * to free; *count may become 0. A NULL name matches every process.
 */
int process__find(const char *name, pid_t **pids, size_t *count);

/*
 * Turn the words given to -p (pids, or a process's name) into one pid. For a name that
 * several have, -EEXIST and a why that lists them; -ENOENT when nobody has it (with the
 * nearest names that exist).
 */
int process__resolve(const char *word, pid_t *pid, struct buf *why);

#endif
