/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket that a process of .NET serves the diagnostics protocol on: below its own root, in the
 * directory that TMPDIR names (/tmp without it), dotnet-diagnostic-PID-KEY-socket. PID is its pid
 * as it knows itself, KEY its start time. Killed processes leave theirs behind, and in a shared
 * directory anybody may make one: so it counts only if it is this very process that listens.
 */
#ifndef GCTRACE_ATTACH_CLR_SOCKET_H
#define GCTRACE_ATTACH_CLR_SOCKET_H

struct process;

/*
 * Connect. directory: as the process sees it. The socket, non-blocking, or negative errno:
 *   -ENOENT        there is none (yet)
 *   -ENOTDIR       there is no such directory
 *   -ECONNREFUSED  there is one that nobody listens on
 *   -EXDEV         there is one that somebody else listens on
 *   -EACCES        it is another user's, and there is no right to use it
 *   -EAGAIN        it has more to do than it has room for
 *   -ESRCH         the process is gone
 */
int clr_socket__connect(const struct process *process, const char *directory);

#endif
