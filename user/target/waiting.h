/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls by name, and what a thread that sleeps in one waits for. */
#ifndef GCTRACE_TARGET_WAITING_H
#define GCTRACE_TARGET_WAITING_H

#include <stdbool.h>

/* "futex"; NULL: this machine's kernel headers know none of that number. */
const char *waiting__syscall(long number);

/*
 * "lock", "input", "output", "time", "child", "signal", "file": for what a thread sleeps in this
 * system call; "memory": it sleeps, but in none (number < 0: a page that has to be read); "event":
 * in one that may wait for anything.
 */
const char *waiting__for(long number);

#endif
