/* SPDX-License-Identifier: BSD-2-Clause */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "proc_stat.h"
#include "procfs.h"
#include "reader.h"

void process__free(struct process *process)
{
	if (!process)
		return;
	if (process->procfd >= 0)
		close(process->procfd);
	if (process->firstfd >= 0)
		close(process->firstfd);
	if (process->pidfd >= 0)
		close(process->pidfd);
	free(process->nspid);
	free(process->comm);
	free(process->root);
	free(process->exe);
	free(process->cmdline);
	free(process);
}

void process__forget_arguments(struct process *process)
{
	free(process->cmdline);
	process->cmdline = NULL;
	process->cmdline_len = 0;
}

static bool copy_what_an_exec_keeps(struct process *to, const struct process *from)
{
	size_t bytes = from->nspid_count * sizeof(*from->nspid);

	to->nspid = malloc(bytes);
	to->root = strdup(from->root);
	if (!to->nspid || !to->root)
		return false;
	memcpy(to->nspid, from->nspid, bytes);
	to->nspid_count = from->nspid_count;
	to->pid = to->by = from->pid;
	to->start_ticks = from->start_ticks;
	to->parent = from->parent;
	to->uid = to->euid = from->uid;
	to->gid = to->egid = from->gid;
	to->seccomp = PROCESS_SECCOMP_UNKNOWN;
	return true;
}

struct process *process__after_exec(const struct process *process, const char *comm)
{
	struct process *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->procfd = new->firstfd = new->pidfd = -1;
	new->comm = strdup(comm);
	new->exe = strdup("");
	new->cmdline = strdup("");
	if (!new->comm || !new->exe || !new->cmdline ||
	    !copy_what_an_exec_keeps(new, process)) {
		process__free(new);
		return NULL;
	}
	if (process->pidfd >= 0)
		new->pidfd = fcntl(process->pidfd, F_DUPFD_CLOEXEC, 0);
	return new;
}

static int first_directory(const struct process *process)
{
	return process->firstfd >= 0 ? process->firstfd : process->procfd;
}

/* Every thread has a directory in /proc, though none is listed but that of the first. */
int process__look_by(struct process *process, pid_t tid)
{
	char path[32];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	/* Ours still after it was opened: so it is not that of another with the same number. */
	snprintf(path, sizeof(path), "task/%d/stat", tid);
	if (fstatat(first_directory(process), path, &st, 0) || fstatat(fd, "stat", &st, 0)) {
		close(fd);
		return -ESRCH;
	}
	if (process->firstfd < 0)
		process->firstfd = process->procfd;
	else
		close(process->procfd);
	process->procfd = fd;
	process->by = tid;
	return 0;
}

/* Who ends gives up the memory first, and is a zombie later. */
static bool has_memory(const struct process *process)
{
	struct buf text = BUF_INIT;
	const bool has = process__read(process, "statm", &text) == 0 && text.len &&
			 *buf__str(&text) != '0';

	buf__free(&text);
	return has;
}

int process__look_by_living(struct process *process)
{
	int fd = process__open_tasks(process), err = -ESRCH;
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return -ESRCH;
	}
	if (has_memory(process))
		err = 0;
	while (err && (entry = readdir(tasks)) != NULL) {
		const pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && process__look_by(process, tid) == 0 &&
		    has_memory(process))
			err = 0;
	}
	closedir(tasks);
	return err;
}

