/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a heap dump goes, and how long: before each batch the requests are looked at. While
 * gctrace asks for a pause it is waited, 2 s at most; when the dump is no longer asked for, also
 * because gctrace was killed, it is over.
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
