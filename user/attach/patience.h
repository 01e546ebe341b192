/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a process is waited for that may still be starting: until it is old enough to have
 * started, and then only as long as any process may be too busy for a moment.
 *
 *	struct patience patience = patience__for(process, stop_fd);
 *	while ((err = look(process)) == -ENOENT && patience__wait(&patience))
 *		;
 */
#ifndef GCTRACE_ATTACH_PATIENCE_H
#define GCTRACE_ATTACH_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct process;

struct patience {
	const struct process *process;
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	uint64_t since_ns; /* 0: nobody has waited */
	int stop_fd;	   /* readable: no longer; -1: none */
	bool has_said;
};

struct patience patience__for(const struct process *process, int stop_fd);

/*
 * Some ms. False: the time is over, a stop was asked for, or the process has ended. Who waits for
 * longer than a moment is told so, once.
 */
bool patience__wait(struct patience *patience);

#endif
