/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/stat: what it takes to know a process again, and whether it is one. */
#ifndef GCTRACE_TARGET_PROC_STAT_H
#define GCTRACE_TARGET_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct process;

struct proc_stat {
	char state;             /* 'R', 'S', …; 'Z' and 'X' have ended */
	uint64_t parent;
	uint64_t start_ticks;   /* since boot, in clock ticks */
	bool kernel_thread;
};

/* 0, or negative errno: -ESRCH when the process is gone. */
int proc_stat__read(const struct process *process, struct proc_stat *stat);

/* It has ended, waited for or not. */
bool proc_stat__has_ended(const struct proc_stat *stat);

#endif
