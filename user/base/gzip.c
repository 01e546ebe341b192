/* SPDX-License-Identifier: BSD-2-Clause */
#include "gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest, in gzip's wrapping and not zlib's */
#define GZIP_MEMORY 8	      /* zlib's default */

struct gzip {
	z_stream stream;
	FILE *out;
	int error;
	unsigned char bytes[64 << 10];
};

int gzip__new(FILE *out, struct gzip **result)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	*result = NULL;
	if (!gzip || deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
				  GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return -ENOMEM;
	}
	gzip->out = out;
	*result = gzip;
	return 0;
}

/* Until zlib has taken all, and with Z_FINISH given all. */
static int compress_some(struct gzip *gzip, int flush)
{
	size_t len;

	do {
		gzip->stream.next_out = gzip->bytes;
		gzip->stream.avail_out = sizeof(gzip->bytes);
		deflate(&gzip->stream, flush);
		len = sizeof(gzip->bytes) - gzip->stream.avail_out;
		errno = 0;
		if (fwrite(gzip->bytes, 1, len, gzip->out) != len)
			return errno ? -errno : -EIO;
	} while (gzip->stream.avail_out == 0);
	return 0;
}

int gzip__write(struct gzip *gzip, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len && !gzip->error) {
		const size_t some = len < UINT_MAX ? len : UINT_MAX;

		gzip->stream.next_in = (unsigned char *)at;
		gzip->stream.avail_in = (unsigned int)some;
		gzip->error = compress_some(gzip, Z_NO_FLUSH);
		at += some;
		len -= some;
	}
	return gzip->error;
}

int gzip__finish(struct gzip *gzip)
{
	int err;

	if (!gzip)
		return 0;
	gzip->stream.avail_in = 0;
	err = gzip->error ? gzip->error : compress_some(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip);
	return err;
}
