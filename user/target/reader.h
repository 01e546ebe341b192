/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads of what a target controls, each with a deadline.
 *
 * A page of a target may lie behind userfaultfd or FUSE, and so may its files: a read of them takes
 * as long as the target likes, and where the kernel waits uninterruptibly not even SIGKILL ends it.
 * Hence gctrace reads none of that itself. A helper process does, one call after the other:
 *
 *	gctrace                               helper
 *	  request into the shared area   -->    work() reads the target, its answer into the area
 *	  waits, at most so long         <--    result, and at most one descriptor
 *
 * When the deadline passes the helper is killed and abandoned together with its area, which nothing
 * is read from any more; the call has failed by -ETIMEDOUT and the next one has a new helper. At
 * most READER_ABANDONED_MOST helpers may be waiting in the kernel for their end: then calls fail at
 * once. A target that lets reads wait has less time for each further one, and a piece of memory
 * that was not answered fails at once for a while. A helper that is runnable is not waiting for the
 * target, so a busy host does not make reads fail.
 *
 * The helper has no descriptor but its socket, the capabilities that reading takes and no others,
 * and it dies with gctrace. All functions may be called by any thread.
 */
#ifndef GCTRACE_TARGET_READER_H
#define GCTRACE_TARGET_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/buf.h"
#include "../base/descriptors.h"

struct iovec;

#define READER_BYTES ((size_t)256 << 10)   /* of a request, and of an answer */
#define READER_PIECES 1024		   /* of memory in a call */
#define READER_ABANDONED_MOST 8

/* What work() gets in the helper; descriptors are closed after it. */
struct reader_job {
	unsigned char *bytes; /* the request, to be overwritten by the answer: READER_BYTES */
	size_t size;	      /* of the request */
	int fds[DESCRIPTORS_MOST];
	size_t fd_count;
	int fd; /* to be set to a descriptor for the caller */
};

/*
 * Runs in the helper, which is a copy of this process from some earlier time: all that it needs is
 * in the job. Returns bytes of the answer, or negative errno.
 */
typedef ssize_t reader_work(struct reader_job *job);

struct reader_call {
	pid_t pid; /* whose memory or files are read: who gets less time after failures */
	const void *request;
	size_t request_size;
	const int *fds;
	size_t fd_count;
	void *answer;
	size_t answer_room; /* what is beyond it is cut off */
	int *fd;	    /* set to a descriptor, or -1; NULL: none is wanted */
};

/* What work() returned; -ETIMEDOUT; -EAGAIN: there is no helper. */
ssize_t reader__do(reader_work *work, const struct reader_call *call);

/* process_vm_readv(): bytes that were read, or negative errno; READER_PIECES at most. */
ssize_t reader__memory(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count);

/* pread() by a descriptor of a file or of /proc/PID/mem; less than size only at the end. */
ssize_t reader__pread(pid_t pid, int fd, void *to, size_t size, uint64_t offset);

/* read() at the descriptor's own position, which the helper shares. */
ssize_t reader__read(pid_t pid, int fd, void *to, size_t size);

/* openat(), O_CLOEXEC. */
int reader__open_at(pid_t pid, int dirfd, const char *path, int flags);

/*
 * A file of /proc/PID as text, of which at most limit bytes are taken (READER_BYTES at most). 0;
 * -EFBIG: it is longer, and that much was taken; other negative errno.
 */
int reader__text(pid_t pid, int dirfd, const char *name, size_t limit, struct buf *out);

/* The same of a descriptor, from its position on. */
int reader__take(pid_t pid, int fd, size_t limit, struct buf *out);

/* Reads of that process (0: of all) that failed because they were not answered in time. */
uint64_t reader__failed(pid_t pid);

#endif
