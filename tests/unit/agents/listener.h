/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace would have heard of the agent: batches go into a file and through gctrace's reader,
 * and come out as text, an event a line. Definitions and the producer are left out, collections and
 * pauses are numbered from the first one on, times are not told.
 */
#ifndef UNIT_LISTENER_H
#define UNIT_LISTENER_H

/* Hears everything from now on; what came before is forgotten. After emitter__init(). */
void listener__begin(void);

/* What came since the last call; valid until the next one. */
const char *listener__told(void);

/* What the agent last said of itself before the last call of listener__told(). */
const char *listener__producer(void);

#endif
