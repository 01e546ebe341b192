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
#include <sys/types.h>

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

/* Close the socket, and wait until it has ended. */
void keeper__end(struct keeper *keeper);

/* Close the socket, and let it end when it will. */
void keeper__leave(struct keeper *keeper);

#endif
