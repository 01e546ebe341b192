/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/limits.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void limits__raise(void)
{
	struct rlimit limit;

	if (raised || getrlimit(RLIMIT_NOFILE, &before) || before.rlim_cur == before.rlim_max)
		return;
	limit = before;
	limit.rlim_cur = limit.rlim_max;
	raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void limits__restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
