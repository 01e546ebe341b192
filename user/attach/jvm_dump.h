/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap dump that a JVM makes by itself (jcmd GC.heap_dump), into a FIFO instead of a file:
 * nothing is loaded into it, and it writes to no disk (jvm_relay.h: gctrace does, for some). The
 * FIFO is its user's, in a directory of its own in its own /tmp, under a name that nobody can
 * foretell; both are taken away as soon as they are not needed any more, by a keeper
 * (base/keeper.h) also if this process is killed. A JVM that comes to open it later finds no
 * directory, and makes no dump.
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
	int fd;	    /* to be read; -1: none */
	int out;    /* where the keeper writes that, unless it is the FIFO itself, and ... */
	int spool;  /* ... the file in which it keeps objects */
	int socket; /* the JVM's answer comes there */
	int directory; /* the process's /tmp, and in it ... */
	int inside;    /* ... the one that the FIFO is in */
	int stop_fd;
	const struct process *process;
	struct buf said; /* of the answer, so far */
	struct keeper keeper;
	bool is_parted; /* it comes in two streams */
	bool is_kept;	/* the keeper lives */
	bool is_cut;	/* after jvm_dump__end(): it could not keep all objects */
	char name[AGENT_NAME_ROOM]; /* of that directory */
};

/*
 * Is there a reason why it can make none? Nothing is done to find out. 0, or negative errno with
 * the reason in why, a clause about the process.
 */
int jvm_dump__check(const struct process *process, const struct runtime *runtime,
		    struct buf *why);

/* Are objects kept in a file of this side until all of the dump is there? jvm_relay.h says why. */
bool jvm_dump__is_spooled(const struct runtime *runtime);

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
