/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define WINDOW (15 + 16) /* the largest, and a gzip head */
#define ROOM ((size_t)1 << 18)

struct hprof_gzip {
	int fd;
	z_stream stream;
	bool is_over;
	bool is_between; /* a member has ended, and no other has begun */
	size_t room;
	unsigned char bytes[]; /* as they stand in the file */
};

bool hprof_gzip__begins(const void *bytes, size_t count)
{
	static const unsigned char magic[] = { 0x1f, 0x8b, Z_DEFLATED };

	return count >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

size_t hprof_gzip__peek(const void *bytes, size_t count, void *out, size_t size)
{
	z_stream stream = { .next_in = (unsigned char *)bytes, .avail_in = (unsigned int)count,
			    .next_out = out, .avail_out = (unsigned int)size };

	if (inflateInit2(&stream, WINDOW) != Z_OK)
		return 0;
	inflate(&stream, Z_SYNC_FLUSH);
	inflateEnd(&stream);
	return size - stream.avail_out;
}

struct hprof_gzip *hprof_gzip__new(int fd, const void *bytes, size_t count)
{
	const size_t room = count > ROOM ? count : ROOM;
	struct hprof_gzip *gzip = calloc(1, sizeof(*gzip) + room);

	if (!gzip)
		return NULL;
	gzip->fd = fd;
	gzip->room = room;
	memcpy(gzip->bytes, bytes, count);
	gzip->stream.next_in = gzip->bytes;
	gzip->stream.avail_in = (unsigned int)count;
	if (inflateInit2(&gzip->stream, WINDOW) == Z_OK)
		return gzip;
	free(gzip);
	return NULL;
}

void hprof_gzip__free(struct hprof_gzip *gzip)
{
	if (!gzip)
		return;
	inflateEnd(&gzip->stream);
	free(gzip);
}

bool hprof_gzip__wants(const struct hprof_gzip *gzip)
{
	return !gzip->is_over && !gzip->stream.avail_in;
}

bool hprof_gzip__is_whole(const struct hprof_gzip *gzip)
{
	return gzip->is_between;
}

static ssize_t take_more(struct hprof_gzip *gzip)
{
	const ssize_t n = read(gzip->fd, gzip->bytes, gzip->room);

	if (n > 0) {
		gzip->stream.next_in = gzip->bytes;
		gzip->stream.avail_in = (unsigned int)n;
	}
	return n;
}

ssize_t hprof_gzip__read(struct hprof_gzip *gzip, void *bytes, size_t size)
{
	z_stream *stream = &gzip->stream;
	ssize_t n = 1;
	int said;

	if (hprof_gzip__wants(gzip))
		n = take_more(gzip);
	if (n <= 0 || gzip->is_over)
		return gzip->is_over ? 0 : n;
	stream->next_out = bytes;
	stream->avail_out = size > UINT_MAX ? UINT_MAX : (unsigned int)size;
	size = stream->avail_out;
	said = inflate(stream, Z_NO_FLUSH);
	gzip->is_over = said != Z_OK && said != Z_BUF_ERROR && said != Z_STREAM_END;
	if (!gzip->is_over)
		gzip->is_between = said == Z_STREAM_END;
	else if (stream->total_out) /* else it is no member, but padding behind the last one */
		gzip->is_between = false;
	if (gzip->is_between && !gzip->is_over)
		inflateReset(stream);
	n = (ssize_t)(size - stream->avail_out);
	if (n || gzip->is_over)
		return n;
	errno = EAGAIN;
	return -1;
}
