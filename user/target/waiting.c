/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names come from the kernel's own list for this machine: the build makes a line
 * SYSCALL(name) of each SYS_name (see the Makefile).
 */
#include "waiting.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#define SYSCALL(name) [SYS_##name] = #name,
static const char *const names[] = {
#include "gen/syscalls.h"
};
#undef SYSCALL

static const struct {
	const char *name, *wait;
} waits[] = {
	{ "futex", "lock" },
	{ "futex_waitv", "lock" },
	{ "futex_wait", "lock" },
	{ "flock", "lock" },
	{ "semop", "lock" },
	{ "semtimedop", "lock" },
	{ "nanosleep", "time" },
	{ "clock_nanosleep", "time" },
	{ "read", "input" },
	{ "readv", "input" },
	{ "pread64", "input" },
	{ "preadv", "input" },
	{ "preadv2", "input" },
	{ "recvfrom", "input" },
	{ "recvmsg", "input" },
	{ "recvmmsg", "input" },
	{ "accept", "input" },
	{ "accept4", "input" },
	{ "poll", "input" },
	{ "ppoll", "input" },
	{ "select", "input" },
	{ "pselect6", "input" },
	{ "epoll_wait", "input" },
	{ "epoll_pwait", "input" },
	{ "epoll_pwait2", "input" },
	{ "io_getevents", "input" },
	{ "io_pgetevents", "input" },
	{ "io_uring_enter", "input" },
	{ "mq_timedreceive", "input" },
	{ "msgrcv", "input" },
	{ "connect", "output" },
	{ "write", "output" },
	{ "writev", "output" },
	{ "pwrite64", "output" },
	{ "pwritev", "output" },
	{ "pwritev2", "output" },
	{ "sendto", "output" },
	{ "sendmsg", "output" },
	{ "sendmmsg", "output" },
	{ "sendfile", "output" },
	{ "splice", "output" },
	{ "fsync", "file" },
	{ "fdatasync", "file" },
	{ "sync", "file" },
	{ "msync", "file" },
	{ "open", "file" },
	{ "openat", "file" },
	{ "wait4", "child" },
	{ "waitid", "child" },
	{ "vfork", "child" },
	{ "pause", "signal" },
	{ "rt_sigsuspend", "signal" },
	{ "rt_sigtimedwait", "signal" },
};

const char *waiting__syscall(long number)
{
	if (number < 0 || (size_t)number >= sizeof(names) / sizeof(names[0]))
		return NULL;
	return names[number];
}

static const char *find(const char *name)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (strcmp(waits[i].name, name) == 0)
			return waits[i].wait;
	return "event";
}

/* Asked of every thread that waits at every look: each name is looked for once. */
const char *waiting__for(long number)
{
	static const char *found[sizeof(names) / sizeof(names[0])];
	const char *name = waiting__syscall(number);

	if (number < 0)
		return "memory";
	if (!name)
		return "event";
	if (!found[number])
		found[number] = find(name);
	return found[number];
}
