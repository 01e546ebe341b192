/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that the C library keeps, free, for the thread that had it: what a runtime has used while
 * it worked on one of our threads. The library gives none of it back, but at the end of its main
 * heap; it would stay part of the program, and be of use to nobody but us.
 */
#ifndef GCTRACE_AGENT_LEFTOVER_H
#define GCTRACE_AGENT_LEFTOVER_H

/* Gives the pages of it back, of the calling thread's. Not in a pause: it allocates. */
void leftover__give_back(void);

#endif
