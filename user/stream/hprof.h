/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump of a JVM, in the hprof format, as the events of a dump: whoever makes graphs of them
 * sees no difference to a live one.
 *
 *	is_hprof = hprof__begins(fd);
 *	err = hprof__read(fd, &options, &sink, &facts);
 *
 * It reads once, from front to back, a pipe as well as a file, and what is within a gzip file.
 * Contents are dropped; what is kept until the end is names, classes, roots and what statics refer
 * to. Versions 1.0, 1.0.1, 1.0.2, and 1.0.3 of Android; ids of 4 and of 8 bytes; HEAP_DUMP of any
 * length and segments.
 *
 * WHAT IS TOLD
 *
 *	objects	   instances and arrays; and classes, as instances of java.lang.Class that refer to
 *		   their loader and super class, and to their statics where they may be unloaded
 *	sizes	   as hprof_sizes.h says; those of instances are EVENT_UNKNOWN: as their class's,
 *		   which is told in the end
 *	references fields by position, elements by index; `referent` of java.lang.ref.Reference as
 *		   soft, weak or phantom (a FinalReference's as weak: the JVM keeps such objects
 *		   by itself). Instances of hidden classes refer to their class, which nobody else
 *		   keeps
 *	roots	   by thread and frame; statics of classes that are never unloaded
 *	names	   in the end
 *
 * An instance whose classes are not all known yet waits in memory until they are.
 *
 * A file that is cut off is told as far as it goes, without C_END. What makes no sense is passed
 * over up to the end of its record, and is an EVENT_LOSS: also a name that is longer than Java's
 * can be, and an instance of more than 64 MiB. Whatever a file says, time and memory are no more
 * than in proportion to what there is of it.
 */
#ifndef STREAM_HPROF_H
#define STREAM_HPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "hprof_sizes.h"
#include "source.h"

struct hprof_options {
	bool heads;  /* EVENT_HEADS instead of EVENT_OBJECT and EVENT_ROOTS */
	int stop_fd; /* readable: no further; -1: none */
	uint64_t limit; /* bytes of what is kept here until the end; 0: none */
	const struct hprof_known *known; /* of the JVM that writes it; NULL: nothing is */
	int (*turn)(void *context); /* called now and then, with the sink's; as feed__read_all() */
};

struct hprof_facts {
	char version[16];  /* "1.0.2" */
	uint32_t id_bytes;
	uint64_t ms;	   /* since 1970; 0: not told */
	bool is_whole;	   /* up to its last record, and segments up to HEAP_DUMP_END */
	bool has_dump;	   /* something of one was there */
	uint64_t position; /* where it ended */
	uint64_t damaged;  /* records of which something made no sense */
	uint64_t damage_at; /* where the first of those was */
	uint64_t waited;   /* instances that came before their classes */
	uint64_t misfits;  /* instances with fewer bytes than their class has fields */
	uint64_t unnamed;  /* classes whose fields have no names: they are too long in all */
	struct hprof_sizes sizes;
};

/*
 * Does what comes begin so? It can be read afterwards as if nobody had looked; of what is neither
 * a file nor a pipe, nobody can look: false.
 */
bool hprof__begins(int fd);

/* The same of a regular file. */
bool hprof__is_file(const char *path);

/*
 * All of it. 0, a sink's or turn's answer, or, nothing said: -ECANCELED, a stop; -ENOMEM; -EBADMSG,
 * it is no hprof; -EPROTONOSUPPORT, a version or id size that nobody knows (facts have it);
 * -ENODATA, its head is cut off; -EDQUOT, it takes more than the limit; or that of a read.
 */
int hprof__read(int fd, const struct hprof_options *options, const struct event_sink *sink,
		struct hprof_facts *facts);

#endif
