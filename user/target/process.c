/* SPDX-License-Identifier: BSD-2-Clause */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "proc_stat.h"

void process__free(struct process *process)
{
	if (!process)
		return;
	if (process->procfd >= 0)
		close(process->procfd);
	if (process->pidfd >= 0)
		close(process->pidfd);
	free(process->nspid);
	free(process->comm);
	free(process->root);
	free(process->exe);
	free(process->cmdline);
	free(process);
}

int process__read(const struct process *process, const char *name, struct buf *out)
{
	buf__reset(out);
	return files__read_at(process->procfd, name, SIZE_MAX, out);
}

/*
 * A pidfd becomes readable when the last thread has ended; the state in /proc/PID/stat is that
 * of the first thread, which may end long before the others.
 */
bool process__alive(const struct process *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };
	struct proc_stat stat;

	if (process->pidfd >= 0)
		return poll(&end, 1, 0) == 0;
	return proc_stat__read(process, &stat) == 0 && !proc_stat__has_ended(&stat);
}

pid_t process__inner_pid(const struct process *process)
{
	return process->nspid[process->nspid_count - 1];
}

static bool wanted_type(int fd, int flags)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	return S_ISREG(st.st_mode) || ((flags & O_DIRECTORY) && S_ISDIR(st.st_mode));
}

int process__open_file(const struct process *process, const char *path, int flags)
{
	/* openat2() takes nothing that has no meaning together with O_PATH. */
	int always = flags & O_PATH ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct open_how how = {
		.flags = (unsigned int)(flags | always),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = openat(process->procfd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd, err;

	if (root < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	err = -errno;
	close(root);
	if (fd < 0)
		return err;
	if (wanted_type(fd, flags))
		return fd;
	close(fd);
	return -EINVAL;
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
