/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a heap dump goes, and how long: before each batch the requests are looked at. While
 * gctrace asks for a pause it is waited, 2 s at most; when the dump is no longer asked for, also
 * because gctrace was killed, it is over.
 *
 * A gctrace that was stopped (Ctrl-Z, a debugger, a frozen container) leaves both requests up. The
 * program, which stands still, must not wait for it before each of thousands of batches: after one
 * wait in vain the dump goes on without, until the request has been down once. What that loses is
 * counted where it is lost.
 */
#ifndef GCTRACE_AGENT_PACE_H
#define GCTRACE_AGENT_PACE_H

#include <stdbool.h>

/* Is a dump asked for? Of a descriptor's: always. */
bool pace__is_wanted(void);

/* A dump begins. One at a time. */
void pace__begin(void);

/* Looks where a batch has gone since the last look. False: the dump is over. */
bool pace__may_go_on(void);

#endif
