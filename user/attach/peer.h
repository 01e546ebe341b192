/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is at the other end of a local socket. */
#ifndef GCTRACE_ATTACH_PEER_H
#define GCTRACE_ATTACH_PEER_H

#include <stdbool.h>

struct process;

/*
 * Is it this process? By the pid of who has begun to listen, or has connected: in our own view,
 * and taken down by the kernel at that time (SO_PEERCRED).
 */
bool peer__is(int connection, const struct process *process);

#endif
