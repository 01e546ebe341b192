/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/target.h"
#include "target/process.h"

/*
 * Of the kernel, in the flags of /proc/PID/task/TID/stat: PF_EXITING, and PF_SIGNALED of one that a
 * signal ends and that has come to know it.
 */
#define TASK_ENDING (0x4 | 0x400)

static bool read_text(int tasks, const char *tid, const char *file, char *text, size_t size)
{
	char name[64];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%s", tid, file);
	fd = openat(tasks, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	return true;
}

static bool is_exiting(int tasks, const char *tid)
{
	char text[1024];
	unsigned long flags;
	const char *at;

	if (!read_text(tasks, tid, "stat", text, sizeof(text)))
		return true;
	/* state, parent, group, session, terminal, its group, flags; the name may hold anything */
	at = strrchr(text, ')');
	return !at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1 ||
	       flags & TASK_ENDING;
}

/*
 * When a process exits, each of its threads gets a SIGKILL of its own. It is pending until the
 * thread takes it, which then is ending: so this is to be asked before is_exiting(). The other way
 * round both can miss it.
 */
static bool is_killed(int tasks, const char *tid)
{
	char text[4096];
	unsigned long long pending;
	const char *at;

	if (!read_text(tasks, tid, "status", text, sizeof(text)))
		return true;
	at = strstr(text, "\nSigPnd:");
	return at && sscanf(at, "\nSigPnd: %llx", &pending) == 1 && pending >> (SIGKILL - 1) & 1;
}

bool thread__is_there(const struct target *target, pid_t tid)
{
	int tasks = process__open_tasks(target->process);
	char name[16];
	bool there;

	if (tasks < 0)
		return false;
	snprintf(name, sizeof(name), "%d", tid);
	there = !is_exiting(tasks, name);
	close(tasks);
	return there;
}

bool thread__executes(const struct target *target, pid_t tid)
{
	int tasks = process__open_tasks(target->process);
	char name[16], text[256];
	long call = -1;

	if (tasks < 0)
		return false;
	snprintf(name, sizeof(name), "%d", tid);
	if (read_text(tasks, name, "syscall", text, sizeof(text)))
		sscanf(text, "%ld", &call); /* one that does not wait is "running" */
	close(tasks);
	return call == SYS_execve || call == SYS_execveat;
}

pid_t thread__living(const struct target *target)
{
	pid_t pid = target->process->pid, found = 0;
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (!target->leader_gone)
		return pid;
	fd = process__open_tasks(target->process);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!found && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != pid &&
		    !is_killed(fd, entry->d_name) && !is_exiting(fd, entry->d_name))
			found = atoi(entry->d_name);
	closedir(dir);
	return found;
}
