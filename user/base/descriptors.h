/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors between a process and a helper that it has started: what passes them over a socket
 * (AF_UNIX, SOCK_SEQPACKET), and what leaves a helper none but its own.
 */
#ifndef GCTRACE_BASE_DESCRIPTORS_H
#define GCTRACE_BASE_DESCRIPTORS_H

#include <stddef.h>

#define DESCRIPTORS_MOST 4 /* with one message */

/*
 * A message of so many bytes (not 0), with count descriptors, which stay open here as well. 0, or
 * -EPIPE when the other side is gone. Several threads may send at once.
 */
int descriptors__send(int socket, const void *bytes, size_t size, const int *fds, size_t count);

/*
 * The next message, which has to be of exactly that size; fds has room for DESCRIPTORS_MOST, count
 * of which came. They are closed at exec, and the caller's, also after an error. 0, -EPIPE, or
 * -EAGAIN: the socket has a timeout, which has passed.
 */
int descriptors__receive(int socket, void *bytes, size_t size, int *fds, size_t *count);

/* Close all but this one, which is 3 from now on; 0 to 2 lead nowhere. */
void descriptors__keep_only(int fd);

#endif
