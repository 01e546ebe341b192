/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that -p names, opened. */
#ifndef GCTRACE_CLI_PROCESSES_H
#define GCTRACE_CLI_PROCESSES_H

#include "../base/vec.h"
#include "settings.h"

struct process;
struct processes VEC_OF(struct process *);

/*
 * Open what the words say: pids, or names that one process has. Each process comes once,
 * also when it was named twice. 0; or, after an error message for each word that leads to no
 * process, a negative errno: those that could be opened are in the list all the same.
 */
int processes__open(const struct words *words, struct processes *processes);

/* Frees the processes that are still in it (take one out by setting it to NULL). */
void processes__free(struct processes *processes);

#endif
