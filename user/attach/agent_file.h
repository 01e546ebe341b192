/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library brought to where a process can load it, which may have another root, another user and
 * nothing that it may execute. Three ways, from the least to the most:
 *
 *   its own path   the process is in our mount namespace and root, its user may read the library,
 *                  and it lies on no noexec mount. Nothing is made.
 *   a copy         in a directory of temporary files in the process's view, made with the rights
 *                  of its user, under a name that nobody can foretell.
 *   a mount        where there is no such directory (a read-only root, noexec): a file system in
 *                  memory with nothing but the library in it, mounted over an empty directory in
 *                  the process's mount namespace. It needs CAP_SYS_ADMIN.
 *
 * Whoever has placed a file has the process load it, and removes it at once: what is mapped stays
 * mapped, and shows as deleted. A keeper (base/keeper.h) does both, so that nothing is left behind
 * by a gctrace that is killed in between. What can remain, if the keeper is killed as well (the
 * whole cgroup, the machine's memory): one file or mount named after the library, of about 1 MiB.
 * agent_file__clean() removes such a file later. A mount on a shared mount point is seen by its
 * peers for that moment, too.
 *
 * Nothing here is of one runtime.
 */
#ifndef GCTRACE_ATTACH_AGENT_FILE_H
#define GCTRACE_ATTACH_AGENT_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/keeper.h"

struct process;

enum agent_way {
	AGENT_BY_ITS_PATH,
	AGENT_BY_COPY,
	AGENT_BY_MOUNT,
	AGENT_WAYS,
};

struct agent_file {
	enum agent_way way;
	char path[PATH_MAX]; /* as the process sees it */
	struct keeper keeper; /* unless by its path */
};

/*
 * Place a library (path in our view, absolute). `temporary`: the directory that the process itself
 * takes for that, tried before /tmp and its like; NULL: none. 0; or negative errno, with clauses
 * added to why that name the place and what is wrong with it; then nothing was left.
 */
int agent_file__place(struct agent_file *file, const struct process *process, const char *library,
		      enum agent_way way, const char *temporary, struct buf *why);

/*
 * With the rights of the target's user on files, in a child or for a while. False: where that is us
 * already, or where we may not, they are ours.
 */
struct rights;
bool agent_file__become_user(const struct process *process, struct rights *rights);

/* libgctrace-X.so -> libgctrace-X.0123456789abcdef.so, which nobody can foretell. 0 or -errno. */
#define AGENT_NAME_ROOM 128
int agent_file__make_name(const char *library, char name[AGENT_NAME_ROOM]);

/* 0; or negative errno: it is still there (the caller says so). */
int agent_file__remove(struct agent_file *file);

/*
 * Remove copies that killed tracers have left where agent_file__place() puts them: regular files
 * with a name of ours and no other name, of the process's user, a minute old or more, that no
 * process maps or has open; with that user's rights. How many were removed.
 */
unsigned int agent_file__clean(const struct process *process, const char *temporary);

/* "a copy of it in /tmp", "" for its own path: what is done to the process's view. Appends. */
void agent_file__describe(const struct agent_file *file, struct buf *text);

#endif
