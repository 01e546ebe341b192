/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap dump that a JVM makes by itself (jcmd GC.heap_dump), into a FIFO instead of a file:
 * nothing is loaded into it, and nothing written to a disk. The FIFO is its user's, in its own
 * /tmp, under a name that nobody can foretell; it is taken away as soon as the JVM has opened it,
 * by a keeper (base/keeper.h) also if this process is killed.
 *
 *	err = jvm_dump__check(process, runtime, &why);
 *	err = jvm_dump__begin(process, runtime, stop_fd, &dump, &why);
 *	... read dump.fd until its end ...
 *	err = jvm_dump__end(&dump, &why);
 */
#ifndef GCTRACE_ATTACH_JVM_DUMP_H
#define GCTRACE_ATTACH_JVM_DUMP_H

#include "attach/agent_file.h"
#include "base/buf.h"
#include "base/keeper.h"

struct process;
struct runtime;

struct jvm_dump {
	int fd;	    /* of the FIFO; -1: none */
	int socket; /* the JVM's answer comes there */
	int directory;
	int stop_fd;
	const struct process *process;
	struct buf said; /* of the answer, so far */
	struct keeper keeper;
	bool is_kept; /* the keeper lives */
	char word; /* for it, when it is to end */
	char name[AGENT_NAME_ROOM];
};

/*
 * Is there a reason why it can make none? Nothing is done to find out. 0, or negative errno with
 * the reason in why, a clause about the process.
 */
int jvm_dump__check(const struct process *process, const struct runtime *runtime,
		    struct buf *why);

/*
 * Have it begin: when this returns, the dump's first bytes are there. The same; after an
 * error the process is as it was.
 */
int jvm_dump__begin(const struct process *process, const struct runtime *runtime, int stop_fd,
		    struct jvm_dump *dump, struct buf *why);

/*
 * All was read, or as much as was wanted: a JVM that still writes stops then. 0, or negative errno
 * with what the JVM says in why. After a jvm_dump__begin() that failed, too.
 */
int jvm_dump__end(struct jvm_dump *dump, struct buf *why);

#endif
