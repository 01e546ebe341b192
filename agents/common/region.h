/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for what grows in a stopped world: address space that is reserved beforehand, whose pages
 * come when they are first touched and go back when it is emptied. Nothing is allocated in a pause
 * but those pages, and no lock of the program's is taken. What is given out stays where it is.
 *
 * It has an end. Who finds it full says so.
 */
#ifndef GCTRACE_AGENT_REGION_H
#define GCTRACE_AGENT_REGION_H

#include <stdbool.h>
#include <stddef.h>

struct region {
	unsigned char *at;
	size_t used, room;
};

/* Outside of a pause. False: there is no such address space. */
bool region__reserve(struct region *region, size_t room);

/* `bytes` zero bytes, aligned to 8; NULL: full. One thread at a time. */
void *region__get(struct region *region, size_t bytes);

/* Gives all pages back; what was given out is gone. */
void region__empty(struct region *region);

/* Gives the address space back as well. Of one that was never reserved: nothing. */
void region__release(struct region *region);

#endif
