/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a mapping still what it was when all were read? Libraries come and go, and another one may
 * be where one was. To read all of them anew takes a millisecond; to ask for one (PROCMAP_QUERY,
 * Linux 6.11) one microsecond.
 */
#ifndef GCTRACE_TARGET_MAP_QUERY_H
#define GCTRACE_TARGET_MAP_QUERY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct map;
struct process;

struct map_query {
	int fd; /* negative: this kernel does not answer, or there is no right to ask */
	pid_t pid;
};

#define MAP_QUERY_INIT { -1, 0 }

/* Of the memory that the process has now: after an exec it is another. Closes what was open. */
void map_query__open(struct map_query *query, const struct process *process);
void map_query__close(struct map_query *query);

/*
 * Does this address, which lies in the mapping as it was read, have the same place of the same file
 * now? Where that is not to be had: true.
 */
bool map_query__is_still(const struct map_query *query, const struct map *map, uint64_t address);

#endif
