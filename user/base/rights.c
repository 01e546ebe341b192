/* SPDX-License-Identifier: BSD-2-Clause */
#include "rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report.h"

static int forget(struct rights *rights, int err)
{
	free(rights->groups);
	rights->groups = NULL;
	return err;
}

int rights__become(struct rights *rights, uid_t uid, gid_t gid)
{
	rights->count = getgroups(0, NULL);
	rights->groups = calloc((size_t)rights->count + 1, sizeof(*rights->groups));
	if (!rights->groups)
		return -ENOMEM;
	rights->count = getgroups(rights->count, rights->groups);
	if (rights->count < 0 || syscall(SYS_setgroups, 0, NULL))
		return forget(rights, -errno);
	setfsgid(gid);
	setfsuid(uid);
	return 0;
}

void rights__give_back(struct rights *rights)
{
	const int before = errno;

	setfsuid(geteuid());
	setfsgid(getegid());
	if (syscall(SYS_setgroups, rights->count, rights->groups))
		warning("cannot get the supplementary groups back: %s", strerror(errno));
	forget(rights, 0);
	errno = before;
}