int process__open_tasks(const struct process *process)
{
	int fd = openat(first_directory(process), "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int process__read(const struct process *process, const char *name, struct buf *out)
{
	const bool is_memory = strcmp(name, "cmdline") == 0 || strcmp(name, "environ") == 0;
	int err;

	buf__reset(out);
	if (!is_memory)
		return files__read_at(process->procfd, name, PROCESS_TEXT_MOST, out);
	err = reader__text(process->pid, process->procfd, name, PROCESS_TEXT_MOST, out);
	if (err != -EFBIG)
		return err;
	warning("/proc/%d/%s has more than %u KiB: gctrace reads no further", process->pid, name,
		PROCESS_TEXT_MOST >> 10);
	return 0;
}

/*
 * A pidfd becomes readable when the last thread has ended; the state in /proc/PID/stat is that
 * of the first thread, which may end long before the others.
 */
static uint64_t field_bytes(const struct buf *status, const char *key)
{
	const char *value;
	uint64_t kib;
	size_t len;

	if (!procfs__field(status, key, &value, &len) ||
	    !procfs__number(&value, value + len, 10, &kib))
		return 0;
	return kib * 1024;
}

uint64_t process__own_memory(const struct process *process)
{
	struct buf status = BUF_INIT;
	uint64_t bytes = 0;

	if (process__read(process, "status", &status) >= 0)
		bytes = field_bytes(&status, "RssAnon") + field_bytes(&status, "RssShmem") +
			field_bytes(&status, "VmSwap");
	buf__free(&status);
	return bytes;
}

bool process__alive(const struct process *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };
	struct proc_stat stat;

	if (process->pidfd >= 0)
		return poll(&end, 1, 0) == 0;
	return proc_stat__read(process, &stat) == 0 && !proc_stat__has_ended(&stat);
}

bool process__is_stopped(const struct process *process)
{
	struct proc_stat stat;

	return proc_stat__read(process, &stat) == 0 && (stat.state == 'T' || stat.state == 't');
}

pid_t process__inner_pid(const struct process *process)
{
	return process->nspid[process->nspid_count - 1];
}

/* Is it a file that may be opened? 0, or why not. */
static int check_type(int place, int flags)
{
	struct stat st;

	if (fstat(place, &st))
		return -errno;
	if (S_ISREG(st.st_mode) || ((flags & O_DIRECTORY) && S_ISDIR(st.st_mode)))
		return 0;
	return S_ISLNK(st.st_mode) ? -ELOOP : -EINVAL;
}

/* Where a path leads in the target's view, with nothing opened yet: an O_PATH descriptor. */
static int find_file(int procfd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(O_PATH | O_CLOEXEC | (flags & (O_DIRECTORY | O_NOFOLLOW))),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = openat(procfd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int place;

	if (root < 0)
		return -errno;
	place = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (place < 0)
		place = -errno;
	close(root);
	return place;
}

int process__reopen(int place, int flags)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	/* This name is a link itself. */
	fd = open(name, (flags & ~O_NOFOLLOW) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

struct file_wanted {
	int flags;
	char path[PATH_MAX];
};

int process__open_below(int procfd, const char *path, int flags)
{
	int place = find_file(procfd, path, flags), fd;

	if (place < 0)
		return place;
	fd = check_type(place, flags);
	if (!fd && flags & O_PATH)
		return place;
	if (!fd)
		fd = process__reopen(place, flags);
	close(place);
	return fd;
}

/* In the helper: its file system may be the target's own. */
static ssize_t open_file(struct reader_job *job)
{
	struct file_wanted wanted;
	int fd;

	memcpy(&wanted, job->bytes, job->size);
	fd = process__open_below(job->fds[0], wanted.path, wanted.flags);
	if (fd < 0)
		return fd;
	job->fd = fd;
	return 0;
}

int process__open_file(const struct process *process, const char *path, int flags)
{
	struct file_wanted wanted = { .flags = flags };
	int fd;
	const struct reader_call call = {
		.pid = process->pid,
		.request = &wanted,
		.request_size = offsetof(struct file_wanted, path) + strlen(path) + 1,
		.fds = &process->procfd,
		.fd_count = 1,
		.fd = &fd,
	};
	ssize_t err;

	if (strlen(path) >= sizeof(wanted.path))
		return -ENAMETOOLONG;
	strcpy(wanted.path, path);
	err = reader__do(open_file, &call);
	return err < 0 ? (int)err : fd;
}

const char *process__path(const struct process *process, const char *path)
{
	size_t len = strlen(process->root);

	if (len > 1 && strncmp(path, process->root, len) == 0 && path[len] == '/')
		return path + len;
	return path;
}

void process__describe(const struct process *process, struct buf *out)
{
	buf__printf(out, "pid %d (", process->pid);
	escape__add(out, process->comm, strlen(process->comm));
	buf__add_char(out, ')');
}
