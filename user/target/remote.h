/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a running process, read from outside by process_vm_readv(), in a helper (reader.h): the
 * process neither stops nor notices, and cannot hold us up. What is read may change while it is
 * read, and is the target's to choose: every pointer and length in it is checked by the caller
 * before it is believed.
 *
 * A read is all or nothing: a page that is not there fails the part that touches it.
 */
#ifndef GCTRACE_TARGET_REMOTE_H
#define GCTRACE_TARGET_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote {
	pid_t pid;
	uint64_t calls, bytes; /* that were made and read so far: what it costs */
	bool is_gone;	       /* a read has found no memory: the thread has ended */
	struct remote_cache *cache; /* of what was foreseen; NULL: nothing was yet */
};

/* One piece of a bulk read; err: 0, or the negative errno that it failed by. */
struct remote_part {
	uint64_t address;
	void *to;
	size_t size;
	int err;
};

/* The largest single piece: nobody has a reason to read more at once. */
#define REMOTE_MOST ((size_t)16 << 20)

/* pid: of a thread that lives. Nothing is opened. */
void remote__init(struct remote *remote, pid_t pid);

void remote__free(struct remote *remote);

/*
 * A read takes a message to the helper and one back. What will be wanted soon of many places, such
 * as a stretch of each thread's stack, is foreseen and then fetched by few calls. Reads get it from
 * there until it is forgotten; what cannot be fetched is read as if nothing had been foreseen.
 */
void remote__foresee(struct remote *remote, uint64_t address, size_t size);
void remote__fetch(struct remote *remote);
void remote__forget(struct remote *remote);

/* That thread has ended, and this one of the same process lives. */
void remote__go_on_by(struct remote *remote, pid_t pid);

/*
 * 0; -EFAULT: not all of it is mapped, or it was not answered in time (which the reader counts);
 * -ESRCH: the process is gone; -EPERM: no right.
 */
int remote__read(struct remote *remote, uint64_t address, void *to, size_t size);

/*
 * Many pieces by as few system calls as will do (1,024 pieces each). A piece that fails does not
 * keep the others from being read. 0, or the negative errno of a failure that concerns all (-ESRCH,
 * -EPERM).
 */
int remote__read_parts(struct remote *remote, struct remote_part *parts, size_t count);

/*
 * A text closed by a 0 of at most size - 1 bytes into to, closed by a 0. Its length, or negative
 * errno; -E2BIG: it is longer, and what fits was read.
 */
ssize_t remote__read_text(struct remote *remote, uint64_t address, char *to, size_t size);

#endif
