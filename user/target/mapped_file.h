/* SPDX-License-Identifier: BSD-2-Clause */
/* The very file that a process has mapped, where its path may lead elsewhere. */
#ifndef GCTRACE_TARGET_MAPPED_FILE_H
#define GCTRACE_TARGET_MAPPED_FILE_H

struct map;
struct maps;
struct process;

/*
 * Open, for reading, the file behind one of the process's mappings. A descriptor, or
 *   -ENODEV   it is no regular file
 *   -EPERM, -EACCES  no right; for deleted files CAP_CHECKPOINT_RESTORE is needed
 *   -ESTALE   another file stands at its path now, and the mapped one cannot be had
 *   -ESRCH    the process is gone
 *   or what opening gave. Says nothing.
 */
int mapped_file__open(const struct process *process, const struct maps *maps,
		      const struct map *map);

#endif
