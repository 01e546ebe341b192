/* SPDX-License-Identifier: BSD-2-Clause */
#include "environment.h"

#include <string.h>

#include "process.h"

int environment__read(const struct process *process, struct buf *environment)
{
	return process__read(process, "environ", environment);
}

/* "NAME=VALUE\0NAME=VALUE\0"; a process may have written anything over it. */
const char *environment__get(const struct buf *environment, const char *name)
{
	const char *at = buf__str(environment), *end = at + environment->len;
	const size_t len = strlen(name);

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '=')
			return at + len + 1;
	return NULL;
}

const char *environment__temporary(const struct buf *environment)
{
	const char *directory = environment__get(environment, "TMPDIR");

	return directory && *directory ? directory : "/tmp";
}
