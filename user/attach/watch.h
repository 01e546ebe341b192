/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What processes do that concerns a tracer: map files executable (dlopen), fork, exec, exit.
 *
 * One perf event for each CPU, system-wide, instead of one for each thread and CPU: a process of
 * 200 threads on 64 CPUs would take 12,800 of those, and none sees a thread that was made between
 * listing and opening. What comes of other processes is dropped at once; on a busy host these are
 * some hundred records a second. It needs CAP_PERFMON when made, not afterwards.
 *
 * Texts are the target's: any bytes.
 */
#ifndef ATTACH_WATCH_H
#define ATTACH_WATCH_H

#include <stdint.h>
#include <sys/types.h>

enum watch_kind {
	WATCH_MMAP,  /* a file, executable; name: its path */
	WATCH_EXEC,  /* name: the new comm */
	WATCH_FORK,  /* a process (not a thread): pid is the child */
	WATCH_EXIT,  /* a thread; the process's first one when tid is pid */
	WATCH_LOST   /* records were lost, of whatever process: look yourself */
};

struct watch_event {
	enum watch_kind kind;
	pid_t pid, tid; /* as in our pid namespace; never 0 */
	pid_t parent;	/* of fork */
	uint64_t time;	/* CLOCK_MONOTONIC, ns */
	uint64_t address, length;
	uint64_t lost; /* of WATCH_LOST: how many; 0 where none were, but a look is due */
	const char *name; /* valid during the call */
};

typedef void (*watch_handler)(void *context, const struct watch_event *event);

struct watch;

/* 0, or negative errno (says nothing). */
int watch__new(struct watch **out);
void watch__free(struct watch *watch);

/* Readable when there is something to read. */
int watch__fd(const struct watch *watch);

/* Hand over all there is; events of one process are in their order. */
void watch__read(struct watch *watch, watch_handler handler, void *context);

#endif
