/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf map of a process of .NET 8 or later, for a while: the runtime is asked, by its
 * diagnostics socket, to write the names of what it has compiled and compiles from then on into a
 * file of its own, perf-PID.map in its directory for temporary files. At the end it is asked to
 * stop that, and the file is removed. Nothing is loaded into it. For as long as it writes, every
 * method that it compiles costs it a line; the methods that are there already are written at the
 * beginning.
 *
 * A child of gctrace does it and keeps the rights that it takes, so it is undone after gctrace has
 * given up its own, and also when gctrace is killed.
 */
#ifndef GCTRACE_ATTACH_CLR_PERF_MAP_H
#define GCTRACE_ATTACH_CLR_PERF_MAP_H

#include "base/buf.h"

struct clr_perf_map;
struct process;

/*
 * Says by note() what is done, before it is. 0; -EEXIST: the process has one already, which is not
 * ours to end; or another negative errno with the reason in why, a clause about the process,
 * escaped: then the process is as it was. *map is NULL but after 0. stop_fd: as in clr_wait.
 */
int clr_perf_map__begin(const struct process *process, int stop_fd, struct clr_perf_map **map,
			struct buf *why);

/* End it, remove the file and free it; NULL is legal. Says by warning() what is left. */
void clr_perf_map__end(struct clr_perf_map *map);

#endif
