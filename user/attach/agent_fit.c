/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent_fit.h"

#include <errno.h>
#include <string.h>

#include "target/maps.h"
#include "target/process.h"

void agent_fit__tell_unreadable(const struct process *process, int err, struct buf *why)
{
	if (err == -EACCES || err == -EPERM)
		buf__printf(why, "it is user %u's, whose processes this one may not look into: run"
			    " gctrace as root, or as that user", (unsigned int)process->euid);
	else
		buf__printf(why, "its environment cannot be read: %s", strerror(-err));
}

bool agent_fit__is_refused(const struct process *process, const struct maps *maps, int err,
			   struct buf *why)
{
	if (err)
		agent_fit__tell_unreadable(process, err, why);
	else if (process->is_32bit)
		buf__add_str(why, "it is a 32-bit process, and gctrace's agent has 64 bits");
	else if (maps__named(maps, "ld-musl-"))
		buf__add_str(why, "it runs on musl (Alpine), and this agent is built for glibc: run"
			     " it in an image of Debian, Ubuntu or another with glibc");
	else
		return false;
	return true;
}
