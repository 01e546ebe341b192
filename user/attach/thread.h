/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links are made for a thread, and end with it.
 */
#ifndef ATTACH_THREAD_H
#define ATTACH_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

struct target;

/* A thread to make links for: the first one, as long as it is there; 0: there is none. */
pid_t thread__living(const struct target *target);

/* Is a thread of the process there, and not exiting? */
bool thread__is_there(const struct target *target, pid_t tid);

/* Is it in execve, waiting for something? There the other threads' ends are waited for. */
bool thread__executes(const struct target *target, pid_t tid);

#endif
