/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A helper process that opens uprobes for us after we have given up CAP_SYS_ADMIN, and can do
 * nothing else. kernel.c says which kernels want that of single uprobes.
 *
 * It lives as long as our end of its socket is open: freed, exited or killed, we take it along. It
 * has no file of ours open, and of all capabilities the one that it is for.
 */
#ifndef ATTACH_OPENER_H
#define ATTACH_OPENER_H

#include <stdint.h>
#include <sys/types.h>

struct opener;

/* What perf_event_open() is told of a uprobe. */
struct opener_request {
	uint64_t config;
	uint64_t offset;
	uint32_t type;
	pid_t tid;
};

/*
 * While the process has one thread, before privileges are dropped. Comes back when the helper has
 * given up all that it does not need. 0 or negative errno; -EPIPE: it ended instead.
 */
int opener__new(struct opener **out);
void opener__free(struct opener *opener);

/* The perf event's descriptor, or negative errno. Several threads may call it. */
int opener__open(struct opener *opener, const char *path, const struct opener_request *request);

/* The same without a helper. */
int opener__open_here(const char *path, const struct opener_request *request);

#endif
