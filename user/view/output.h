/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standard output: the data. One owner, so that what happens when nobody can take the data
 * is decided in one place:
 *
 *   closed (head -3 has seen enough)   -EPIPE: nothing is said, the command ends quietly
 *   full disk, I/O error               said once by error(), naming it; the output ends there
 *   not read by anyone                 waited for; but once a stop was asked for (Ctrl-C), or
 *                                      the time of -d has passed, only for a second more
 *                                      (base/ending.h): then said, as -ETIMEDOUT
 *
 *   an allocation was refused          -ENOMEM: what would come may be wrong; main() says it
 *
 * After any of these every write returns the same error and writes nothing: an output that
 * lacks something in its middle would look like a whole one.
 */
#ifndef GCTRACE_VIEW_OUTPUT_H
#define GCTRACE_VIEW_OUTPUT_H

#include <stddef.h>
#include <unistd.h>

struct buf;

/* What must not wait for whoever reads: served meanwhile, without writing to this output. */
struct output_aside {
	int fd; /* readable when there is something to serve */
	void (*serve)(void *context); /* NULL: nothing ever */
	void *context;
};

struct output {
	int fd;
	int stop_fd; /* readable when the end has come; -1: never */
	int error;   /* 0, or what ended it, negative */
	const char *name; /* for messages */
	struct output_aside aside; /* nothing, until somebody sets it */
};

/* Neither descriptor becomes the output's own. */
void output__init(struct output *output, int fd, int stop_fd, const char *name);

/*
 * Write whole lines (one write() where the descriptor takes them). 0, or the negative errno
 * that ended the output.
 */
int output__write(struct output *output, const void *bytes, size_t len);

/* Write what is in lines, and empty it. The same; an error of lines themselves is said as well. */
int output__flush(struct output *output, struct buf *lines);

/* Once, to stdout: help and the like. A closed stdout is not an error here (0). */
int output__print(const void *bytes, size_t len);

#endif
