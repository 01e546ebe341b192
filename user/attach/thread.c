/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target.h"
#include "target/process.h"

#define TASK_EXITING 4 /* PF_EXITING of the kernel, in the flags of /proc/PID/task/TID/stat */

/* A thread that exits, or is about to (its process has been told to), has no future. */
static bool thread_lives_on(const struct target *target, const char *tid)
{
	char name[64], text[1024];
	unsigned long flags;
	const char *at;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "task/%s/stat", tid);
	fd = openat(target->process->procfd, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	/* state, parent, group, session, terminal, its group, flags; the name may hold anything */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1)
		return false;
	return !(flags & TASK_EXITING);
}

pid_t thread__living(const struct target *target)
{
	pid_t pid = target->process->pid, found = 0;
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (!target->leader_gone)
		return pid;
	fd = openat(target->process->procfd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!found && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != pid &&
		    thread_lives_on(target, entry->d_name))
			found = atoi(entry->d_name);
	closedir(dir);
	return found;
}
