/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child that waits, with the rights of the moment in which it was started, to tidy up what this
 * process will leave: told to by a word over its socket, or because this process is dead, however
 * it died (then reading its socket gives nothing). Signals don't reach it but SIGKILL: Ctrl-C and
 * its like are for this process, which then tells it.
 */
#ifndef GCTRACE_BASE_KEEPER_H
#define GCTRACE_BASE_KEEPER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock.h"

#define KEEPER_ANSWER_NS (30 * NS_PER_S) /* more than what any of them waits for itself */

struct keeper {
	int socket; /* SOCK_SEQPACKET */
	pid_t pid;
};

/*
 * Start one: it does keep(context, its socket), and ends with what that returns. 0 or negative
 * errno. It is a copy of this process, so to be started while this is small.
 */
int keeper__start(struct keeper *keeper, int (*keep)(void *context, int socket), void *context);

/* A word to the other side, and one from it: len bytes at most. What came, or negative errno. */
ssize_t keeper__say(int socket, const void *word, size_t len);
ssize_t keeper__hear(int socket, void *word, size_t len);

/*
 * The same from a keeper that may be kept waiting itself, by a target's files: -ETIMEDOUT after so
 * long, or as soon as this process has no more time (base/ending.h).
 */
ssize_t keeper__hear_for(int socket, void *word, size_t len, uint64_t ns);

/* Close the socket, and wait until it has ended; one that takes long is left to itself. */
void keeper__end(struct keeper *keeper);

/*
 * The end of a child that somebody else can stop (SIGSTOP), as one that has become a target's user:
 * its status as of waitpid(2). After so long it is killed: -ETIMEDOUT. Or negative errno.
 */
int keeper__await(pid_t pid, uint64_t ns);

/* Close the socket, and let it end when it will. */
void keeper__leave(struct keeper *keeper);

#endif
