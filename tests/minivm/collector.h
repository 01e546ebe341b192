/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector's thread: it alone stops the world, collects, dumps, and lets the world go on.
 * collector.c opens with a pause; collection.c with what is collected in one.
 */
#ifndef MINIVM_COLLECTOR_H
#define MINIVM_COLLECTOR_H

#include "collection.h"

struct pause {
	uint64_t number;
	uint64_t why; /* enum gctrace_why */
	uint64_t gc;  /* the last collection with a part in it, 0: none */
	uint64_t requested_ns, begin_ns, end_ns;
};

extern struct pause pause_now;

void collector__start(void);
/* Ends the collector's thread, and a concurrent collection with it. */
void collector__stop(void);

/* For mutators: waits until a collection is over that this reason asks for. */
void collector__collect(uint32_t reason);
/* For anybody: asks for a collection and does not wait. */
void collector__request(uint32_t reason);
/* For the concurrent sweep: it is done. */
void collector__wake(void);

/* For the watcher of requests: a heap dump, when it comes to it. */
void collector__request_dump(void);

#endif
