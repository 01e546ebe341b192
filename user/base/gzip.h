/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A gzip file (RFC 1952), written by and by into a FILE. It names no file and no time: what is the
 * same gives the same bytes.
 *
 *	struct gzip *gzip;
 *	err = gzip__new(out, &gzip);
 *	gzip__write(gzip, bytes, len);		as often as wanted
 *	err = gzip__finish(gzip);		flushes, frees; tells what went wrong before, too
 */
#ifndef GCTRACE_BASE_GZIP_H
#define GCTRACE_BASE_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* 0 or -ENOMEM. The FILE stays the caller's. */
int gzip__new(FILE *out, struct gzip **gzip);

/* 0, or the negative errno that ended it: nothing is written any more then. */
int gzip__write(struct gzip *gzip, const void *bytes, size_t len);

/* The same; NULL is legal (0). */
int gzip__finish(struct gzip *gzip);

#endif
