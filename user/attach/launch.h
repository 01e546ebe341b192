/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launching: a program and everything it starts, seen from its first instruction.
 *
 * Every process that descends from the program is seized with ptrace, which stops nothing by
 * itself; launch.c says what for. The watcher is called
 *
 *   started    a process (the program, or a fork of one of ours) is there, before it runs on
 *   exec       it runs another image from now on; nothing of that has run yet
 *   mapped     a file was mapped executable; nothing of that has run yet
 *   ended      it is gone (wait status as waitpid() has it)
 *
 * During started, exec and mapped the thread concerned stands still until the call returns. Pids
 * are those of processes as our pid namespace numbers them.
 *
 * One thread makes all calls (ptrace wants that). If gctrace dies, the kernel lets go of all
 * processes, and they run on.
 */
#ifndef ATTACH_LAUNCH_H
#define ATTACH_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct launch_watcher {
	void (*started)(void *context, pid_t pid);
	void (*exec)(void *context, pid_t pid);
	void (*mapped)(void *context, pid_t pid);
	void (*ended)(void *context, pid_t pid, int status);
	void *context;
};

struct launch;

/*
 * Starts arguments[0] (searched in PATH) as a child of ours, with our descriptors 0 to 2, and
 * with the signal dispositions that `in_child` restores. Blocks SIGCHLD in the calling thread,
 * before any thread is made that should not see it.
 *
 * 0, or negative errno after an error message: -ENOENT, -EACCES and the like are those of exec.
 * Free with launch__free().
 */
int launch__new(struct launch **out, char *const arguments[], void (*in_child)(void),
		const struct launch_watcher *watcher);

/* Lets go of all processes (launch__release()), which run on, and frees. NULL is legal. */
void launch__free(struct launch *launch);

/*
 * Lets go of all processes, which run on. Threads that the kernel does not stop within a second,
 * since they wait for it, are told of, and are let go by launch__wait(), or by the end of gctrace.
 * Done once, however often it is called.
 */
void launch__release(struct launch *launch);

/*
 * After that: waits until the program has ended. Its wait status, or 0 where there is none to be
 * had. interrupted(watcher's context) is called when a signal has come.
 */
int launch__wait(struct launch *launch, void (*interrupted)(void *context));

/* Readable when launch__handle() has something to do. */
int launch__fd(const struct launch *launch);

/* Handles what has happened, without waiting. 0 or negative errno. */
int launch__handle(struct launch *launch);

/* The pid of the program itself. */
pid_t launch__pid(const struct launch *launch);

/* Has the program itself ended? Its wait status then. Others of its family may still run. */
bool launch__ended(const struct launch *launch, int *status);

/* How many processes of the family are there. */
size_t launch__alive(const struct launch *launch);

/* Processes whose mappings could not be watched, for want of room. */
size_t launch__unwatched(const struct launch *launch);

#endif
