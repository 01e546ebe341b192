/* SPDX-License-Identifier: BSD-2-Clause */
/* What is written as a gzip file is what zlib's own reader finds in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/gzip.h"

/* Everything in the file, unpacked; it ends where the file does. */
static unsigned char *unpacked(const char *bytes, size_t len, size_t most, size_t *got)
{
	unsigned char *to = malloc(most + 1);
	z_stream stream = { .next_in = (unsigned char *)bytes, .avail_in = (unsigned int)len };

	assert_non_null(to);
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	stream.next_out = to;
	stream.avail_out = (unsigned int)most + 1;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.avail_in, 0);
	*got = stream.total_out;
	inflateEnd(&stream);
	return to;
}

static void there_and_back(const unsigned char *bytes, size_t len, size_t piece)
{
	char *file;
	size_t file_len, got;
	unsigned char *back;
	FILE *out = open_memstream(&file, &file_len);
	struct gzip *gzip;

	assert_int_equal(gzip__new(out, &gzip), 0);
	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(gzip__write(gzip, bytes + at,
					     len - at < piece ? len - at : piece), 0);
	assert_int_equal(gzip__finish(gzip), 0);
	assert_int_equal(fclose(out), 0);
	back = unpacked(file, file_len, len, &got);
	assert_int_equal(got, len);
	assert_memory_equal(back, bytes, len);
	free(back);
	free(file);
}

static void test_round_trip(void **state)
{
	const size_t len = 1 << 20;
	unsigned char *bytes = malloc(len);
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		bytes[i] = i & 4096 ? (unsigned char)(seed >> 56) : (unsigned char)i;
	}
	there_and_back(bytes, 0, 1);
	there_and_back(bytes, 1, 1);
	there_and_back(bytes, len, len);
	there_and_back(bytes, len, 4097);
	free(bytes);
}

/* A full disk is told at the latest by the end. */
static void test_full(void **state)
{
	FILE *out = fopen("/dev/full", "w");
	struct gzip *gzip;
	unsigned char bytes[4096];

	(void)state;
	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(gzip__new(out, &gzip), 0);
	gzip__write(gzip, bytes, sizeof(bytes));
	assert_int_equal(gzip__finish(gzip), -ENOSPC);
	fclose(out);
	assert_int_equal(gzip__finish(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
