/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links: programs attached to sites of probes in one process.
 *
 * Attaching and detaching are waits for the kernel (milliseconds and grace periods of some 100 ms
 * for each link), so they are done for all at once, by threads.
 */
#ifndef ATTACH_LINK_H
#define ATTACH_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct closer;
struct kernel;

/* Where, and what runs there. */
struct link_site {
	const char *path;	   /* of the file, in our own view */
	uint64_t offset;	   /* of the instruction in the file */
	uint64_t semaphore_offset; /* in the file; 0: none */
	pid_t tid;		   /* a thread of the process: when it exits, the link is dead */
	int program;		   /* descriptor, the caller's */
	bool multi; /* it is loaded for links of many sites; tid is the process's pid */
	uint64_t cookie;
	bool at_return;
	bool begins; /* something that another site ends: attached after those */

	/* For the caller to know it by. */
	dev_t dev;
	ino_t inode;
	const char *probe; /* static text */
	unsigned int levels;
	bool failed; /* it was warned of that it could not be attached */
};

/* One site. Those that share a descriptor stand together; the first one has it. */
struct link {
	struct link_site site; /* path is NULL: it need not live on */
	int perf_fd;	       /* not of a link of many sites */
	int link_fd;
	int error;     /* 0, or why it could not be attached */
	const struct closer *closer; /* who detaches it (closer.h) */
	bool left_out; /* nobody will try again: its arguments cannot be read */
};

struct links VEC_OF(struct link);

#define LINKS_INIT { NULL, 0, 0 }

/*
 * Attach all sites, those that begin something last, so that no begin is seen whose end could not
 * be; one link is appended for each, in their order, also where it failed. 0 or -ENOMEM (then
 * nothing is attached, and nothing said).
 */
int links__attach(struct links *links, const struct kernel *kernel, const struct link_site *sites,
		  size_t count);

/*
 * Detach all and empty the list. On return no program of theirs runs any more, and semaphores that
 * nobody else holds up are down.
 */
void links__detach(struct links *links);
void links__free(struct links *links); /* detaches first */

/*
 * Detach those that were made for a thread, which has exited: they are of no use any more. What
 * failed stays on the list.
 */
void links__detach_thread(struct links *links, pid_t tid);

#endif
