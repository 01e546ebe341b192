/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dump that comes in two streams, put into one. Java 22 and later (heapDumper.cpp, JDK-8306441)
 * write names, classes and stacks to FILE, and objects to FILE.p0, which they append to FILE in the
 * end:
 *
 *	FILE	head, names, classes, stacks ...        ... the last MiB of that    HEAP_DUMP_END
 *	FILE.p0	                               all objects
 *
 * Both are FIFOs here, so that nothing is written where the JVM is. But what has to be read first,
 * the last MiB of FILE, comes behind the objects: so these are kept in an unnamed file of this
 * side meanwhile, and the JVM goes on as soon as they are there. When it appends FILE.p0 it finds
 * it empty; it waits in open() for somebody who could write to it, which is this process then.
 */
#ifndef GCTRACE_ATTACH_JVM_RELAY_H
#define GCTRACE_ATTACH_JVM_RELAY_H

#include <stdint.h>

#define JVM_RELAY_PART ".p0"

struct jvm_relay {
	int whole, part; /* FIFOs, to read from, non-blocking */
	int directory;	 /* that the part is in, for another descriptor of it */
	const char *part_name;
	int spool;	 /* a file to keep objects in; whoever made it closes it */
	int out;
	int stop;	 /* readable: no further */
};

/* $TMPDIR, or /tmp. */
const char *jvm_relay__spool_directory(void);

/* The file, there. The descriptor, or negative errno. */
int jvm_relay__open_spool(void);

/*
 * How much more it may become: what its file system has left, without the reserve for others,
 * which is 5 % of it or 256 MiB, whichever is less: a file system that is full to the brim harms
 * them. Or negative errno.
 */
int64_t jvm_relay__room(int spool, uint64_t *reserve);

/* Is there any? 0 or negative errno. */
int jvm_relay__check_room(int spool);

/*
 * Until all is in `out`. 0 or negative errno: -EPIPE, nobody reads it; -ECANCELED, a stop; -ENOSPC,
 * the spool has no room for all objects.
 */
int jvm_relay__run(const struct jvm_relay *relay);

#endif
