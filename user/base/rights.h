/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rights of another user on files, for this thread and a while. The file system ids and groups
 * are those of the thread alone (by raw system calls: glibc's would change every thread).
 *
 *	err = rights__become(&rights, uid, gid);
 *	if (!err) {
 *		fd = open(...);
 *		rights__give_back(&rights);
 *	}
 */
#ifndef GCTRACE_BASE_RIGHTS_H
#define GCTRACE_BASE_RIGHTS_H

#include <sys/types.h>

struct rights {
	gid_t *groups; /* that the thread had */
	int count;
};

/* 0, or negative errno, and nothing has changed. */
int rights__become(struct rights *rights, uid_t uid, gid_t gid);
void rights__give_back(struct rights *rights);

#endif
