/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An hprof file within a gzip file (RFC 1952), as jmap -dump:gz=1 and -XX:HeapDumpGzipLevel write
 * it: one member behind another, each with a MiB of the dump.
 */
#ifndef STREAM_HPROF_GZIP_H
#define STREAM_HPROF_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct hprof_gzip;

/* Do these bytes begin a gzip file? */
bool hprof_gzip__begins(const void *bytes, size_t count);

/* What the first `count` bytes of one hold: up to `size` bytes of it. How many there are. */
size_t hprof_gzip__peek(const void *bytes, size_t count, void *out, size_t size);

/* Of a descriptor, from which `count` bytes have been taken; these are copied. NULL: no memory. */
struct hprof_gzip *hprof_gzip__new(int fd, const void *bytes, size_t count);
void hprof_gzip__free(struct hprof_gzip *gzip);

/* Does the next read take bytes from the descriptor, which may have to be waited for? */
bool hprof_gzip__wants(const struct hprof_gzip *gzip);

/* At the end: was the last member there to its end, with the sum of its bytes? */
bool hprof_gzip__is_whole(const struct hprof_gzip *gzip);

/*
 * Some of what is in it. 0: it ends, or goes on with what is no gzip; or -1 with errno, as of
 * read(): EAGAIN, what was taken gives nothing yet.
 */
ssize_t hprof_gzip__read(struct hprof_gzip *gzip, void *bytes, size_t size);

#endif
